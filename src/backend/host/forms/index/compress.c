/* The forms "compress" and "expand" on the host.
 *
 * Threads take blocks of the mask; the counts say where in the result a block begins, so blocks are
 * independent and every element is looked at once. The array is met row by row of its last axis; a
 * contiguous one is a single row. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/index/indexing.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/mask.h"

enum { BLOCK_NS = 2000 }; /* of a block of a mask */

/* A place in an array in order C, and how far the row goes on from there. */
typedef struct cursor {
    int ndim;
    const int64_t *shape, *strides;
    int64_t at[TN_MAX_NDIM];
    char *address;
    int64_t left, stride;
} cursor;

static void cursor_init(cursor *c, char *base, int ndim, const int64_t *shape,
                        const int64_t *strides, int64_t position) {
    c->ndim = ndim;
    c->shape = shape;
    c->strides = strides;
    c->address = base;
    for (int axis = ndim - 1; axis >= 0; axis--) {
        c->at[axis] = axis ? position % shape[axis] : position;
        position = axis ? position / shape[axis] : 0;
        c->address += c->at[axis] * strides[axis];
    }
    c->left = ndim ? shape[ndim - 1] - c->at[ndim - 1] : 1;
    c->stride = ndim ? strides[ndim - 1] : 0;
}

/* To the beginning of the next row. */
static void cursor_next(cursor *c) {
    int axis = c->ndim - 1;
    if (axis < 0) return;
    c->address -= c->at[axis] * c->strides[axis];
    c->at[axis] = 0;
    c->left = c->shape[axis];
    while (--axis >= 0) {
        c->address += c->strides[axis];
        if (++c->at[axis] < c->shape[axis]) return;
        c->address -= c->at[axis] * c->strides[axis];
        c->at[axis] = 0;
    }
}

/* Elements of blocks [begin, end). */
static void block_bounds(const tni_mask *mask, int64_t begin, int64_t end, int64_t *first,
                         int64_t *last) {
    *first = begin * TNI_MASK_BLOCK;
    *last = end * TNI_MASK_BLOCK < mask->count ? end * TNI_MASK_BLOCK : mask->count;
}

static void compress_blocks(void *context, int64_t begin, int64_t end) {
    const tni_compress *call = context;
    const tni_mask *mask = &call->mask;
    const int class = tni_item_class(call->item_bytes);
    char *(*loop)(char *, char *, const char *, int64_t, const unsigned char *, int64_t) =
        tni_loops_level()->masks->compress[class];
    char *to = call->to + mask->offsets[begin] * call->item_bytes;
    char *stop = call->to + mask->offsets[end] * call->item_bytes;
    int64_t at, last;
    block_bounds(mask, begin, end, &at, &last);
    cursor c;
    cursor_init(&c, (char *)call->from, call->ndim, call->shape, call->strides, at);
    while (to < stop) {
        int64_t count = last - at < c.left ? last - at : c.left;
        to = loop(to, stop, c.address, c.stride, mask->data + at, count);
        at += count;
        cursor_next(&c);
    }
}

static void expand_blocks(void *context, int64_t begin, int64_t end) {
    const tni_expand *call = context;
    const tni_mask *mask = &call->mask;
    const int class = tni_item_class(call->item_bytes);
    const tni_mask_loops *loops = tni_loops_level()->masks;
    const char *values = call->values ? call->values : (const char *)call->value;
    if (call->values_stride) values += mask->offsets[begin] * call->values_stride;
    int64_t at, last;
    block_bounds(mask, begin, end, &at, &last);
    cursor c;
    cursor_init(&c, call->to, call->ndim, call->shape, call->strides, at);
    while (at < last) {
        int64_t count = last - at < c.left ? last - at : c.left;
        if (call->values_stride)
            values = loops->expand[class](c.address, c.stride, mask->data + at, count, values,
                                          call->values_stride);
        else
            loops->expand_one[class](c.address, c.stride, mask->data + at, count, values);
        at += count;
        cursor_next(&c);
    }
}

tn_status tni_host_run_compress(void *params) {
    const tni_compress *call = params;
    tni_parallel_units(tni_mask_blocks(call->mask.count), BLOCK_NS, compress_blocks, params);
    return TN_OK;
}

tn_status tni_host_run_expand(void *params) {
    const tni_expand *call = params;
    tni_parallel_units(tni_mask_blocks(call->mask.count), BLOCK_NS, expand_blocks, params);
    return TN_OK;
}

TNI_HOST_PLAN(compress, call->mask.count)

TNI_HOST_PLAN(expand, call->mask.count)
