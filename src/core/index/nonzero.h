/* Masks: how many elements are true, and where.
 *
 * A mask is counted in blocks of TNI_MASK_BLOCK elements in order C; offsets[b] is the number of
 * true elements before block b, and the last offset their total. With it every block knows where in
 * the result its elements go, so blocks are independent. */
#ifndef TNI_NONZERO_H
#define TNI_NONZERO_H

#include "core/array/array.h"

#include <tenorite/index.h>

enum { TNI_MASK_BLOCK = 4096 };

typedef struct tni_mask {
    const unsigned char *data; /* contiguous, order C */
    int64_t count;
    int64_t *offsets; /* on the device: blocks + 1 */
} tni_mask;

static inline int64_t tni_mask_blocks(int64_t count) {
    return (count + TNI_MASK_BLOCK - 1) / TNI_MASK_BLOCK;
}

/* The form "nonzero": first the counts, then, with them, the coordinates. */
typedef struct tni_nonzero {
    tni_mask mask;
    bool is_counting;           /* fill mask.offsets and do nothing else */
    int ndim;                   /* coordinates to write */
    int64_t shape[TN_MAX_NDIM]; /* of the mask */
    int64_t *to[TN_MAX_NDIM];   /* one output per axis, */
    int64_t to_stride;          /* in elements */
} tni_nonzero;

/* A mask that was counted: `data` holds a contiguous mask, `offsets` the counts. */
typedef struct tni_counted {
    tn_array *data;
    tn_buffer *offsets;
    tni_mask mask;
    int64_t total; /* only if it was waited for */
} tni_counted;

/* Counts an array's elements that are not zero. `wait`: for `total` too. */
tn_status tni_counted_init(tni_counted *counted, const tn_array *array, bool wait,
                           tn_stream *stream);
void tni_counted_deinit(tni_counted *counted);

/* The coordinates along all axes (outputs of ndim arrays), or one array of flat indexes. */
tn_status tni_nonzero_flat(tn_array **result, const tn_array *array, tn_stream *stream);

#endif
