/* Matrix products on the host: which way each goes.
 *
 * Matrices of a few elements go to plain loops; a product with a vector reads the matrix once, in
 * the order it lies in; large matrices of the dtypes that BLAS has go to it, unless our loops are
 * faster; the rest runs over packed panels. A batch is shared out among the threads by whole
 * matrices, unless they are few and large. But for BLAS', sums do not depend on the number of
 * threads. */
#include "forms/matmul.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/linalg/panels.h"
#include "backend/host/libraries/blas.h"
#include "backend/host/loops/level.h"
#include "backend/host/product.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    TINY_WORK = 128,    /* multiplications of a matrix that plain loops do best */
    DOT_PIECE = 1 << 15 /* of a long dot product */
};

/* The same product transposed. */
static void transpose(tni_product *w) {
    *w = (tni_product){.kernel = w->kernel,
                       .dtype = w->dtype,
                       .m = w->n,
                       .n = w->m,
                       .k = w->k,
                       .out = tni_matmul_transposed(w->out),
                       .a = tni_matmul_transposed(w->b),
                       .b = tni_matmul_transposed(w->a)};
}

/* --- Products with a vector --- */

static void multiply_rows(void *context, int64_t begin, int64_t end) {
    const tni_product *w = context;
    w->kernel->vector(w->out.data + begin * w->out.row_stride, w->out.row_stride,
                      tni_matmul_at(w->a, begin, 0), w->b.data, w->b.row_stride, end - begin, w->k,
                      w->conjugate, false);
}

static void run_vector(tni_product *w) {
    tni_parallel(w->m, tni_matmul_grain(w->k / 4), multiply_rows, w);
}

/* A long dot product is added up in pieces. */
typedef struct pieces {
    const tni_product *w;
    char *sums;
} pieces;

static void multiply_pieces(void *context, int64_t begin, int64_t end) {
    const pieces *p = context;
    const tni_product *w = p->w;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t from = piece * DOT_PIECE;
        w->kernel->vector(p->sums + piece * w->kernel->sum_bytes, 0, tni_matmul_at(w->a, 0, from),
                          tni_matmul_at(w->b, from, 0).data, w->b.row_stride, 1,
                          tni_smaller(DOT_PIECE, w->k - from), w->conjugate, true);
    }
}

static tn_status run_dot(tni_product *w) {
    if (w->k <= DOT_PIECE) {
        multiply_rows(w, 0, 1);
        return TN_OK;
    }
    int64_t count = tni_chunks(w->k, DOT_PIECE);
    pieces p = {w, tni_scratch(0, (size_t)(count * w->kernel->sum_bytes))};
    if (!p.sums) return tni_fail_no_memory(count * w->kernel->sum_bytes);
    tni_parallel(count, 4, multiply_pieces, &p);
    w->kernel->add_sums(w->out.data, p.sums, count);
    return TN_OK;
}

/* --- One product --- */

static void run_tiny(const tni_product *w, int64_t count, const int64_t batch_strides[3]) {
    w->kernel->tiny(count, batch_strides, w->out, w->a, w->b, w->m, w->n, w->k, w->conjugate);
}

static tn_status run_product(tni_product *w) {
    static const int64_t none[3] = {0};
    int64_t work = w->m * w->n * w->k;
    if (work <= TINY_WORK) {
        run_tiny(w, 1, none);
        return TN_OK;
    }
    if (w->m == 1 && w->n == 1) return run_dot(w);
    if (w->m == 1) transpose(w);
    if (w->n == 1) {
        run_vector(w);
        return TN_OK;
    }
    if (work > TNI_BLAS_WORK && tni_blas_multiply(w->dtype, w->m, w->n, w->k, w->out, w->a, w->b))
        return TN_OK;
    if (llabs(w->out.row_stride) < llabs(w->out.column_stride))
        transpose(w); /* store along memory */
    return tni_product_run_panels(w);
}

/* --- Batches --- */

typedef struct batch_job {
    const tni_matmul *call;
    tni_product first;
    bool tiny;
    atomic_int status;
} batch_job;

/* The product of one batch index; `run` receives how many follow it along the last batch axis. */
static tni_product product_at(const batch_job *job, int64_t index, int64_t *run) {
    const tni_matmul *call = job->call;
    tni_product w = job->first;
    int last = call->batch_ndim - 1;
    *run = call->batch_shape[last] - index % call->batch_shape[last];
    for (int axis = last; axis >= 0; axis--) {
        int64_t at = index % call->batch_shape[axis];
        index /= call->batch_shape[axis];
        w.out.data += at * call->out.batch_strides[axis];
        w.a.data += at * call->a.batch_strides[axis];
        w.b.data += at * call->b.batch_strides[axis];
    }
    return w;
}

static void multiply_batch(void *context, int64_t begin, int64_t end) {
    batch_job *job = context;
    int last = job->call->batch_ndim - 1;
    int64_t strides[3] = {job->call->out.batch_strides[last], job->call->a.batch_strides[last],
                          job->call->b.batch_strides[last]};
    while (begin < end && !job->status) {
        int64_t run;
        tni_product w = product_at(job, begin, &run);
        run = tni_smaller(run, end - begin);
        begin += run;
        if (job->tiny) {
            run_tiny(&w, run, strides);
            continue;
        }
        for (; run > 0 && !job->status; run--) {
            tni_product one = w;
            tn_status status = run_product(&one);
            if (status != TN_OK) job->status = status;
            w.out.data += strides[0];
            w.a.data += strides[1];
            w.b.data += strides[2];
        }
    }
}

static tn_status run_batch(const tni_matmul *call, const tni_product *first) {
    int64_t work = call->m * call->n * call->k;
    batch_job job = {.call = call, .first = *first, .tiny = work <= TINY_WORK};
    int threads = tni_thread_count();
    /* Few large matrices: each takes all threads. */
    if (call->batch_count < 2 * threads && work > 16 * TNI_MATMUL_THREAD_WORK) {
        multiply_batch(&job, 0, call->batch_count);
    } else {
        bool alone = work > TNI_BLAS_WORK && threads > 1;
        if (alone) tni_blas_begin_single();
        tni_parallel(call->batch_count, tni_matmul_grain(work), multiply_batch, &job);
        if (alone) tni_blas_end_single();
    }
    if (job.status == TN_ERROR_MEMORY) return tni_fail_no_memory(0);
    return (tn_status)job.status;
}

static tni_matmul_view view_of(const tni_matrix *matrix) {
    return (tni_matmul_view){matrix->data, matrix->row_stride, matrix->column_stride};
}

tn_status tni_host_run_matmul(void *params) {
    const tni_matmul *call = params;
    tni_product w = {tni_loops_level()->matmul[call->dtype],
                     call->dtype,
                     call->conjugate,
                     call->m,
                     call->n,
                     call->k,
                     view_of(&call->out),
                     view_of(&call->a),
                     view_of(&call->b)};
    return call->batch_ndim == 0 ? run_product(&w) : run_batch(call, &w);
}

TNI_HOST_PLAN(matmul, call->batch_count * call->m * call->n * call->k)
