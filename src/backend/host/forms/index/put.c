/* The form "put" on the host.
 *
 * Of equal indices the last must win, whatever the number of threads; so indices are never split.
 * Threads share the outer positions or, if there is one, the bytes of a long run; single items are
 * put by one thread. One value for long runs is repeated in a block first, which is put in their
 * stead piece by piece. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/index/indexing.h"
#include "backend/host/threads.h"
#include "forms/indexing.h"

#include <string.h>

enum { PIECE_BYTES = 4096, GRAIN_BYTES = 65536 };

typedef struct job {
    tni_index_walk walk;
    int class;         /* of a run that is an item; -1: runs */
    const char *value; /* repeated: runs of it are put; NULL: values come from the dense array */
} job;

/* Bytes [first, last) of the runs at one outer position. */
static void put_row(const job *job, int64_t outer, int64_t first, int64_t last) {
    const tni_index_walk *walk = &job->walk;
    int64_t stride = walk->form->dense_stride, end = walk->form->index_count;
    int64_t block[TNI_INDEX_BLOCK];
    char *array, *dense;
    tni_index_walk_seek(walk, outer, &array, &dense);
    for (int64_t at = 0; at < end; at += TNI_INDEX_BLOCK) {
        int64_t count = end - at < TNI_INDEX_BLOCK ? end - at : TNI_INDEX_BLOCK;
        const int64_t *offsets = tni_index_walk_offsets(walk, at, count, block);
        const char *from = job->value ? job->value : dense + at * stride + first;
        if (job->class >= 0)
            walk->loops->scatter[job->class](array, offsets, from, stride, count);
        else if (!job->value)
            walk->loops->scatter_runs(array + first, offsets, from, stride, count, last - first);
        else
            for (int64_t byte = first; byte < last; byte += PIECE_BYTES)
                walk->loops->scatter_runs(array + byte, offsets, from, 0, count,
                                          last - byte < PIECE_BYTES ? last - byte : PIECE_BYTES);
    }
}

static void put_outer(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    for (int64_t outer = begin; outer < end; outer++)
        put_row(job, outer, 0, job->walk.run_bytes);
}

static void put_bytes(void *context, int64_t begin, int64_t end) {
    put_row(context, 0, begin, end);
}

/* One value everywhere. An axis of the array that is a run is one of the dense array too then: of
 * the value repeated, as long as `piece`. */
static const char *repeat_value(const unsigned char *value, tni_indexing *form, char *piece) {
    if (form->dense) return NULL;
    form->dense = piece;
    int last = form->ndim - 1;
    bool has_run = last >= form->outer_ndim && form->array_strides[last] == form->item_bytes;
    if (has_run) form->dense_strides[last] = form->item_bytes;
    for (int64_t at = 0; at < (has_run ? PIECE_BYTES : 1); at += form->item_bytes)
        memcpy(piece + at, value, (size_t)form->item_bytes);
    return piece;
}

tn_status tni_host_run_put(void *params) {
    tni_put *call = params;
    tni_indexing *form = &call->form;
    _Alignas(64) char piece[PIECE_BYTES];
    job job;
    job.value = repeat_value(call->value, form, piece);
    TNI_TRY(tni_index_walk_init(&job.walk, form, true));
    const tni_index_walk *walk = &job.walk;
    job.class = tni_item_class(walk->run_bytes);
    if (walk->outer_count > 0 && walk->run_bytes > 0 && form->index_count > 0) {
        int64_t ns = form->index_count * (2 + walk->run_bytes / 32);
        int64_t bytes = (GRAIN_BYTES / form->index_count) & ~INT64_C(63); /* whole items */
        if (walk->outer_count > 1)
            tni_parallel_units(walk->outer_count, ns, put_outer, &job);
        else if (job.class < 0)
            tni_parallel(walk->run_bytes, bytes < 256 ? 256 : bytes, put_bytes, &job);
        else
            put_row(&job, 0, 0, walk->run_bytes);
    }
    tni_index_walk_deinit(&job.walk);
    return TN_OK;
}

TNI_HOST_PLAN(put, tni_indexing_size(&call->form))
