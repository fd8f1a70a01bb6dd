/* The form "take" on the host: rows (outer position, index) are split among threads; each thread
 * moves runs, or single items, block of indices by block. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/index/indexing.h"
#include "backend/host/threads.h"
#include "forms/indexing.h"

static const int64_t far_bytes = 1 << 20; /* an axis this long is not in the cache */

typedef struct job {
    tni_index_walk walk;
    int class;             /* of a run that is an item; -1: runs */
    bool is_far, is_plain; /* the loops for items that are not in the cache; from plain indices */
    atomic_bool is_bad;
} job;

/* Which loops to use for items. */
static void choose_loops(job *job) {
    const tni_indexing *form = job->walk.form;
    const tni_move_loops *loops = job->walk.loops;
    int64_t span = form->axis_size * form->axis_stride;
    job->class = tni_item_class(job->walk.run_bytes);
    job->is_far = job->class >= 0 && loops->gather_far[job->class] &&
                  form->dense_stride == form->item_bytes && (span < 0 ? -span : span) >= far_bytes;
    job->is_plain = job->is_far && !job->walk.offsets && form->mode == TN_INDEX_RAISE &&
                    (form->index_dtype == TN_I64 || form->index_dtype == TN_U64) &&
                    form->index_stride == 8 && form->axis_stride == form->item_bytes;
}

/* Indices [begin, end) at one outer position. */
static bool take_row(const job *job, int64_t outer, int64_t begin, int64_t end) {
    const tni_index_walk *walk = &job->walk;
    const tni_move_loops *loops = walk->loops;
    int64_t stride = walk->form->dense_stride, block[TNI_INDEX_BLOCK];
    char *array, *dense;
    tni_index_walk_seek(walk, outer, &array, &dense);
    if (job->is_plain)
        return !loops->take_far[job->class](dense + begin * stride, array,
                                            walk->form->indices + begin * 8, end - begin,
                                            walk->form->axis_size);
    for (int64_t at = begin; at < end; at += TNI_INDEX_BLOCK) {
        int64_t count = end - at < TNI_INDEX_BLOCK ? end - at : TNI_INDEX_BLOCK;
        const int64_t *offsets = tni_index_walk_offsets(walk, at, count, block);
        if (!offsets) return false;
        char *to = dense + at * stride;
        if (job->is_far)
            loops->gather_far[job->class](to, array, offsets, count);
        else if (job->class >= 0)
            loops->gather[job->class](to, stride, array, offsets, count);
        else
            loops->gather_runs(to, stride, array, offsets, count, walk->run_bytes);
    }
    return true;
}

static void take_range(void *context, int64_t begin, int64_t end) {
    job *job = context;
    int64_t count = job->walk.form->index_count;
    while (begin < end) {
        int64_t outer = begin / count, first = begin % count;
        int64_t last = end - outer * count < count ? end - outer * count : count;
        if (!take_row(job, outer, first, last)) {
            atomic_store_explicit(&job->is_bad, true, memory_order_relaxed);
            return;
        }
        begin = outer * count + last;
    }
}

tn_status tni_host_run_take(void *params) {
    tni_take *call = params;
    job job;
    TNI_TRY(tni_index_walk_init(&job.walk, &call->form, !call->is_fresh));
    int64_t rows = job.walk.outer_count * call->form.index_count;
    if (rows > 0 && job.walk.run_bytes > 0) {
        choose_loops(&job);
        atomic_init(&job.is_bad, false);
        int64_t ns = (job.is_far ? 4 : 1) + job.walk.run_bytes / 32;
        tni_parallel_units(rows, ns, take_range, &job);
    }
    tni_index_walk_deinit(&job.walk);
    if (rows > 0 && job.walk.run_bytes > 0 && atomic_load(&job.is_bad))
        return tni_index_fail(&call->form);
    return TN_OK;
}

TNI_HOST_PLAN(take, tni_indexing_size(&call->form))
