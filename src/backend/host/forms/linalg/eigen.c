/* The host's forms "eigh" and "eig". */
#include "backend/host/forms/linalg/batch.h"

#include <string.h>

/* Areas: LAPACK's workspace, its reals, its integers, and what becomes complex numbers. */
enum { WORK, REALS, INTEGERS, PARTS };

static double cube(int64_t n) {
    return (double)n * (double)n * (double)n;
}

/* --- eigh --- */

static int64_t call_eigh(const tni_linalg_job *job, void *a, void *w, char *const *areas,
                         int64_t sizes[3]) {
    const tni_eigh *call = job->call;
    const char *vectors = call->vectors ? "V" : "N", *uplo = call->upper ? "U" : "L";
    int64_t n = call->n, info = 0;
    if (job->lapack->syevd)
        job->lapack->syevd(vectors, uplo, &n, a, &n, w, areas[WORK], &sizes[WORK], areas[INTEGERS],
                           &sizes[INTEGERS], &info, 1, 1);
    else
        job->lapack->heevd(vectors, uplo, &n, a, &n, w, areas[WORK], &sizes[WORK], areas[REALS],
                           &sizes[REALS], areas[INTEGERS], &sizes[INTEGERS], &info, 1, 1);
    return tni_lapack_integer(info);
}

static int64_t eigh_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_eigh *call = job->call;
    const int64_t n = call->n;
    const tn_dtype real = tni_linalg_real(call->dtype);
    char *a = call->a + (size_t)(index * n * n) * job->item;
    char *w = call->w + index * n * tn_dtype_size(real);
    int64_t sizes[3] = {job->sizes[WORK], job->sizes[REALS], job->sizes[INTEGERS]};
    int64_t info = call_eigh(job, a, w, areas, sizes);
    if (info) {
        tni_linalg_fill_nan(w, n, real);
        if (call->vectors) tni_linalg_fill_nan(a, n * n, call->dtype);
    }
    return info;
}

static uint32_t eigh_small(const tni_linalg_job *job, int64_t first, int count) {
    const tni_eigh *call = job->call;
    const int64_t n = call->n;
    char *a = call->a + (size_t)(first * n * n) * job->item;
    const tni_small_call small = {.count = count,
                                  .n = (int)n,
                                  .upper = call->upper,
                                  .a = a,
                                  .values = call->w + (size_t)(first * n) * job->item,
                                  .vectors = call->vectors ? a : NULL};
    return job->small->eigh(&small);
}

tn_status tni_host_run_eigh(void *params) {
    const tni_eigh *call = params;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, call->failure));
    const tn_dtype real = tni_linalg_real(call->dtype);
    double answers[3][2] = {{0}};
    char *const places[3] = {(char *)answers[0], (char *)answers[1], (char *)answers[2]};
    call_eigh(&job, answers[0], answers[1], places, (int64_t[3]){-1, -1, -1});
    tni_linalg_area(&job, WORK, tni_linalg_size(answers[WORK], call->dtype), job.item);
    if (job.lapack->heevd)
        tni_linalg_area(&job, REALS, tni_linalg_size(answers[REALS], real),
                        (size_t)tn_dtype_size(real));
    tni_linalg_area(&job, INTEGERS, tni_lapack_integer_at(answers[INTEGERS], 0),
                    tni_lapack_integer_bytes());
    job.operations = cube(call->n) * (call->vectors ? 9 : 2);
    job.run = eigh_one;
    tni_linalg_take_small(&job, call->n, call->n, 1, TNI_SMALL_ROTATED, eigh_small);
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(eigh, call->count * call->n * call->n)

/* --- eig --- */

/* The parts of real dtypes: real and imaginary eigenvalues, then vectors. */
typedef struct parts {
    char *real, *imaginary, *vectors;
} parts;

static parts parts_in(char *area, int64_t n, int64_t bytes) {
    return (parts){area, area + n * bytes, area + 2 * n * bytes};
}

