/* A test double of cuSOLVER. One handle, no threads: it notes each decomposition, asks for a little
 * memory for it, complains where that is not given, and answers as it is set to. */
#include "fake_cusolver.h"

#include <stddef.h>

#define FN(name, params) FAKE_API int name params;
#include "backend/cuda/libraries/cusolver.fn"

enum { DEVICE_BYTES = 4096, HOST_BYTES = 64, INVALID_VALUE = 3 };

static fake_decomposition last;
static long count;
static int failure;
static double moved;

void fake_cusolver_fail(int status) {
    failure = status;
}
void fake_cusolver_move(double error) {
    moved = error;
}
long fake_cusolver_count(void) {
    return count;
}
fake_decomposition fake_cusolver_get(void) {
    return last;
}

static int note(fake_decomposition what) {
    if (!what.a || !what.info) return INVALID_VALUE;
    last = what;
    count++;
    return failure;
}
static int need(size_t *device_bytes, size_t *host_bytes) {
    *device_bytes = DEVICE_BYTES;
    *host_bytes = HOST_BYTES;
    return 0;
}
static int take(const void *device, size_t device_bytes, void *host, size_t host_bytes) {
    if (!device || device_bytes < DEVICE_BYTES || !host || host_bytes < HOST_BYTES)
        return INVALID_VALUE;
    *(char *)host = 0;
    return 0;
}

int cusolverDnCreate(void **handle) {
    *handle = &last;
    return 0;
}
int cusolverDnCreateParams(void **params) {
    *params = &last;
    return 0;
}
int cusolverDnSetStream(void *handle, CUstream stream) {
    (void)stream;
    return handle == NULL;
}

