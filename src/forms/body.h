/* A body: what a form computes of the elements that it loads, as a short program over operations of
 * the table.
 *
 * Values 0 .. input_count - 1 are the inputs' elements, step k makes value input_count + k, and the
 * last step makes the element. A body without steps is the input as it lies.
 *
 * The form sees one array of the last step's dtype, which lies contiguous in memory and is never
 * made: its element number i, in the order of its memory, is computed of element i of each input.
 * So a fold has the same tree, and the same bits, as one of an array that was made first. */
#ifndef TNI_FORMS_BODY_H
#define TNI_FORMS_BODY_H

#include <tenorite/array.h>
#include <tenorite/operations.h>

enum { TNI_BODY_INPUTS = 4, TNI_BODY_STEPS = 8, TNI_BODY_OPERANDS = 2 };

/* One operation of one or two inputs and one output. All inputs are converted to the loop's T. */
typedef struct tni_body_step {
    tn_op op;
    tn_dtype dtype;                 /* the loop's T */
    tn_dtype result;                /* of the value that the step makes */
    int8_t count;                   /* operands */
    int8_t from[TNI_BODY_OPERANDS]; /* values */
} tni_body_step;

typedef struct tni_body {
    int input_count, step_count;
    tni_body_step steps[TNI_BODY_STEPS];
    tn_dtype dtypes[TNI_BODY_INPUTS];                       /* of the inputs, as stored */
    const char *inputs[TNI_BODY_INPUTS];                    /* NULL: one scalar, in `values` */
    _Alignas(16) unsigned char values[TNI_BODY_INPUTS][16]; /* as stored */
    bool is_unaligned; /* inputs' elements lie at any address (the backend takes such) */
    /* The axes of the array that is never made, slowest in its memory first, and the inputs'
     * strides in bytes; a broadcast input, or a scalar, has strides 0. */
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    int64_t strides[TNI_BODY_INPUTS][TN_MAX_NDIM];
} tni_body;

/* The dtype of a value. */
static inline tn_dtype tni_body_dtype(const tni_body *body, int value) {
    return value < body->input_count ? body->dtypes[value]
                                     : body->steps[value - body->input_count].result;
}

#endif
