/* Chains: operations of which each alone reads what the one before it made, and several chains of
 * which some read what others make, in one pass over their operands (forms/operations.c makes
 * them). What is between two operations stays in registers, what is between two chains in places
 * for the few elements that are computed at a time. */
#ifndef TNI_CHAIN_LOOPS_H
#define TNI_CHAIN_LOOPS_H

#include "backend/host/loops/reduce/reduce_loops.h"

/* What an operation makes of the value a so far and of an operand b. */
typedef enum tni_chain_op {
    TNI_CHAIN_ADD,
    TNI_CHAIN_SUBTRACT,
    TNI_CHAIN_SUBTRACT_FROM, /* b - a */
    TNI_CHAIN_MULTIPLY,
    TNI_CHAIN_DIVIDE,
    TNI_CHAIN_DIVIDE_INTO, /* b / a */
    TNI_CHAIN_SQRT,        /* of a alone, as the next two */
    TNI_CHAIN_NEGATE,
    TNI_CHAIN_ABSOLUTE,
    TNI_CHAIN_BEGIN, /* a is b */
    TNI_CHAIN_STORE, /* b is a; both also without keeping it in the caches (loops.h) */
    TNI_CHAIN_STREAM,
    TNI_CHAIN_FOLD_ADD, /* b is a tni_lanes, which takes in a; and so on */
    TNI_CHAIN_FOLD_MULTIPLY,
    TNI_CHAIN_FOLD_MAXIMUM,
    TNI_CHAIN_FOLD_MINIMUM,
    TNI_CHAIN_FOLD_FMAX,
    TNI_CHAIN_FOLD_FMIN,
    TNI_CHAIN_END,
    TNI_CHAIN_SQUARE_ADD, /* a MULTIPLY by itself and the ADD after it, whose link follows */
    TNI_CHAIN_SCALE_ADD,  /* the same of a MULTIPLY by a NUMBER */
    TNI_CHAIN_OPS
} tni_chain_op;

/* What b is: an array's element, one number for all elements, a, or an element of a place. */
typedef enum tni_chain_kind {
    TNI_CHAIN_ARRAY,
    TNI_CHAIN_NUMBER,
    TNI_CHAIN_SELF,
    TNI_CHAIN_PLACE,
    TNI_CHAIN_KINDS
} tni_chain_kind;

typedef struct tni_link {
    char *operand;
    int code; /* op * TNI_CHAIN_KINDS + kind */
} tni_link;

enum { TNI_CHAIN_PLACE_BYTES = 12 * 64 }; /* aligned to a vector */

/* What the links make, for element 0 <= i < count of the arrays. A chain is a BEGIN, operations and
 * STOREs; END comes last. Arrays are contiguous. One that is stored to coincides with arrays that
 * no later link reads, or overlaps none. The bits are those of one loop for each operation, except
 * for which NaN it is. */
typedef void (*tni_chain_loop)(const tni_link *links, int64_t count);

#endif
