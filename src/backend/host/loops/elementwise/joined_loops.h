/* Two operations in one pass: what the interpreter of expressions (forms/expression.c) makes of an
 * operation whose result one other operation alone reads. */
#ifndef TNI_JOINED_LOOPS_H
#define TNI_JOINED_LOOPS_H

#include "backend/host/loops.h"

/* The operations that have pairs. */
enum {
    TNI_JOINED_ADD,
    TNI_JOINED_SUBTRACT,
    TNI_JOINED_MULTIPLY,
    TNI_JOINED_DIVIDE,
    TNI_JOINED_OPS
};

/* By the first operation, the second one, whether the first result is the right operand of the
 * second, and whether the square root of the second result is taken. Arguments are those of the
 * first, the other one of the second, and the result. Inputs are contiguous or of stride 0, the
 * result is contiguous. The bits are those of two or three passes, except for
 * which NaN it is. */
typedef tni_loop tni_joined_loops[TNI_JOINED_OPS][TNI_JOINED_OPS][2][2];

#endif
