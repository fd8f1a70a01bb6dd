/* Inner loops of reductions: what one instruction-set level offers.
 *
 * A fold turns elements of type X (dtype `input`) into partial results of type W (dtype
 * `accumulator`) in pieces called leaves; the forms in backend/host combine the leaves' results as
 * a tree. Leaves are contiguous along the reduced axis (rows) or along a kept one (columns).
 * Nothing here depends on alignment beyond the element's own, nor on where a leaf lies in the
 * array. */
#ifndef TNI_REDUCE_LOOPS_H
#define TNI_REDUCE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TNI_LEAF = 1024,      /* most elements of a leaf of rows */
    TNI_LONG_LEAF = 4096, /* the same of integers and bools that are folded as what they are */
    TNI_LEAF_ROWS = 32,   /* most rows of a leaf of columns */
    TNI_LANE_BYTES = 128, /* of the running values of a row of floats */
    TNI_SHORT_ROW = 128,  /* elements of a row of floats that is too short for so many */
};

/* The running values of a row of floats that is no short one: of element i, value number i modulo
 * their count, for as many elements as are a multiple of it. Those that are left. */
typedef struct tni_lanes {
    _Alignas(64) char running[TNI_LANE_BYTES];
    char rest[TNI_LANE_BYTES];
} tni_lanes;

typedef struct tni_fold {
    short op, input, accumulator;
    short work_bytes; /* of a W */
    /* out[r] = fold of the n elements at x + r * stride, 1 <= n <= TNI_LEAF (TNI_LONG_LEAF; b8:
     * any); `initial` (NULL: none) comes before them. */
    void (*rows)(void *out, const char *x, int64_t count, int64_t stride, int64_t n,
                 const void *initial);
    /* out[j] = fold of x[0][j] .. x[count - 1][j], j < n; row r at x + r * stride, count >= 1. */
    void (*columns)(void *out, const char *x, int64_t count, int64_t stride, int64_t n);
    /* earlier[j] = earlier[j] op later[j]. */
    void (*merge)(void *earlier, const void *later, int64_t n);
    /* out = fold of a row of n >= TNI_SHORT_ROW elements that `lanes` has taken in; `lanes` is used
     * up. NULL: the fold has no running values. */
    void (*close)(void *out, tni_lanes *lanes, int64_t n);
} tni_fold;

/* The second moment of n elements: their mean, and the sum of squared distances from it; their sum,
 * which gives a better mean where there are infinities. Its tni_fold has op add, input and
 * accumulator f32 or f64, and this as W. `initial` is not looked at. */
typedef struct tni_moment {
    double count, mean, squares, sum;
} tni_moment;

typedef struct tni_reduce_loops {
    const tni_fold *const *folds; /* lists that end with op -1, NULL-ended; the moments are apart */
    /* Of f32 and of f64: of all elements; of those that are not NaN. */
    tni_fold moments[2], number_moments[2];
    /* As rows and columns of a moment, of elements whose byte in `marks` is not 0. Rows follow each
     * other without a gap, in x and in marks. */
    void (*marked_rows[2])(void *out, const char *x, const uint8_t *marks, int64_t count,
                           int64_t n);
    void (*marked_columns[2])(void *out, const char *x, const uint8_t *marks, int64_t count,
                              int64_t n);
} tni_reduce_loops;

/* Positions of extremes; see reduce_positions.c. */
typedef struct tni_position_loops {
    short op, dtype;
    /* The first position of the extreme of n elements. */
    int64_t (*find)(const char *x, int64_t n);
    /* The same where the extreme is known: the first place of `value` (of NaN, if it is one); n
     * where it is not there. */
    int64_t (*locate)(const char *x, int64_t n, const char *value);
    /* For each j: if x[j] beats best[j], best[j] = x[j] and position[j] = row. */
    void (*update)(char *best, int64_t *position, const char *x, int64_t n, int64_t row);
} tni_position_loops;

/* out[i] = base op (offset op (x[0] op ... op x[i])), the innermost computed first, and total the
 * last of those; or, of an ordered one, from left to right after offset, base not looked at, and
 * total the last out. `offset` and `base` may be NULL, and so may `out` of one that is not ordered.
 * 1 <= n <= TNI_SCAN_BLOCK, whose parts (reduce_scans.c) do not begin 4096 bytes apart. */
enum { TNI_SCAN_BLOCK = 2112 };
typedef struct tni_scan_loops {
    short op, dtype;
    bool is_ordered;
    void (*scan)(char *out, const char *x, int64_t n, const void *offset, const void *base,
                 void *total);
} tni_scan_loops;

#endif
