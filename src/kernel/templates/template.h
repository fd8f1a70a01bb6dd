/* Templates and their calls, as the files of this folder see them. */
#ifndef TNI_KERNEL_TEMPLATES_TEMPLATE_H
#define TNI_KERNEL_TEMPLATES_TEMPLATE_H

#include "core/array/array.h"
#include "kernel/source.h"
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
    bool is_short;      /* several elements of one thread make it faster */
    tni_parameters parameters;
    const char *texts[TNI_TEXT_COUNT]; /* never NULL */
    /* The kernel's name on GPUs, which ends in "kernel": a name such as norm is a function's. */
    char symbol[TNI_SYMBOL_BYTES];
    int option_count;
    const char **options;
    _Atomic(tni_variant *) variants; /* newest first; none is dropped before the template */
};

/* How an operand lies. The letters stand in keys of variants. */
enum {
    TNI_LIES_SCALAR = 'v',
    TNI_LIES_RAW = 'r',
    TNI_LIES_UNIT = 'u',   /* the last axis without gaps; in one dimension all of it */
    TNI_LIES_SAME = 'z',   /* one element along the last axis */
    TNI_LIES_STRIDED = 's' /* any other */
};

/* A call whose types and shapes are known. */
typedef struct tni_resolved {
    const tn_template *kernel;
    tn_stream *stream;
    tn_device device;
    bool *is_missing; /* NULL, or where it is told that something is not compiled */
    int count;        /* of all parameters */
    tn_dtype types[TNI_PARAMETERS_MAX];
    const tn_array *arrays[TNI_PARAMETERS_MAX]; /* NULL: a scalar */
    const tn_scalar *scalars[TNI_PARAMETERS_MAX];
    char lies[TNI_PARAMETERS_MAX];
    int64_t offsets[TNI_PARAMETERS_MAX]; /* bytes from the array's first element */
    int64_t strides[TNI_PARAMETERS_MAX][TN_MAX_NDIM];
    /* The axes that are gone over; a reduction's reduced ones first, `reduced` of them. */
    int ndim, reduced;
    int64_t shape[TN_MAX_NDIM];
    int64_t size, out_size;
    bool is_small;   /* 32 bits hold every index */
    bool keepdims;   /* of a reduction: outputs have the reduced axes, too */
    bool in_columns; /* of a reduction: outputs lie closer in memory than what they are made of */
    bool on_host;    /* the text is a function over ranges */
} tni_resolved;

/* Whether an operand is walked element by element. */
static inline bool tni_is_walked(const tni_resolved *call, int k) {
    return call->lies[k] != TNI_LIES_SCALAR && call->lies[k] != TNI_LIES_RAW;
}

/* Types of all parameters: outputs that are given decide first, then inputs (resolve.c). */
tn_status tni_resolve_types(tni_resolved *call, const tn_template_call *given);
/* The shape that the arguments broadcast to (`given->size` where all arrays are raw). */
tn_status tni_resolve_shape(tni_resolved *call, const tn_template_call *given);
/* Axes as few as the texts allow, strides, and how each operand lies. */
void tni_resolve_layout(tni_resolved *call);
/* The same of a reduction, of which `axes` (a set) are reduced. */
void tni_resolve_reduction(tni_resolved *call, uint64_t axes);

/* What the programs of reductions and their launches agree on: threads of a block on GPUs, totals of
 * a unit on host, bytes of a total where its type is the program's own. */
enum { TNI_REDUCTION_BLOCK = 256, TNI_REDUCTION_LANES = 32, TNI_TOTAL_BYTES = 128 };

/* How a reduction is parted; carray.cuh has the same. */
typedef struct tni_parts {
    void *totals;
    int64_t elements, length, count, width;
} tni_parts;

/* The name of a dtype in a program. */
const char *tni_type_name(tn_dtype dtype);

/* The programs: a kernel of the template's name on GPUs; on host a function over ranges by the name
 * tni_elements (reductions: and tni_finish). */
void tni_write_head(tni_source *source, const tni_resolved *call);
void tni_write_text(tni_source *source, const tn_template *kernel, tni_template_text text);
void tni_write_parameters(tni_source *source, const tni_resolved *call);
void tni_write_elementwise(tni_source *source, const tni_resolved *call);
void tni_write_reduction(tni_source *source, const tni_resolved *call);

/* A variant: what a template is for dtypes and layouts, which are its key. */
struct tni_variant {
    tni_variant *next;
    uint64_t hash;
    tn_module *module;
    tn_kernel *kernels[2]; /* the second finishes a reduction in parts; NULL: there is none */
    char *code, *dtypes;
    int key_bytes;
    unsigned char key[];
};
/* Compiled, unless the call says that it would rather not. */
tn_status tni_variant_get(tni_variant **result, tn_template *kernel, const tni_resolved *call);

/* Launches: element-wise, and reductions. The outputs in `call` are arrays. */
tn_status tni_launch_elementwise(tn_template *kernel, const tni_resolved *call, unsigned block);
tn_status tni_launch_reduction(tn_template *kernel, const tni_resolved *call);

#endif
