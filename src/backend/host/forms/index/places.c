/* The form "places" on the host: blocks of places are split among threads; a block is made in
 * the cache, index array by index array, and element by element again where an index is out of
 * bounds. What is taken is moved from a block's places. */
#include "forms/places.h"
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/table.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { BLOCK = 512, FAR_BYTES = 1 << 20 /* an array this large is not in the cache */ };

typedef struct job {
    const tni_places *call;
    atomic_bool is_bad;
    /* Of what is taken: */
    int class;
    bool is_far; /* most items are not in the cache */
} job;

static int64_t read(const char *from) {
    return *(const int64_t *)(const void *)from;
}

static bool is_outside(int64_t index, int64_t size) {
    return index < -size || index >= size;
}

/* The byte offsets of the element at linear index `at`, and how many follow each other along the
 * last axis. */
static int64_t seek(const tni_places *call, int64_t at, int64_t *offsets) {
    int64_t left = 1;
    for (int k = 0; k < call->count; k++)
        offsets[k] = 0;
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        int64_t position = at % call->shape[axis];
        at /= call->shape[axis];
        if (axis == call->ndim - 1) left = call->shape[axis] - position;
        for (int k = 0; k < call->count; k++)
            offsets[k] += position * call->strides[k][axis];
    }
    return left;
}

/* Whether an index is out of bounds. Of one stride that compilers know. */
static inline bool add_indices(int64_t *sums, const char *from, int64_t stride, int64_t count,
                               int64_t size, int64_t step) {
    bool is_bad = false;
    for (int64_t i = 0; i < count; i++) {
        int64_t index = read(from + i * stride);
        index += index < 0 ? size : 0;
        is_bad |= (uint64_t)index >= (uint64_t)size;
        sums[i] += (int64_t)((uint64_t)index * (uint64_t)step);
    }
    return is_bad;
}

static void mark_outside(const tni_places *call, int64_t at, int64_t count) {
    for (int64_t i = at; i < at + count; i++) {
        int64_t offsets[TNI_PLACES_INDICES];
        (void)seek(call, i, offsets);
        for (int k = 0; k < call->count; k++)
            if (is_outside(read(call->indices[k] + offsets[k]), call->sizes[k]))
                call->places[i] = call->outside;
    }
}

static void choose_loops(job *job) {
    const tni_places *call = job->call;
    int64_t span = 0;
    for (int k = 0; k < call->count; k++)
        span += call->sizes[k] * llabs(call->steps[k]);
    job->class = tni_item_class(call->item_bytes);
    job->is_far = span >= FAR_BYTES && tni_loops_level()->moves->gather_far[job->class];
}

static void take(const job *job, int64_t at, const int64_t *places, int64_t count) {
    const tni_places *call = job->call;
    const tni_move_loops *loops = tni_loops_level()->moves;
    char *to = call->dense + at * call->item_bytes;
    if (job->is_far)
        loops->gather_far[job->class](to, call->array, places, count);
    else
        loops->gather[job->class](to, call->item_bytes, call->array, places, count);
}

/* A run of at most BLOCK places. */
static bool make_run(const job *job, int64_t at, const int64_t *offsets, int64_t count) {
    const tni_places *call = job->call;
    int64_t sums[BLOCK], *places = call->places + at;
    bool is_bad = false;
    for (int64_t i = 0; i < count; i++)
        sums[i] = call->origin + (call->adds ? places[i] : 0);
    for (int k = 0; k < call->count; k++) {
        int64_t stride = call->ndim ? call->strides[k][call->ndim - 1] : 0;
        const char *from = call->indices[k] + offsets[k];
        is_bad |= stride == 8
                      ? add_indices(sums, from, 8, count, call->sizes[k], call->steps[k])
                      : add_indices(sums, from, stride, count, call->sizes[k], call->steps[k]);
    }
    if (call->dense) {
        if (!is_bad) take(job, at, sums, count);
        return !is_bad;
    }
    for (int64_t i = 0; i < count; i++)
        places[i] = call->adds && places[i] == call->outside ? call->outside : sums[i];
    if (is_bad) mark_outside(call, at, count);
    return !is_bad;
}

static void make_range(void *context, int64_t begin, int64_t end) {
    job *job = context;
    int64_t offsets[TNI_PLACES_INDICES];
    while (begin < end) {
        int64_t count = seek(job->call, begin, offsets);
        if (count > BLOCK) count = BLOCK;
        if (count > end - begin) count = end - begin;
        if (!make_run(job, begin, offsets, count))
            atomic_store_explicit(&job->is_bad, true, memory_order_relaxed);
        begin += count;
    }
}

/* The first index out of bounds, of the first array that has one. */
static tn_status fail(const tni_places *call, int64_t total) {
    for (int k = 0; k < call->count; k++)
        for (int64_t at = 0; at < total; at++) {
            int64_t offsets[TNI_PLACES_INDICES];
            (void)seek(call, at, offsets);
            int64_t index = read(call->indices[k] + offsets[k]);
            if (is_outside(index, call->sizes[k]))
                TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
                         (long long)index, (long long)call->axes[k], (long long)call->sizes[k]);
        }
    TNI_FAIL(TN_ERROR_INDEX, "an index is out of bounds");
}

static int64_t count_places(const tni_places *call) {
    int64_t total = 1;
    for (int axis = 0; axis < call->ndim; axis++)
        total *= call->shape[axis];
    return total;
}

tn_status tni_host_run_places(void *params) {
    const tni_places *call = params;
    job job = {.call = call};
    int64_t total = count_places(call);
    if (call->dense) choose_loops(&job);
    tni_parallel_units(total, job.is_far ? 6 : 2, make_range, &job);
    return atomic_load(&job.is_bad) ? fail(call, total) : TN_OK;
}

TNI_HOST_PLAN(places, count_places(call) * call->count)
