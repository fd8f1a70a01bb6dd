/* Inner loops of images: what one instruction-set level offers, by the dtype that is computed in.
 *
 * Rows of a box lie in scratch memory. `from` is the first element of the first output's window,
 * and offsets (in elements) lead from it to the others. Loops work on whole blocks: what they read
 * and write has TNI_IMAGE_SLACK bytes more than the n elements that are asked for. */
#ifndef TNI_IMAGE_LOOPS_H
#define TNI_IMAGE_LOOPS_H

#include "forms/network.h"

#include <tenorite/dtype.h>

enum { TNI_IMAGE_SLACK = 512, TNI_RANK_BLOCK = 256 /* bytes of a wire */ };

/* Of f32 and of f64. */
typedef struct tni_sum_loops {
    /* to[i] = sum over k of from[offsets[k] + i] * weights[k]; weights NULL: all 1. */
    void (*sum)(void *to, const void *from, const int64_t *offsets, const void *weights,
                int64_t count, int64_t n);
    /* The same of an odd number of weights that are mirrored, with this sign: first the middle one,
     * then pairs from the ends on, which is SciPy's order. */
    void (*pairs)(void *to, const void *from, const int64_t *offsets, const void *weights,
                  int64_t count, int sign, int64_t n);
    void (*add)(void *to, const void *a, const void *b, int64_t n); /* `to` may be a */
    void (*divide)(void *to, double divisor, int64_t n);
} tni_sum_loops;

/* Of b8, integers, f32 and f64. */
typedef struct tni_order_loops {
    /* to[i] = the least of from[offsets[k] + i] - weights[k], the largest of those plus weights[k];
     * weights NULL: all 0 (others only of f32 and f64). */
    void (*least)(void *to, const void *from, const int64_t *offsets, const void *weights,
                  int64_t count, int64_t n);
    void (*most)(void *to, const void *from, const int64_t *offsets, const void *weights,
                 int64_t count, int64_t n);
    /* to[i] = one of a[i] and b[i]; `to` may be a. */
    void (*lesser)(void *to, const void *a, const void *b, int64_t n);
    void (*larger)(void *to, const void *a, const void *b, int64_t n);
    /* Wire k of a network is from[offsets[k] + i], and to[i] what the network finds. `room` has
     * TNI_RANK_BLOCK bytes for each of the `count` wires. */
    void (*find)(void *to, const void *from, const int64_t *offsets, int64_t count,
                 const tni_network *network, void *room, int64_t n);
    /* Wire k is from[k * line + i]: to[r * line + i] = the value of rank r, on wire order[r]. */
    void (*sort)(void *to, const void *from, int64_t line, int64_t count,
                 const tni_network *network, const uint8_t *order, void *room, int64_t n);
    /* The value of a rank, searched for each output; `room` has `count` elements. */
    void (*select)(void *to, const void *from, const int64_t *offsets, int64_t count, int64_t rank,
                   void *room, int64_t n);
    /* The same where a window is `width` columns of `height` places each: offsets lead to those of
     * the first column. What it holds stays sorted from one output to the next; NaN comes last, or
     * first if its sign is negative. `room` has height * width elements. */
    void (*follow)(void *to, const void *from, const int64_t *offsets, int64_t height,
                   int64_t width, int64_t rank, void *room, int64_t n);
} tni_order_loops;

#endif