#define UNUSED __attribute__((unused))
#define MEMORY void *device, size_t device_bytes, void *host, size_t host_bytes
#define NEEDS size_t *device_bytes, size_t *host_bytes
#define OF(...) __VA_ARGS__
/* Both functions of a CALL of the list: what is noted is made of the parameters. */
#define DECOMPOSITION(name, parameters, m, n)                                                      \
    int name##_bufferSize(parameters, NEEDS) {                                                     \
        return need(device_bytes, host_bytes);                                                     \
    }                                                                                              \
    int name(parameters, MEMORY, int *info) {                                                      \
        int status = take(device, device_bytes, host, host_bytes);                                 \
        return status ? status : note((fake_decomposition){#name, m, n, a_type, a, info});         \
    }

DECOMPOSITION(cusolverDnXpotrf,
              OF(UNUSED void *handle, UNUSED void *params, UNUSED int uplo, UNUSED int64_t n,
                 UNUSED int a_type, UNUSED void *a, UNUSED int64_t lda, UNUSED int compute),
              n, n)
DECOMPOSITION(cusolverDnXgeqrf,
              OF(UNUSED void *handle, UNUSED void *params, UNUSED int64_t m, UNUSED int64_t n,
                 UNUSED int a_type, UNUSED void *a, UNUSED int64_t lda, UNUSED int tau_type,
                 UNUSED void *tau, UNUSED int compute),
              m, n)
DECOMPOSITION(cusolverDnXsyevd,
              OF(UNUSED void *handle, UNUSED void *params, UNUSED int vectors, UNUSED int uplo,
                 UNUSED int64_t n, UNUSED int a_type, UNUSED void *a, UNUSED int64_t lda,
                 UNUSED int w_type, UNUSED void *w, UNUSED int compute),
              n, n)
DECOMPOSITION(cusolverDnXgeev,
              OF(UNUSED void *handle, UNUSED void *params, UNUSED int left, UNUSED int right,
                 UNUSED int64_t n, UNUSED int a_type, UNUSED void *a, UNUSED int64_t lda,
                 UNUSED int w_type, UNUSED void *w, UNUSED int left_type, UNUSED void *vl,
                 UNUSED int64_t ldvl, UNUSED int right_type, UNUSED void *vr, UNUSED int64_t ldvr,
                 UNUSED int compute),
              n, n)
DECOMPOSITION(cusolverDnXgesvd,
              OF(UNUSED void *handle, UNUSED void *params, UNUSED signed char u_job,
                 UNUSED signed char vh_job, UNUSED int64_t m, UNUSED int64_t n, UNUSED int a_type,
                 UNUSED void *a, UNUSED int64_t lda, UNUSED int s_type, UNUSED void *s,
                 UNUSED int u_type, UNUSED void *u, UNUSED int64_t ldu, UNUSED int vh_type,
                 UNUSED void *vh, UNUSED int64_t ldvh, UNUSED int compute),
              m, n)

int cusolverDnXgesvdp_bufferSize(UNUSED void *handle, UNUSED void *params, UNUSED int vectors,
                                 UNUSED int thin, UNUSED int64_t m, UNUSED int64_t n,
                                 UNUSED int a_type, UNUSED const void *a, UNUSED int64_t lda,
                                 UNUSED int s_type, UNUSED const void *s, UNUSED int u_type,
                                 UNUSED const void *u, UNUSED int64_t ldu, UNUSED int v_type,
                                 UNUSED const void *v, UNUSED int64_t ldv, UNUSED int compute,
                                 NEEDS) {
    return need(device_bytes, host_bytes);
}
int cusolverDnXgesvdp(UNUSED void *handle, UNUSED void *params, UNUSED int vectors, UNUSED int thin,
                      int64_t m, int64_t n, int a_type, void *a, UNUSED int64_t lda,
                      UNUSED int s_type, UNUSED void *s, UNUSED int u_type, UNUSED void *u,
                      UNUSED int64_t ldu, UNUSED int v_type, UNUSED void *v, UNUSED int64_t ldv,
                      UNUSED int compute, MEMORY, int *info, double *error) {
    int status = take(device, device_bytes, host, host_bytes);
    *error = moved;
    if (moved < 0) return (int)-moved;
    return status ? status : note((fake_decomposition){"cusolverDnXgesvdp", m, n, a_type, a, info});
}

int cusolverDnXgetrf_bufferSize(UNUSED void *handle, UNUSED void *params, UNUSED int64_t m,
                                UNUSED int64_t n, UNUSED int a_type, UNUSED const void *a,
                                UNUSED int64_t lda, UNUSED int compute, NEEDS) {
    return need(device_bytes, host_bytes);
}
int cusolverDnXgetrf(UNUSED void *handle, UNUSED void *params, int64_t m, int64_t n, int a_type,
                     void *a, UNUSED int64_t lda, int64_t *pivots, UNUSED int compute, MEMORY,
                     int *info) {
    int status = take(device, device_bytes, host, host_bytes);
    if (!pivots) status = INVALID_VALUE;
    return status ? status : note((fake_decomposition){"cusolverDnXgetrf", m, n, a_type, a, info});
}
int cusolverDnXgetrs(UNUSED void *handle, UNUSED void *params, UNUSED int trans, int64_t n,
                     int64_t columns, UNUSED int a_type, UNUSED const void *a, UNUSED int64_t lda,
                     UNUSED const int64_t *pivots, int b_type, void *b, UNUSED int64_t ldb,
                     int *info) {
    return note((fake_decomposition){"cusolverDnXgetrs", n, columns, b_type, b, info});
}

int cusolverDnXpotrs(UNUSED void *handle, UNUSED void *params, UNUSED int uplo, int64_t n,
                     int64_t columns, UNUSED int a_type, UNUSED const void *a, UNUSED int64_t lda,
                     int b_type, void *b, UNUSED int64_t ldb, int *info) {
    return note((fake_decomposition){"cusolverDnXpotrs", n, columns, b_type, b, info});
}

#define ORGQR(name, type)                                                                          \
    int name##_bufferSize(UNUSED void *handle, UNUSED int m, UNUSED int n, UNUSED int k,           \
                          UNUSED const void *a, UNUSED int lda, UNUSED const void *tau,            \
                          int *size) {                                                             \
        *size = DEVICE_BYTES;                                                                      \
        return 0;                                                                                  \
    }                                                                                              \
    int name(UNUSED void *handle, int m, int n, UNUSED int k, void *a, UNUSED int lda,             \
             UNUSED const void *tau, void *work, int size, int *info) {                            \
        if (!work || size < DEVICE_BYTES) return INVALID_VALUE;                                    \
        return note((fake_decomposition){#name, m, n, type, a, info});                             \
    }
ORGQR(cusolverDnSorgqr, 0)
ORGQR(cusolverDnDorgqr, 1)
ORGQR(cusolverDnCungqr, 4)
ORGQR(cusolverDnZungqr, 5)
