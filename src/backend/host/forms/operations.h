/* The steps of an expression as compiled loops, each of one step or of several: what the form
 * "expression" and bodies run over pieces of their elements. */
#ifndef TNI_HOST_OPERATIONS_H
#define TNI_HOST_OPERATIONS_H

#include "backend/host/loops.h"
#include "forms/expression.h"

/* It makes the values from number `value` on. */
typedef struct tni_operation {
    tni_loop loop;        /* NULL: a fold of rows */
    const tni_loop *ends; /* of a pair: the loop, and that with a square root after; else NULL */
    int8_t count, made;
    tni_value value;
    tni_value from[TNI_EXPRESSION_FROM];
} tni_operation;

typedef struct tni_operations {
    int count;
    tni_operation list[TNI_EXPRESSION_STEPS];
} tni_operations;

/* An operation for each step. */
tn_status tni_operations_find(tni_operations *o, const tni_steps *of);

/* Makes one operation of two where that has a loop (loops/joined_loops.h). `is_row`: values of one
 * number for each row, which are not computed again for each element; NULL: there are none. */
void tni_operations_join(tni_operations *o, const tni_steps *of, const bool *is_row);

/* last_use[v]: the operation that reads value v last, -1: none does. */
void tni_operations_find_uses(int16_t *last_use, int value_count, const tni_operations *o);

enum { TNI_NO_SLOT = UINT16_MAX };

/* A slot for each made value that is not `placed` elsewhere, beside those that inputs have in
 * slots[0 .. of->value - 1]. A slot is used again as soon as no later operation reads its value;
 * `last_use` is used up. Returns how many slots there are, of which `count` were given away. */
int tni_operations_choose_slots(uint16_t *slots, int count, int16_t *last_use,
                                const tni_operations *o, const tni_steps *of, const bool *placed);

/* n elements of every value: values[v] is where, strides[v] how far apart. */
void tni_operations_run(const tni_operations *o, char *const *values, const int64_t *strides,
                        int64_t n);

#endif
