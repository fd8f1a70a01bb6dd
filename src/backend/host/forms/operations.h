/* The steps of an expression as compiled loops, each of one step or of several: what the form
 * "expression" and bodies run over pieces of their elements. */
#ifndef TNI_HOST_OPERATIONS_H
#define TNI_HOST_OPERATIONS_H

#include "backend/host/loops.h"
#include "backend/host/loops/elementwise/chain_loops.h"
#include "forms/expression.h"

/* It makes `made` values, to[], of `count` values, from[]. Both NULL, loop and chain: a fold of
 * rows. A chain may fold values that it makes, `folds` of them; each fold's result is among to[]
 * where the value would be. */
typedef struct tni_operation {
    tni_loop loop;
    tni_chain_loop chain;
    const struct tni_operation_link *links; /* of a chain, to END */
    const tni_value *from, *to;
    int16_t count, made, folds;
} tni_operation;

/* A tni_chain_op, and its operand: the next argument where it is TNI_IN_ARRAY, else a place. */
enum { TNI_IN_ARRAY = UINT8_MAX };
typedef struct tni_operation_link {
    uint8_t op, place;
} tni_operation_link;

enum {
    TNI_OPERATION_CHAINS = 16, /* that are one operation, at most */
    TNI_OPERATION_FOLDS = 8,
    /* Four of a step that chooses by bools; of a chain of bools seven beside its steps'. */
    TNI_OPERATION_LINKS =
        4 * TNI_EXPRESSION_STEPS + 7 * TNI_OPERATION_CHAINS + TNI_OPERATION_FOLDS + 1,
    TNI_OPERATION_ARGUMENTS = 3 * TNI_EXPRESSION_STEPS + TNI_OPERATION_CHAINS
};

/* It stays where it is, and so do the steps that it was made of. */
typedef struct tni_operations {
    int count;
    int link_count, from_count, to_count;
    tni_operation_link links[11 * TNI_EXPRESSION_STEPS + 1];
    tni_value from[3 * TNI_EXPRESSION_STEPS];
    tni_value to[3 * TNI_EXPRESSION_STEPS]; /* of all steps, then of chains */
    tni_operation list[TNI_EXPRESSION_STEPS];
} tni_operations;

/* An operation for each step. */
tn_status tni_operations_find(tni_operations *o, const tni_steps *of);

/* What one operation of several steps may be. */
typedef struct tni_join {
    const bool *kinds;    /* its values are all of one of two kinds; NULL: there is one */
    const uint8_t *folds; /* what step k, a fold, does in chains is folds[its dtype]; NULL: none */
    uint8_t last;         /* what becomes of the only output; 0: it is stored */
    bool streams;         /* a step that makes an output is a chain, too, which bypasses caches */
} tni_join;

/* Makes one operation of steps that are chains (loops/chain_loops.h). */
void tni_operations_join(tni_operations *o, const tni_steps *of, const tni_join *how);

/* TNI_CHAIN_FOLD_ADD and so on, which folds floats as the operation does; 0: there is none. */
uint8_t tni_operation_fold(tn_op op);

/* last_use[v]: the operation that reads value v last, -1: none does. */
void tni_operations_find_uses(int16_t *last_use, int value_count, const tni_operations *o);

enum { TNI_NO_SLOT = UINT16_MAX };

/* A slot for each made value that is not `placed` elsewhere, beside those that inputs have in
 * slots[0 .. of->value - 1]. A slot is used again as soon as no later operation reads its value;
 * `last_use` is used up. Returns how many slots there are, of which `count` were given away. */
int tni_operations_choose_slots(uint16_t *slots, int count, int16_t *last_use,
                                const tni_operations *o, const tni_steps *of, const bool *placed);

/* n elements of one: at[j] is where its argument j is, by[j] how far apart; inputs, then what it
 * makes. A chain's inputs are contiguous or of stride 0, its results are contiguous, or
 * TNI_STREAMED: so that they bypass the caches, too. In the place of a result that is folded is a
 * tni_lanes, TNI_FOLDED; of another stride it is stored. */
enum { TNI_STREAMED = -1, TNI_FOLDED = -2 };
void tni_operation_run(const tni_operation *operation, char *const *at, const int64_t *by,
                       int64_t n);

/* n elements of every value: values[v] is where, strides[v] how far apart. */
void tni_operations_run(const tni_operations *o, char *const *values, const int64_t *strides,
                        int64_t n);

#endif
