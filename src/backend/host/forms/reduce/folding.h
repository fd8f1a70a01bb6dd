/* What the host's reducing forms share: the plan of a fold, and the stage.
 *
 * A reduction is a tree. Its leaves are pieces of up to TNI_LEAF elements (or TNI_LEAF_ROWS rows of
 * columns) that one kernel folds; neighbours are merged, then pairs of neighbours, and so on. The
 * tree depends on the shape alone, so threads may share the work out in any way and the bits are
 * the same. */
#ifndef TNI_HOST_FOLDING_H
#define TNI_HOST_FOLDING_H

#include "backend/host/forms/walk.h"
#include "backend/host/loops.h"
#include "backend/host/loops/reduce/reduce_loops.h"
#include "backend/host/table.h"
#include "core/rules/reduce_table.h"
#include "ops/types.h"

/* Slots of tni_scratch: forms of this family use these and no others. */
enum { TNI_SLOT_STAGE, TNI_SLOT_PARTS, TNI_SLOT_SEGMENTS, TNI_SLOT_RESULTS, TNI_SLOT_ROWS };

/* How one reduction is carried out. */
typedef struct tni_folding {
    const tni_reduce *call;
    const tni_fold *fold;
    const tni_fold *again; /* folds partial results like elements; NULL: only merging does */
    const tni_reduce_loops *loops;
    const struct tni_body_program *program; /* of the call's body, where there is one */
    tni_loop convert;                       /* input -> fold->input; NULL: they are the same */
    tni_loop gather;       /* brings elements of the array together; NULL: `convert` does */
    const void *initial;   /* comes before the first element; NULL: nothing */
    int64_t item, x, work; /* bytes of an element of the array, of an X, of a W */
    int64_t leaf;          /* elements of a leaf of rows, at most; more where grouping is free */
    bool is_moment;
    bool drops;  /* elements are dropped on their way into the stage */
    bool staged; /* elements are not what the kernels read; the tree depends on it */
    /* Kernels can't read the elements where they lie, but the tree does not depend on that: a body
     * makes them, or they lie at any address. */
    bool is_mapped, is_unaligned;
    bool is_final; /* partial results are elements of the output as they are */
    int stop;      /* a truth that decides a fold of truths; -1: none */
    _Alignas(16) unsigned char neutral[16]; /* X; stands for an element that is dropped */
} tni_folding;

/* How a call that is not ordered is carried out; false: its operation has no tree (reduce.c). */
bool tni_folding_plan(tni_folding *folding, const tni_reduce *call);

/* The fold of up to TNI_LEAF partial results that follow each other. */
void tni_fold_batch(const tni_folding *folding, void *result, void *parts, int64_t count);

/* Lanes that have taken in nothing yet, of a fold that has some. */
void tni_fold_begin_lanes(const tni_folding *folding, tni_lanes *lanes);

/* initial op value, in place, where the call has an initial value. */
void tni_fold_begin(const tni_folding *folding, void *value);

/* Merges `count` partial results (`bytes` apart, n of W each) as a tree into the first. */
void tni_fold_tree(const tni_fold *fold, void *parts, int64_t count, int64_t bytes, int64_t n);

/* Loads n elements as X (to_stride: bytes between them): converted, dropped ones made neutral
 * unless a moment is taken, which counts them out by marks. */
void tni_stage_run(const tni_folding *folding, char *to, int64_t to_stride, const char *input,
                   int64_t input_stride, const char *mask, int64_t mask_stride, int64_t n);

/* marks[i] = whether loaded element i (contiguous) takes part. */
void tni_stage_mark(const tni_folding *folding, uint8_t *marks, const char *stage, const char *mask,
                    int64_t mask_stride, int64_t n);

/* Partial results of outputs along one kept axis become elements of the output. */
void tni_folding_finish(const tni_folding *folding, void *parts, int64_t count, char *output,
                        int64_t output_stride);
/* Of an operation on truths: the one that decides, which nothing changes any more; -1: none. */
int tni_deciding_truth(tn_op op);

#endif
