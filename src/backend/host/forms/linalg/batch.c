/* Stacks of matrices on the host: which thread decomposes which.
 *
 * Matrices are shared out whole, and the library uses no threads of its own meanwhile; few large
 * ones come one after the other, each with all the library's threads. A stack whose work is shorter
 * than waking a thread is done by the caller. The library's threads gain nothing with a matrix of
 * middle size, and where other programs keep the cores busy they wait for one another a thousand
 * times as long as the work takes: such a matrix gets one thread, too. */
#include "backend/host/forms/linalg/batch.h"

#include "backend/host/forms/linalg/small.h"
#include "backend/host/libraries/blas.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum {
    FEWEST = 4,        /* matrices that are done together */
    CALL_NS = 300,     /* of a call of LAPACK on a matrix of few elements */
    LARGE_NS = 500000, /* a matrix that the library's own threads are worth, if there are others */
    MIDDLE_NS = 6000000, /* a matrix that they are worth at all */
    TINY_NS = 5000,      /* a real matrix with which the library wakes no thread */
    SHARED_NS = 20000    /* a stack that our threads are worth */
};

typedef struct batch {
    const tni_linalg_job *job;
    atomic_bool has_failed, is_out_of_memory;
} batch;

tn_status tni_linalg_begin(tni_linalg_job *job, const void *call, tn_dtype dtype, int64_t count,
                           const char *failure) {
    memset(job, 0, sizeof *job);
    job->call = call;
    job->dtype = dtype;
    job->item = (size_t)tn_dtype_size(dtype);
    job->count = count;
    job->failure = failure;
    return tni_lapack_get(&job->lapack, dtype);
}

/* A matrix's result does not depend on what is beside it, nor on which thread does it. */
void tni_linalg_take_small(tni_linalg_job *job, int64_t m, int64_t n, int64_t columns, int most,
                           uint32_t (*run_small)(const tni_linalg_job *, int64_t, int)) {
    const bool is_real = job->dtype == TN_F32 || job->dtype == TN_F64;
    if (!is_real || job->count < FEWEST || m > most || n > most || columns > most) return;
    job->small = tni_linalg_small_loops(job->dtype == TN_F64);
    job->run_small = run_small;
}

static size_t padded(size_t bytes) {
    return (bytes + 63) & ~(size_t)63;
}

/* The matrices from one on that are done together, and what is left of them. */
static void run_block(batch *b, int64_t first, int64_t end, char *const *areas) {
    const tni_linalg_job *job = b->job;
    const int lanes = job->small->lanes;
    uint32_t left = job->run_small(job, first, end - first < lanes ? (int)(end - first) : lanes);
    for (int k = 0; left; k++, left >>= 1)
        if ((left & 1) && job->run(job, first + k, areas)) atomic_store(&b->has_failed, true);
}

static void run_matrices(void *context, int64_t begin, int64_t end) {
    batch *b = context;
    const tni_linalg_job *job = b->job;
    size_t bytes = 0;
    char *areas[TNI_LINALG_AREAS] = {NULL}, *memory = NULL;
    for (int k = 0; k < TNI_LINALG_AREAS; k++)
        bytes += padded(job->areas[k]);
    if (bytes > 0 && !(memory = tni_malloc(bytes))) {
        atomic_store(&b->is_out_of_memory, true);
        return;
    }
    bytes = 0;
    for (int k = 0; memory && k < TNI_LINALG_AREAS; bytes += padded(job->areas[k++]))
        areas[k] = memory + bytes;
    for (int64_t k = begin; k < end && !job->run_small; k++)
        if (job->run(job, k, areas)) atomic_store(&b->has_failed, true);
    for (int64_t k = begin; k < end && job->run_small; k += job->small->lanes)
        run_block(b, k, end, areas);
    tni_free(memory);
}

tn_status tni_linalg_run(const tni_linalg_job *job) {
    batch b = {.job = job};
    const double ns = CALL_NS + job->operations * (tni_linalg_is_complex(job->dtype) ? 2 : 0.5);
    const int threads = tni_thread_count();
    const bool is_alone = job->count == 1 || threads == 1 || ns * (double)job->count < SHARED_NS ||
                          (job->count < 2 * threads && ns > LARGE_NS);
    const bool is_single = !is_alone || (job->lapack && !job->small && ns < MIDDLE_NS &&
                                         (ns > TINY_NS || tni_linalg_is_complex(job->dtype)));
    if (is_single) tni_blas_begin_single();
    if (is_alone)
        run_matrices(&b, 0, job->count);
    else
        tni_parallel_units(job->count, (int64_t)ns, run_matrices, &b);
    if (is_single) tni_blas_end_single();
    if (b.is_out_of_memory) return tni_fail_no_memory(0);
    if (b.has_failed && job->failure) return tni_fail(TN_ERROR_LINALG, "%s", job->failure);
    return TN_OK;
}

int64_t tni_linalg_size(const void *answer, tn_dtype dtype) {
    double size;
    float narrow;
    if (tni_linalg_real(dtype) == TN_F64)
        memcpy(&size, answer, sizeof size);
    else {
        memcpy(&narrow, answer, sizeof narrow);
        size = (double)nextafterf(narrow, INFINITY);
    }
    return (int64_t)ceil(size);
}

void tni_linalg_fill_nan(void *elements, int64_t n, tn_dtype dtype) {
    if (tni_linalg_is_complex(dtype)) n *= 2;
    if (tni_linalg_real(dtype) == TN_F64)
        for (int64_t k = 0; k < n; k++)
            ((double *)elements)[k] = (double)NAN;
    else
        for (int64_t k = 0; k < n; k++)
            ((float *)elements)[k] = NAN;
}

bool tni_linalg_is_finite(const void *elements, int64_t n, tn_dtype dtype) {
    double sum = 0; /* of zeros, and of NaN for what is not finite */
    if (tni_linalg_is_complex(dtype)) n *= 2;
    if (tni_linalg_real(dtype) == TN_F64)
        for (int64_t k = 0; k < n; k++)
            sum += ((const double *)elements)[k] * 0;
    else
        for (int64_t k = 0; k < n; k++)
            sum += (double)((const float *)elements)[k] * 0;
    return sum == 0;
}
