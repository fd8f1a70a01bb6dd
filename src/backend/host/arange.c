/* The form "arange" on the host: threads fill ranges of the result. Plain stores: lines that are
 * written whole are not read first by processors of today, and what fits the last cache stays there
 * for whoever reads it next; stores that bypass the caches were slower at every size. */
#include "backend/host/indexing.h"
#include "backend/host/loops/level.h"
#include "core/create.h"

enum { GRAIN_BYTES = 65536 };

typedef struct job {
    const tni_arange *call;
    void (*loop)(char *to, int64_t first, int64_t count, const tni_arange *range);
    int64_t item_bytes;
} job;

static void fill_range(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    job->loop(job->call->to + begin * job->item_bytes, begin, end - begin, job->call);
}

static tn_status work(void *params) {
    const tni_arange *call = params;
    const tni_fill_loops *loops = tni_loops_level()->fills;
    job job = {call, (call->is_linspace ? loops->linspace : loops->arange)[call->dtype],
               tn_dtype_size(call->dtype)};
    tni_parallel(call->count, GRAIN_BYTES / job.item_bytes, fill_range, &job);
    return TN_OK;
}

tn_status tni_host_arange(const struct tni_arange *call, tn_stream *stream) {
    return tni_host_submit(stream, work, call, sizeof *call);
}
