/* The form "arange" on the host: threads fill ranges of the result. A large one is made in pieces
 * that stay in the L1 cache and leave it with stores that bypass the others: nothing is read for
 * them. */
#include "forms/arange.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/index/indexing.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"

enum { GRAIN_BYTES = 16384, PIECE_BYTES = 2048 };

typedef struct job {
    const tni_arange *call;
    void (*loop)(char *to, int64_t first, int64_t count, const tni_arange *range);
    int64_t item_bytes;
} job;

static void fill_range(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    job->loop(job->call->to + begin * job->item_bytes, begin, end - begin, job->call);
}

static void stream_range(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    _Alignas(64) char piece[PIECE_BYTES];
    int64_t step = PIECE_BYTES / job->item_bytes;
    for (int64_t at = begin; at < end; at += step) {
        int64_t count = end - at < step ? end - at : step;
        job->loop(piece, at, count, job->call);
        tni_stream_copy(job->call->to + at * job->item_bytes, piece,
                        (size_t)(count * job->item_bytes));
    }
    tni_stream_finish();
}

tn_status tni_host_run_arange(void *params) {
    const tni_arange *call = params;
    const tni_fill_loops *loops = tni_loops_level()->fills;
    job job = {call, (call->is_linspace ? loops->linspace : loops->arange)[call->dtype],
               tn_dtype_size(call->dtype)};
    bool streams = call->count * job.item_bytes >= TNI_STREAM_BYTES;
    tni_parallel_short(call->count, GRAIN_BYTES / job.item_bytes,
                       streams ? stream_range : fill_range, &job);
    return TN_OK;
}

TNI_HOST_PLAN(arange, call->count)
