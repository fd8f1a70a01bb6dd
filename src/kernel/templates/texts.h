/* A template as its files see it: the texts and what they need. */
#ifndef TNI_KERNEL_TEMPLATES_TEXTS_H
#define TNI_KERNEL_TEMPLATES_TEXTS_H

#include "core/array/array.h"
#include "kernel/templates/parameters.h"

/* The texts of a template. */
typedef enum tni_template_text {
    TNI_TEXT_NAME,
    TNI_TEXT_PREAMBLE,
    TNI_TEXT_OPERATION, /* of a reduction: map */
    TNI_TEXT_LOOP_PREP,
    TNI_TEXT_AFTER_LOOP,
    TNI_TEXT_REDUCE,
    TNI_TEXT_POST_MAP,
    TNI_TEXT_IDENTITY,
    TNI_TEXT_REDUCE_TYPE,
    TNI_TEXT_COUNT
} tni_template_text;

typedef struct tni_variant tni_variant;

enum { TNI_SYMBOL_BYTES = 224 };

struct tn_template {
    atomic_int references;
    bool is_reduction, keeps_axes;
    bool sees_order;    /* a text may use the number of an element, so axes stay in order */
    bool sees_index;    /* a text may use its place in the axes */
    bool wants_threads; /* a text has words that only threads of a block give a meaning */
    bool is_checked;    /* threads run it on host, too, and are checked */
    bool is_short;      /* several elements of one thread make it faster */
    bool folds_plainly; /* of a reduction: reduce and identity see no parameter */
    tni_parameters parameters;
    const char *texts[TNI_TEXT_COUNT]; /* never NULL */
    /* The kernel's name on GPUs, which ends in "kernel": a name such as norm is a function's. */
    char symbol[TNI_SYMBOL_BYTES];
    int option_count;
    const char **options;
    _Atomic(tni_variant *) variants; /* newest first; none is dropped before the template */
};

#endif
