/* A call whose types, shapes and layout are known. */
#ifndef TNI_KERNEL_TEMPLATES_RESOLVE_H
#define TNI_KERNEL_TEMPLATES_RESOLVE_H

#include "kernel/templates/texts.h"

/* How an operand lies. The letters stand in keys of variants. */
enum {
    TNI_LIES_SCALAR = 'v',
    TNI_LIES_RAW = 'r',
    TNI_LIES_UNIT = 'u',    /* the last axis without gaps; in one dimension all of it */
    TNI_LIES_SAME = 'z',    /* one element along the last axis */
    TNI_LIES_STRIDED = 's', /* any other */
    TNI_LIES_LEADING = 'l', /* the input whose vectors the form of a reduction loads */
    TNI_LIES_TOGETHER = 't' /* another that lies as that one does, in elements */
};

/* A call whose types and shapes are known. */
typedef struct tni_resolved {
    const tn_template *kernel;
    tn_stream *stream;
    tn_device device;
    bool *is_missing; /* NULL, or where it is noted that something is not compiled */
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
    /* Of a reduction that is the body of a backend's form: how that wants it. NULL: it has loops of
     * its own. */
    const struct tni_fold_frame *frame;
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
/* Of such a call: the input that leads a form's loads, and which are loaded with it. -1: none. */
int tni_resolve_leader(tni_resolved *call);

#endif
