/* The host's forms "svd" and "lstsq". */
#include "backend/host/forms/linalg/batch.h"

enum { WORK, REALS, INTEGERS };

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* --- svd --- */

static int64_t call_svd(const tni_linalg_job *job, void *a, void *s, void *u, void *vh,
                        char *const *areas, int64_t size) {
    const tni_svd *call = job->call;
    const char *vectors = !call->u ? "N" : call->full ? "A" : "S";
    int64_t m = call->m, n = call->n, k = call->full ? n : smaller(m, n), info = 0;
    if (job->lapack->gesdd)
        job->lapack->gesdd(vectors, &m, &n, a, &m, s, u, &m, vh, &k, areas[WORK], &size,
                           areas[INTEGERS], &info, 1);
    else
        job->lapack->gesdd_complex(vectors, &m, &n, a, &m, s, u, &m, vh, &k, areas[WORK], &size,
                                   areas[REALS], areas[INTEGERS], &info, 1);
    return tni_lapack_integer(info);
}

static int64_t svd_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_svd *call = job->call;
    const int64_t m = call->m, n = call->n, least = smaller(m, n);
    const int64_t u_columns = call->full ? m : least, v_rows = call->full ? n : least;
    const tn_dtype real = tni_linalg_real(call->dtype);
    char *a = call->a + (size_t)(index * m * n) * job->item;
    char *s = call->s + index * least * tn_dtype_size(real), *u = NULL, *vh = NULL;
    if (call->u) {
        u = call->u + (size_t)(index * m * u_columns) * job->item;
        vh = call->vh + (size_t)(index * v_rows * n) * job->item;
    }
    /* LAPACK's iteration for vectors does not end on an infinite element. */
    bool endless = u && !tni_linalg_is_finite(a, m * n, call->dtype);
    int64_t info = endless ? 1 : call_svd(job, a, s, u, vh, areas, job->sizes[WORK]);
    if (info) {
        tni_linalg_fill_nan(s, least, real);
        if (u) tni_linalg_fill_nan(u, m * u_columns, call->dtype);
        if (vh) tni_linalg_fill_nan(vh, v_rows * n, call->dtype);
    }
    return info;
}

static uint32_t svd_small(const tni_linalg_job *job, int64_t first, int count) {
    const tni_svd *call = job->call;
    const int64_t m = call->m, n = call->n, least = smaller(m, n);
    const tni_small_call small = {
        .count = count,
        .m = (int)m,
        .n = (int)n,
        .a = call->a + (size_t)(first * m * n) * job->item,
        .values = call->s + (size_t)(first * least) * job->item,
        .vectors = call->u ? call->u + (size_t)(first * m * least) * job->item : NULL,
        .other = call->u ? call->vh + (size_t)(first * least * n) * job->item : NULL};
    return job->small->svd(&small);
}

tn_status tni_host_run_svd(void *params) {
    const tni_svd *call = params;
    const int64_t least = smaller(call->m, call->n);
    const int64_t most = call->m + call->n - least;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, call->failure));
    double answer[2] = {0}, unused[2];
    char *const places[3] = {(char *)answer, (char *)unused, (char *)unused};
    call_svd(&job, unused, unused, unused, unused, places, -1);
    tni_linalg_area(&job, WORK, tni_linalg_size(answer, call->dtype), job.item);
    if (job.lapack->gesdd_complex) /* as LAPACK states it; no query tells */
        tni_linalg_area(&job, REALS,
                        !call->u ? 7 * least
                                 : least * (5 * least + 7 > 2 * (most + least) + 1
                                                ? 5 * least + 7
                                                : 2 * (most + least) + 1),
                        job.item / 2);
    tni_linalg_area(&job, INTEGERS, 8 * least, tni_lapack_integer_bytes());
    job.operations = (double)least * (double)least * (double)most * (call->u ? 12 : 4);
    job.run = svd_one;
    if (!call->u || !call->full || call->m == call->n)
        tni_linalg_take_small(&job, call->m, call->n, 1, TNI_SMALL_ROTATED, svd_small);
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(svd, call->count * call->m * call->n)

/* --- lstsq --- */

static int64_t call_lstsq(const tni_linalg_job *job, void *a, void *b, void *s, int64_t *rank,
                          char *const *areas, int64_t size) {
    const tni_lstsq *call = job->call;
    int64_t m = call->m, n = call->n, columns = call->columns, info = 0;
    int64_t rows = m > n ? m : n;
    float narrow = (float)call->rcond;
    double wide = call->rcond;
    void *rcond = tni_linalg_real(call->dtype) == TN_F32 ? (void *)&narrow : &wide;
    *rank = 0;
    if (job->lapack->gelsd)
        job->lapack->gelsd(&m, &n, &columns, a, &m, b, &rows, s, rcond, rank, areas[WORK], &size,
                           areas[INTEGERS], &info);
    else
        job->lapack->gelsd_complex(&m, &n, &columns, a, &m, b, &rows, s, rcond, rank, areas[WORK],
                                   &size, areas[REALS], areas[INTEGERS], &info);
    *rank = tni_lapack_integer(*rank);
    return tni_lapack_integer(info);
}

static int64_t lstsq_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_lstsq *call = job->call;
    const int64_t m = call->m, n = call->n, rows = m > n ? m : n, least = smaller(m, n);
    const tn_dtype real = tni_linalg_real(call->dtype);
    char *a = call->a + (size_t)(index * m * n) * job->item;
    char *b = call->b + (size_t)(index * rows * call->columns) * job->item;
    char *s = call->s + index * least * tn_dtype_size(real);
    int64_t rank = 0, info = 1; /* as svd_one says */
    if (tni_linalg_is_finite(a, m * n, call->dtype))
        info = call_lstsq(job, a, b, s, &rank, areas, job->sizes[WORK]);
    call->rank[index] = (int32_t)rank;
    if (info) {
        tni_linalg_fill_nan(s, least, real);
        tni_linalg_fill_nan(b, rows * call->columns, call->dtype);
    }
    return info;
}

tn_status tni_host_run_lstsq(void *params) {
    const tni_lstsq *call = params;
    const int64_t least = smaller(call->m, call->n);
    const tn_dtype real = tni_linalg_real(call->dtype);
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, call->failure));
    double answers[3][2] = {{0}}, unused[2];
    char *const places[3] = {(char *)answers[0], (char *)answers[1], (char *)answers[2]};
    int64_t rank;
    call_lstsq(&job, unused, unused, unused, &rank, places, -1);
    tni_linalg_area(&job, WORK, tni_linalg_size(answers[WORK], call->dtype), job.item);
    if (job.lapack->gelsd_complex)
        tni_linalg_area(&job, REALS, tni_linalg_size(answers[REALS], real), job.item / 2);
    tni_linalg_area(&job, INTEGERS, tni_lapack_integer_at(answers[INTEGERS], 0),
                    tni_lapack_integer_bytes());
    job.operations = (double)least * (double)least * (double)(call->m + call->n) * 3;
    job.run = lstsq_one;
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(lstsq, call->count * call->m * call->n)
