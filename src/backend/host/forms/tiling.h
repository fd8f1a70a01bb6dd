/* How an element-wise call is cut into tiles, and how a tile reaches each argument. */
#ifndef TNI_HOST_TILING_H
#define TNI_HOST_TILING_H

#include "backend/host/loops.h"
#include "forms/elementwise.h"

enum { TNI_MAX_ARGUMENTS = TN_MAX_OPERANDS + 1 };

/* Where it lies; or through a stage: converted, transposed, one row repeated, or (an output)
 * written past the caches. */
typedef enum tni_way {
    TNI_DIRECT,
    TNI_CONVERTED,
    TNI_TRANSPOSED,
    TNI_REPEATED,
    TNI_STREAMED
} tni_way;

/* An argument as tiles use it. */
typedef struct tni_part {
    tni_way how;
    char *data;          /* NULL: the scalar in `value` */
    int64_t row, column; /* strides of the two fastest axes */
    int64_t size, loop_size;
    int64_t stage;     /* where its stage lies among a thread's */
    bool is_unaligned; /* its elements are computed on and lie at any address */
    tni_loop move;     /* of what is unaligned and not only loaded: to and from the spare stage */
    /* Storage to loop for inputs, loop to storage for outputs; spreads the value of fills. */
    tni_loop convert;
    tni_loop choose; /* with a mask, of an output: the move */
} tni_part;

typedef struct tni_tiling {
    tni_elementwise call; /* of its arguments only those that are there */
    tni_loop loop;
    tni_part parts[TNI_MAX_ARGUMENTS];
    int count, operands, outer_ndim; /* operands: all arguments but the mask */
    int loads, stores;               /* inputs converted, outputs staged: */
    int load[TNI_MAX_ARGUMENTS], store[TNI_MAX_ARGUMENTS];
    bool is_staged;           /* an argument goes through a stage */
    bool bypasses_cache;      /* outputs are more than the caches hold, and are written past them */
    bool merges_rows;         /* the rows of a tile are one */
    bool repeats_value;       /* a copy of one value a row */
    bool transposes_in_place; /* a transposed copy that needs no stage */
    bool merges_tiles;        /* tiles beside each other may run as one */
    int64_t rows, columns;    /* of the two fastest axes (rows 1 below two axes) */
    int64_t tile_rows, tile_columns;
    int64_t piece; /* columns that go through the stages at a time */
    int64_t row_tiles, column_tiles, tiles;
    int64_t stage_bytes; /* of all stages */
    int64_t spare;       /* where what was transposed or lay unaligned waits to be converted */
} tni_tiling;

static inline bool tni_tiling_is_output(const tni_tiling *tiling, int k) {
    return k >= tiling->call.input_count && k < tiling->operands;
}

/* Whether elements are moved, not computed on. */
bool tni_call_is_move(const tni_elementwise *call);
/* Whether the answer is one for all elements, which the loop does not read. */
bool tni_call_is_blind(const tni_elementwise *call);

/* Cuts a call that is not empty. */
tn_status tni_tiling_make(tni_tiling *result, const tni_elementwise *call);

#endif
