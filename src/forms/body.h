/* A body: what a form computes of the elements that it loads, as steps of the form "expression"
 * (expression.h) over inputs.
 *
 * Values 0 .. input_count - 1 are the inputs' elements, each step makes the next one, and the last
 * step makes the element. There is a step at least.
 *
 * The form sees one array of the last step's dtype, which lies contiguous in memory and is never
 * made: its element number i, in the order of its memory, is computed of element i of each input.
 * So a fold has the same tree, and the same bits, as one of an array that was made first. */
#ifndef TNI_FORMS_BODY_H
#define TNI_FORMS_BODY_H

#include "forms/expression.h"

#include <stddef.h>

enum {
    TNI_BODY_INPUTS = 32, /* arrays and scalars */
    TNI_BODY_STEPS = 256,
    TNI_BODY_VALUES = TNI_BODY_INPUTS + TNI_BODY_STEPS
};

typedef struct tni_body {
    int input_count, step_count;
    tni_expression_step steps[TNI_BODY_STEPS];
    int8_t dtypes[TNI_BODY_VALUES];                         /* of inputs as stored, of steps */
    const char *inputs[TNI_BODY_INPUTS];                    /* NULL: one scalar, in `values` */
    _Alignas(16) unsigned char values[TNI_BODY_INPUTS][16]; /* as stored */
    bool is_unaligned; /* inputs' elements lie at any address (the backend takes such) */
    bool may_refuse;   /* TN_ERROR_NOT_IMPLEMENTED of the call, before it did anything, is taken */
    tni_asked *asked;  /* NULL: the call is done */
    /* The axes of the array that is never made, slowest in its memory first, and the inputs'
     * strides in bytes; a broadcast input, or a scalar, has strides 0. */
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    int64_t strides[TNI_BODY_INPUTS]
                   [TN_MAX_NDIM]; /* last, so that only those there are are copied */
} tni_body;

/* The value that is the element. */
static inline tni_value tni_body_last(const tni_body *body) {
    return (tni_value)(body->input_count + body->step_count - 1);
}

/* The bytes of a body that mean something. */
static inline size_t tni_body_bytes(const tni_body *body) {
    return offsetof(tni_body, strides) + (size_t)body->input_count * sizeof *body->strides;
}

static inline tni_steps tni_body_steps(const tni_body *body, const tni_value *last) {
    return (tni_steps){body->steps, body->step_count, body->input_count, body->dtypes, last, 1};
}

#endif
