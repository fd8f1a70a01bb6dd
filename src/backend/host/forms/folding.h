/* What the host's reducing forms share: the plan of a fold, walks over axes, the stage.
 *
 * A reduction is a tree. Its leaves are pieces of up to TNI_LEAF elements (or TNI_LEAF_ROWS rows of
 * columns) that one kernel folds; neighbours are merged, then pairs of neighbours, and so on. The
 * tree depends on the shape alone, so threads may share the work out in any way and the bits are
 * the same. */
#ifndef TNI_HOST_FOLDING_H
#define TNI_HOST_FOLDING_H

#include "backend/host/host.h"
#include "backend/host/loops.h"
#include "backend/host/loops/reduce_loops.h"
#include "core/rules/reduce_table.h"
#include "ops/types.h"

#include <tenorite/linalg.h>

/* Slots of tni_scratch: forms of this family use these and no others. */
enum { TNI_SLOT_STAGE, TNI_SLOT_PARTS, TNI_SLOT_SEGMENTS, TNI_SLOT_RESULTS };

/* How one reduction is carried out. */
typedef struct tni_folding {
    const tni_reduce *call;
    const tni_fold *fold;
    const tni_fold *again; /* folds partial results like elements; NULL: only merging does */
    const tni_reduce_loops *loops;
    tni_loop convert;      /* input -> fold->input; NULL: they are the same */
    tni_loop gather;       /* brings elements of the array together; NULL: `convert` does */
    const void *initial;   /* comes before the first element; NULL: nothing */
    int64_t item, x, work; /* bytes of an element of the array, of an X, of a W */
    int64_t leaf;          /* elements of a leaf of rows, at most; more where grouping is free */
    bool is_moment;
    bool drops;    /* elements are dropped on their way into the stage */
    bool staged;   /* leaves are loaded before they are folded */
    bool is_final; /* partial results are elements of the output as they are */
    int stop;      /* a truth that decides a fold of truths; -1: none */
    _Alignas(16) unsigned char neutral[16]; /* X; stands for an element that is dropped */
} tni_folding;

/* The fold of up to TNI_LEAF partial results that follow each other. */
void tni_fold_batch(const tni_folding *folding, void *result, void *parts, int64_t count);

/* Merges `count` partial results (`bytes` apart, n of W each) as a tree into the first. */
void tni_fold_tree(const tni_fold *fold, void *parts, int64_t count, int64_t bytes, int64_t n);

/* --- Walks (folding.c): the positions of some axes in C order, as byte offsets of two operands.
 * --- */

typedef struct tni_walk {
    int ndim;
    const int64_t *shape, *strides[2];
    int64_t offsets[2];
    int64_t index[TN_MAX_NDIM];
} tni_walk;

/* Strides of the second operand may be NULL. */
void tni_walk_start(tni_walk *walk, int ndim, const int64_t *shape, const int64_t *first,
                    const int64_t *second, int64_t position);
void tni_walk_next(tni_walk *walk);

/* Loads n elements as X (to_stride: bytes between them): converted, dropped ones made neutral
 * unless a moment is taken, which counts them out by marks. */
void tni_stage_run(const tni_folding *folding, char *to, int64_t to_stride, const char *input,
                   int64_t input_stride, const char *mask, int64_t mask_stride, int64_t n);

/* marks[i] = whether loaded element i (contiguous) takes part. */
void tni_stage_mark(const tni_folding *folding, uint8_t *marks, const char *stage, const char *mask,
                    int64_t mask_stride, int64_t n);

/* --- Axes --- */

static inline int64_t tni_magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

/* Whether a kept axis of the input belongs outside another: it is slower, or all elements along it are
 * the same. Core has kept axes as the output lies. */
static inline bool tni_is_outside(int64_t outer, int64_t inner) {
    return outer == 0 || (inner != 0 && tni_magnitude(outer) >= tni_magnitude(inner));
}

/* Exchanges values[at] with the one before. */
static inline void tni_swap(int64_t *values, int at) {
    int64_t value = values[at];
    values[at] = values[at - 1];
    values[at - 1] = value;
}

/* Whether the kept axes stand as the input lies in memory, the fastest last. */
static inline bool tni_axes_are_sorted(int ndim, const int64_t *input) {
    for (int axis = 1; axis < ndim; axis++)
        if (!tni_is_outside(input[axis - 1], input[axis])) return false;
    return true;
}

/* Sorts them so; lists[0] has the input's strides, the others (NULL: none) go along. */
static inline void tni_axes_sort(int ndim, int count, int64_t *const *lists) {
    for (int axis = 1; axis < ndim; axis++)
        for (int at = axis; at > 0 && !tni_is_outside(lists[0][at - 1], lists[0][at]); at--)
            for (int k = 0; k < count; k++)
                if (lists[k]) tni_swap(lists[k], at);
}

#endif
