/* Chains: operations of which each alone reads what the one before it made, and several chains of
 * which some read what others make, in one pass over their operands (forms/operations.c makes
 * them). What is between two operations stays in registers, what is between two chains in places
 * for the few elements that are computed at a time. */
#ifndef TNI_CHAIN_LOOPS_H
#define TNI_CHAIN_LOOPS_H

#include "backend/host/loops/reduce/reduce_loops.h"

/* Operations of the value a so far and of an operand b, by their names in chain.def. */
typedef enum tni_chain_op {
    TNI_CHAIN_NONE,
#define PAIR(name, K, text) TNI_CHAIN_##name,
#define SHIFT(name, many, one) TNI_CHAIN_##name,
#define ALONE(name, K, text) TNI_CHAIN_##name,
#include "backend/host/loops/elementwise/chain.def"
    TNI_CHAIN_BEGIN,        /* a is b */
    TNI_CHAIN_SELECT,       /* b is a mask: a where it is, else the b of the link after it */
    TNI_CHAIN_SELECT_OTHER, /* the same, a where it is not */
    TNI_CHAIN_EXPAND,       /* b is of bools, of which the link after it gets masks */
    TNI_CHAIN_OTHER,        /* the second of such two */
    TNI_CHAIN_STORE,        /* b is a; also without keeping it in the caches (loops.h) */
    TNI_CHAIN_STREAM,
    TNI_CHAIN_NARROW, /* b is of bools, made of the masks of the link after it */
#define FOLD(name, text) TNI_CHAIN_FOLD_##name, /* b is a tni_lanes, which takes in a */
#include "backend/host/loops/elementwise/chain.def"
    TNI_CHAIN_END,
    TNI_CHAIN_SQUARE_ADD, /* a SQUARE and the ADD after it, whose link follows */
    TNI_CHAIN_SCALE_ADD,  /* the same of a MULTIPLY by a NUMBER */
    TNI_CHAIN_OPS
} tni_chain_op;

/* What b is: elements, or one number for all. Of a SELECT: what the OTHER after it is. */
typedef enum tni_chain_kind { TNI_CHAIN_MEMORY, TNI_CHAIN_NUMBER, TNI_CHAIN_KINDS } tni_chain_kind;

typedef struct tni_link {
    char *operand;
    int code;  /* op * TNI_CHAIN_KINDS + kind */
    int walks; /* -1: an array; 0: a place, or a number */
} tni_link;

enum { TNI_CHAIN_PLACE_BYTES = 12 * 64 }; /* aligned to a vector */

/* Of which elements there are chains; integers with and without a sign are alike. */
typedef enum tni_chain_type {
    TNI_CHAIN_F32,
    TNI_CHAIN_F64,
    TNI_CHAIN_I32,
    TNI_CHAIN_I64,
    TNI_CHAIN_TYPES
} tni_chain_type;

/* What the links make, for element 0 <= i < count of the arrays. A chain is a BEGIN, operations and
 * STOREs; END comes last. Arrays are contiguous. One that is stored to coincides with arrays that
 * no later link reads, or overlaps none. The bits are those of one loop for each operation, except
 * for which NaN it is. */
typedef void (*tni_chain_loop)(const tni_link *links, int64_t count);

#endif
