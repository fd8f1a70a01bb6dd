/* Which of four device texts walks the arguments of an element-wise call, and how. */
#ifndef TNI_CUDA_FORMS_WALK_H
#define TNI_CUDA_FORMS_WALK_H

#include "backend/cuda/forms/step.h"
#include "forms/expression.h"

enum { TNI_WALK_ARGUMENTS = TNI_EXPRESSION_ARGUMENTS };

/* What a program depends on of an argument. */
typedef struct tni_walk_argument {
    int8_t dtype, loop_dtype;
    uint8_t inner;      /* INNER_... of elements.cuh */
    uint8_t is_scalar;  /* a value in the parameters */
    uint8_t is_outer;   /* rows: changes from row to row */
    uint8_t transposed; /* transpose: elements of one load; 0: not transposed */
} tni_walk_argument;

/* Arguments are inputs, then outputs, then the mask. */
typedef struct tni_walk {
    uint8_t inputs, outputs, masked;
    tni_walk_argument arguments[TNI_WALK_ARGUMENTS];
} tni_walk;

/* The four texts, each with the caller's function that writes the body. */
typedef struct tni_walk_forms {
    tni_flat_form flat;
    tni_strided_form strided;
    tni_rows_form rows;
    tni_transpose_form transpose;
} tni_walk_forms;
#define TNI_WALK_FORMS(write)                                                                      \
    {                                                                                              \
        TNI_FORM(flat, write), TNI_FORM(strided, write), TNI_FORM(rows, write),                    \
            TNI_FORM(transpose, write)                                                             \
    }

/* A call of an element-wise kind. */
typedef struct tni_walk_call {
    const tni_walk_forms *forms;
    int inputs, outputs;
    bool masked, copies; /* copies: the output converts from the input's dtype */
    int ndim;
    int64_t size;
    const int64_t *shape;
    const tni_argument *arguments;
    /* Sets what the key has beyond the kernel's macros. */
    void (*set_key)(tni_form_key *key, const tni_walk *walk, const void *call);
    const void *call;
    tni_form_body body;
} tni_walk_call;

/* Adds the call's launch to the plan. */
void tni_plan_walk(tni_plan *plan, const tni_walk_call *call);

/* What elements.cuh asks for but the body. */
void tni_walk_write(tni_source *source, const tni_walk *walk);

#endif
