/* The host's form "qr". */
#include "backend/host/forms/linalg/batch.h"

#include <string.h>

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t qr_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_qr *call = job->call;
    int64_t m = call->m, n = call->n, k = smaller(m, n), columns = call->columns, info = 0;
    int64_t size = job->sizes[0];
    char *a = call->a + (size_t)(index * m * n) * job->item;
    char *tau = call->tau + (size_t)(index * k) * job->item;
    job->lapack->geqrf(&m, &n, a, &m, tau, areas[0], &size, &info);
    if (!call->q || info) return tni_lapack_integer(info);
    char *q = call->q + (size_t)(index * m * columns) * job->item;
    memcpy(q, a, (size_t)(m * smaller(n, columns)) * job->item);
    job->lapack->orgqr(&m, &columns, &k, q, &m, tau, areas[0], &size, &info);
    return tni_lapack_integer(info);
}

static uint32_t qr_small(const tni_linalg_job *job, int64_t first, int count) {
    const tni_qr *call = job->call;
    const int64_t m = call->m, n = call->n, columns = call->columns;
    const tni_small_call small = {
        .count = count,
        .m = (int)m,
        .n = (int)n,
        .columns = (int)columns,
        .a = call->a + (size_t)(first * m * n) * job->item,
        .values = call->tau + (size_t)(first * smaller(m, n)) * job->item,
        .vectors = call->q ? call->q + (size_t)(first * m * columns) * job->item : NULL};
    return job->small->qr(&small);
}

/* One workspace serves both steps. */
static void find_size(tni_linalg_job *job, const tni_qr *call) {
    int64_t m = call->m, n = call->n, k = smaller(m, n), columns = call->columns, info = 0;
    int64_t ask = -1, size;
    double answer[2] = {0, 0};
    job->lapack->geqrf(&m, &n, answer, &m, answer, answer, &ask, &info);
    size = tni_linalg_size(answer, call->dtype);
    if (call->q) {
        job->lapack->orgqr(&m, &columns, &k, answer, &m, answer, answer, &ask, &info);
        int64_t other = tni_linalg_size(answer, call->dtype);
        if (other > size) size = other;
    }
    tni_linalg_area(job, 0, size, job->item);
}

tn_status tni_host_run_qr(void *params) {
    const tni_qr *call = params;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, NULL));
    find_size(&job, call);
    job.operations = (double)call->m * (double)call->n * (double)smaller(call->m, call->n) * 2;
    if (call->q) job.operations += (double)call->m * (double)call->columns * (double)call->n * 2;
    job.run = qr_one;
    tni_linalg_take_small(&job, call->m, call->n, call->q ? call->columns : 1, TNI_SMALL_SIDE,
                          qr_small);
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(qr, call->count * call->m * call->n)
