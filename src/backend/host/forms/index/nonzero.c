/* The form "nonzero" on the host: blocks of the mask are counted by several threads, the counts are
 * added up, and blocks write their positions where the sums say. For several axes positions are
 * divided by the sizes, block by block. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/index/indexing.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/mask.h"

enum { COUNT_NS = 200, WRITE_NS = 2000 }; /* of a block of a mask */

typedef struct job {
    const tni_nonzero *call;
    const tni_mask_loops *loops;
} job;

static int64_t block_length(const tni_mask *mask, int64_t block) {
    int64_t left = mask->count - block * TNI_MASK_BLOCK;
    return left < TNI_MASK_BLOCK ? left : TNI_MASK_BLOCK;
}

static void count_blocks(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    const tni_mask *mask = &job->call->mask;
    for (int64_t block = begin; block < end; block++)
        mask->offsets[block + 1] =
            job->loops->count(mask->data + block * TNI_MASK_BLOCK, block_length(mask, block));
}

static void write_positions(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    const tni_mask *mask = &job->call->mask;
    int64_t first = begin * TNI_MASK_BLOCK, last = (end - 1) * TNI_MASK_BLOCK;
    last += block_length(mask, end - 1);
    int64_t *to = job->call->to[0];
    job->loops->positions(to + mask->offsets[begin], to + mask->offsets[end], mask->data + first,
                          last - first, first);
}

static void write_coordinates(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    const tni_nonzero *call = job->call;
    const tni_mask *mask = &call->mask;
    int64_t positions[TNI_MASK_BLOCK], stride = call->to_stride;
    for (int64_t block = begin; block < end; block++) {
        int64_t first = block * TNI_MASK_BLOCK, place = mask->offsets[block];
        int64_t count = mask->offsets[block + 1] - place;
        if (count == 0) continue;
        job->loops->positions(positions, positions + count, mask->data + first,
                              block_length(mask, block), first);
        for (int axis = call->ndim - 1; axis > 0; axis--)
            job->loops->divide(positions, count, call->shape[axis], call->to[axis] + place * stride,
                               stride);
        int64_t *to = call->to[0] + place * stride;
        for (int64_t j = 0; j < count; j++)
            to[j * stride] = positions[j];
    }
}

tn_status tni_host_run_nonzero(void *params) {
    const tni_nonzero *call = params;
    job job = {call, tni_loops_level()->masks};
    int64_t blocks = tni_mask_blocks(call->mask.count), *offsets = call->mask.offsets;
    if (call->is_counting) {
        offsets[0] = 0;
        tni_parallel_units(blocks, COUNT_NS, count_blocks, &job);
        for (int64_t block = 0; block < blocks; block++)
            offsets[block + 1] += offsets[block];
    } else if (call->ndim == 1 && call->to_stride == 1) {
        tni_parallel_units(blocks, WRITE_NS, write_positions, &job);
    } else if (call->ndim > 0) {
        tni_parallel_units(blocks, WRITE_NS, write_coordinates, &job);
    }
    return TN_OK;
}

TNI_HOST_PLAN(nonzero, call->mask.count)
