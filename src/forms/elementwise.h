/* The form "elementwise": one operation over a collapsed shape.
 *
 * Arguments are inputs, then outputs, then the mask if there is one. An argument whose stored dtype
 * differs from the loop's is converted on the way. Outputs coincide exactly with an input or do not
 * overlap any. Strides may be 0 (broadcast) on inputs, never on outputs. */
#ifndef TNI_FORMS_ELEMENTWISE_H
#define TNI_FORMS_ELEMENTWISE_H

#include <tenorite/elementwise.h>

/* Inputs and outputs of one operation of the table, the mask, and room for fused bodies. */
enum { TNI_ARGUMENTS = TN_MAX_OPERANDS + 1 };

/* Beside the table's operations: output 0 = input 0, converted. */
#define TNI_OP_COPY ((tn_op)-2)

typedef struct tni_argument {
    char *data;                           /* first element; NULL: the scalar in `value` */
    tn_dtype dtype;                       /* as stored */
    tn_dtype loop_dtype;                  /* as the loop reads or writes it */
    _Alignas(16) unsigned char value[16]; /* of loop_dtype */
    int64_t strides[TN_MAX_NDIM];
} tni_argument;

typedef struct tni_elementwise {
    tn_op op;
    tn_dtype dtype; /* the loop's T (COPY: the input's dtype) */
    int input_count, output_count;
    bool masked;
    /* Elements of arguments may lie at any address (the backend computes on such). */
    bool is_unaligned;
    int ndim;
    int64_t size;
    int64_t shape[TN_MAX_NDIM];
    tni_argument arguments[TNI_ARGUMENTS];
} tni_elementwise;

#endif