static int64_t call_eig(const tni_linalg_job *job, void *a, void *w, void *v, parts of_real,
                        char *const *areas, int64_t size) {
    const tni_eig *call = job->call;
    const char *vectors = call->v ? "V" : "N";
    int64_t n = call->n, one = 1, info = 0;
    if (job->lapack->geev)
        job->lapack->geev("N", vectors, &n, a, &n, of_real.real, of_real.imaginary, NULL, &one,
                          of_real.vectors, &n, areas[WORK], &size, &info, 1, 1);
    else
        job->lapack->geev_complex("N", vectors, &n, a, &n, w, NULL, &one, v, &n, areas[WORK], &size,
                                  areas[REALS], &info, 1, 1);
    return tni_lapack_integer(info);
}

static double part_at(const char *values, int64_t at, tn_dtype real) {
    return real == TN_F32 ? (double)((const float *)(const void *)values)[at]
                          : ((const double *)(const void *)values)[at];
}

static void put_complex(char *values, int64_t at, double real, double imaginary, tn_dtype dtype) {
    if (dtype == TN_F32) {
        ((float *)(void *)values)[2 * at] = (float)real;
        ((float *)(void *)values)[2 * at + 1] = (float)imaginary;
    } else {
        ((double *)(void *)values)[2 * at] = real;
        ((double *)(void *)values)[2 * at + 1] = imaginary;
    }
}

/* LAPACK gives the vectors of a conjugate pair as a column of real and one of imaginary parts. */
static void join_parts(const tni_eig *call, char *w, char *v, parts from) {
    const int64_t n = call->n;
    const tn_dtype dtype = call->dtype;
    for (int64_t j = 0; j < n; j++)
        put_complex(w, j, part_at(from.real, j, dtype), part_at(from.imaginary, j, dtype), dtype);
    for (int64_t j = 0; v && j < n; j++) {
        bool is_pair = part_at(from.imaginary, j, dtype) != 0 && j + 1 < n;
        for (int64_t i = 0; i < n; i++) {
            double real = part_at(from.vectors, j * n + i, dtype);
            double imaginary = is_pair ? part_at(from.vectors, (j + 1) * n + i, dtype) : 0;
            put_complex(v, j * n + i, real, imaginary, dtype);
            if (is_pair) put_complex(v, (j + 1) * n + i, real, -imaginary, dtype);
        }
        if (is_pair) j++;
    }
}

static int64_t eig_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_eig *call = job->call;
    const int64_t n = call->n, bytes = tn_dtype_size(tni_linalg_real(call->dtype));
    const tn_dtype complex_dtype = bytes == 4 ? TN_C64 : TN_C128;
    char *a = call->a + (size_t)(index * n * n) * job->item;
    char *w = call->w + index * n * 2 * bytes;
    char *v = call->v ? call->v + index * n * n * 2 * bytes : NULL;
    parts of_real = {NULL, NULL, NULL};
    if (job->lapack->geev) of_real = parts_in(areas[PARTS], n, bytes);
    int64_t info = call_eig(job, a, w, v, of_real, areas, job->sizes[WORK]);
    if (info) {
        tni_linalg_fill_nan(w, n, complex_dtype);
        if (v) tni_linalg_fill_nan(v, n * n, complex_dtype);
    } else if (job->lapack->geev) {
        join_parts(call, w, v, of_real);
    }
    return info;
}

tn_status tni_host_run_eig(void *params) {
    const tni_eig *call = params;
    const int64_t n = call->n;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, call->failure));
    double answer[2] = {0}, unused[2];
    char *const places[2] = {(char *)answer, (char *)unused};
    parts of_real = {(char *)unused, (char *)unused, (char *)unused};
    call_eig(&job, unused, unused, unused, of_real, places, -1);
    tni_linalg_area(&job, WORK, tni_linalg_size(answer, call->dtype), job.item);
    if (job.lapack->geev)
        tni_linalg_area(&job, PARTS, n * (call->v ? n + 2 : 2), job.item);
    else
        tni_linalg_area(&job, REALS, 2 * n, job.item / 2);
    job.operations = cube(n) * (call->v ? 12 : 8);
    job.run = eig_one;
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(eig, call->count * call->n * call->n)
