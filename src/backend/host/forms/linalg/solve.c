/* The host's forms that factor square matrices and solve with the factors. */
#include "backend/host/forms/linalg/batch.h"
#include "backend/host/forms/linalg/small.h"

#include <complex.h>
#include <string.h>

static const char *letter(tni_transposition transposition) {
    static const char *const letters[] = {"N", "T", "C"};
    return letters[transposition];
}

static double cube(int64_t n) {
    return (double)n * (double)n * (double)n;
}

/* --- cholesky --- */

static int64_t cholesky_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_cholesky *call = job->call;
    int64_t n = call->n, info = 0;
    char *a = call->a + (size_t)(index * n * n) * job->item;
    (void)areas;
    if (tni_linalg_is_small(call->dtype, n) &&
        (call->dtype == TN_F32 ? tni_small_cholesky_f32((float *)(void *)a, call->upper, (int)n)
                               : tni_small_cholesky_f64((double *)(void *)a, call->upper, (int)n)))
        return 0;
    job->lapack->potrf(call->upper ? "U" : "L", &n, a, &n, &info, 1);
    info = tni_lapack_integer(info);
    if (info) tni_linalg_fill_nan(a, n * n, call->dtype);
    return info;
}

static uint32_t cholesky_small(const tni_linalg_job *job, int64_t first, int count) {
    const tni_cholesky *call = job->call;
    const int64_t n = call->n;
    const tni_small_call small = {.count = count,
                                  .n = (int)n,
                                  .upper = call->upper,
                                  .a = call->a + (size_t)(first * n * n) * job->item};
    return job->small->cholesky(&small);
}

tn_status tni_host_run_cholesky(void *params) {
    const tni_cholesky *call = params;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, call->failure));
    job.operations = cube(call->n) / 3;
    job.run = cholesky_one;
    tni_linalg_take_small(&job, call->n, call->n, 1, TNI_SMALL_SIDE, cholesky_small);
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(cholesky, call->count * call->n * call->n)

/* --- lu --- */

/* Rows become columns, in place. */
#define TURN(type)                                                                                 \
    for (int64_t j = 1; j < n; j++)                                                                \
        for (int64_t i = 0; i < j; i++) {                                                          \
            type *x = (type *)(void *)a + j * n + i, *y = (type *)(void *)a + i * n + j;           \
            const type moved = *x;                                                                 \
            *x = *y;                                                                               \
            *y = moved;                                                                            \
        }

static void transpose(char *a, int64_t n, size_t item) {
    if (item == sizeof(float)) {
        TURN(float)
    } else if (item == sizeof(double)) {
        TURN(double)
    } else {
        TURN(double complex)
    }
}

/* A matrix with a pivot of 0 has its factors, but nothing can be solved with them. */
static int64_t lu_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_lu *call = job->call;
    int64_t m = call->m, n = call->n, least = m < n ? m : n, info = 0;
    char *a = call->a + (size_t)(index * m * n) * job->item;
    int64_t *pivots = call->pivots + index * least;
    if (call->is_transposed) transpose(a, n, job->item);
    if (m == n && tni_linalg_is_small(call->dtype, n) &&
        (call->dtype == TN_F32 ? tni_small_lu_f32((float *)(void *)a, pivots, (int)n)
                               : tni_small_lu_f64((double *)(void *)a, pivots, (int)n)))
        return 0;
    job->lapack->getrf(&m, &n, a, &m, areas[0], &info);
    for (int64_t k = 0; k < least; k++)
        pivots[k] = tni_lapack_integer_at(areas[0], k);
    return tni_lapack_integer(info);
}

static uint32_t lu_small(const tni_linalg_job *job, int64_t first, int count) {
    const tni_lu *call = job->call;
    const int64_t n = call->n;
    const tni_small_call small = {.count = count,
                                  .n = (int)n,
                                  .transposed = call->is_transposed,
                                  .a = call->a + (size_t)(first * n * n) * job->item,
                                  .pivots = call->pivots + first * n};
    return job->small->lu(&small);
}

tn_status tni_host_run_lu(void *params) {
    const tni_lu *call = params;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, call->failure));
    int64_t least = call->m < call->n ? call->m : call->n;
    job.operations = (double)call->m * (double)call->n * (double)least * 2 / 3;
    tni_linalg_area(&job, 0, least, tni_lapack_integer_bytes());
    job.run = lu_one;
    if (call->m == call->n)
        tni_linalg_take_small(&job, call->n, call->n, 1, TNI_SMALL_SIDE, lu_small);
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(lu, call->count * call->m * call->n)

/* --- lu_solve --- */

static int64_t solve_by_columns(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_lu_solve *call = job->call;
    int64_t n = call->n, columns = call->columns, info = 0;
    char *lu = (char *)(uintptr_t)call->lu + (size_t)(index * n * n) * job->item;
    char *b = call->b + (size_t)(index * n * columns) * job->item;
    const int64_t *pivots = call->pivots + index * n;
    if (tni_linalg_is_small(call->dtype, n)) {
        const bool transposed = call->transposition != TNI_PLAIN; /* of real matrices */
        if (call->dtype == TN_F32)
            tni_small_lu_solve_f32((float *)(void *)lu, pivots, (float *)(void *)b, columns, (int)n,
                                   transposed);
        else
            tni_small_lu_solve_f64((double *)(void *)lu, pivots, (double *)(void *)b, columns,
                                   (int)n, transposed);
        return 0;
    }
    for (int64_t k = 0; k < n; k++)
        tni_lapack_integer_put(areas[0], k, pivots[k]);
    job->lapack->getrs(letter(call->transposition), &n, &columns, lu, &n, areas[0], b, &n, &info,
                       1);
    return tni_lapack_integer(info);
}

static int64_t lu_solve_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_lu_solve *call = job->call;
    const int64_t n = call->n, info = solve_by_columns(job, index, areas);
    if (call->is_transposed) transpose(call->b + (size_t)(index * n * n) * job->item, n, job->item);
    return info;
}

static uint32_t lu_solve_small(const tni_linalg_job *job, int64_t first, int count) {
    const tni_lu_solve *call = job->call;
    const int64_t n = call->n, columns = call->columns;
    const tni_small_call small = {.count = count,
                                  .n = (int)n,
                                  .columns = (int)columns,
                                  .transposed = call->is_transposed,
                                  .a = (char *)(uintptr_t)call->lu +
                                       (size_t)(first * n * n) * job->item,
                                  .vectors = call->b + (size_t)(first * n * columns) * job->item,
                                  .pivots = (int64_t *)(uintptr_t)call->pivots + first * n};
    return job->small->lu_solve(&small);
}

tn_status tni_host_run_lu_solve(void *params) {
    const tni_lu_solve *call = params;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, NULL));
    job.operations = (double)call->n * (double)call->n * (double)call->columns * 2;
    tni_linalg_area(&job, 0, call->n, tni_lapack_integer_bytes());
    job.run = lu_solve_one;
    if (call->transposition == TNI_PLAIN)
        tni_linalg_take_small(&job, call->n, call->n, call->columns, TNI_SMALL_SIDE,
                              lu_solve_small);
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(lu_solve, call->count * call->n * (call->n + call->columns))

/* --- permutation --- */

/* The exchanges, from the last to the first, of the rows in their order. */
static int64_t permutation_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_permutation *call = job->call;
    const int64_t *pivots = call->pivots + index * call->least;
    int64_t *places = call->places + index * call->m;
    (void)areas;
    for (int64_t k = 0; k < call->m; k++)
        places[k] = k;
    for (int64_t k = call->least - 1; k >= 0; k--) {
        const int64_t other = pivots[k] - 1, moved = places[k];
        places[k] = places[other];
        places[other] = moved;
    }
    return 0;
}

tn_status tni_host_run_permutation(void *params) {
    const tni_permutation *call = params;
    tni_linalg_job job = {.call = call,
                          .dtype = TN_I64,
                          .item = sizeof(int64_t),
                          .count = call->count,
                          .operations = (double)call->m * 2,
                          .run = permutation_one};
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(permutation, call->count * call->m)

/* --- cholesky_solve --- */

static int64_t cholesky_solve_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_cholesky_solve *call = job->call;
    int64_t n = call->n, columns = call->columns, info = 0;
    char *a = (char *)(uintptr_t)call->a + (size_t)(index * n * n) * job->item;
    char *b = call->b + (size_t)(index * n * columns) * job->item;
    (void)areas;
    job->lapack->potrs(call->upper ? "U" : "L", &n, &columns, a, &n, b, &n, &info, 1);
    return tni_lapack_integer(info);
}

tn_status tni_host_run_cholesky_solve(void *params) {
    const tni_cholesky_solve *call = params;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, NULL));
    job.operations = (double)call->n * (double)call->n * (double)call->columns * 2;
    job.run = cholesky_solve_one;
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(cholesky_solve, call->count * call->n * (call->n + call->columns))

/* --- determinant --- */

/* A product of many factors as mantissa times 2**exponent, which neither overflows nor vanishes. */
typedef struct scaled {
    double complex mantissa;
    int64_t exponent;
} scaled;

/* Not by a product with I, which makes NaN of infinities; CMPLX is not everywhere. */
static double complex complex_of(double real, double imaginary) {
    const double parts[2] = {real, imaginary};
    double complex value;
    memcpy(&value, parts, sizeof value);
    return value;
}

static double complex element(const char *elements, int64_t at, tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: return (double)((const float *)(const void *)elements)[at];
    case TN_F64: return ((const double *)(const void *)elements)[at];
    case TN_C64: return (double complex)((const float complex *)(const void *)elements)[at];
    default: return ((const double complex *)(const void *)elements)[at];
    }
}

static void multiply(scaled *product, double complex factor, bool is_complex) {
    if (is_complex)
        product->mantissa *= factor;
    else
        product->mantissa = creal(product->mantissa) * creal(factor);
    double size = fmax(fabs(creal(product->mantissa)), fabs(cimag(product->mantissa)));
    int exponent = 0;
    if (!isfinite(size) || (size >= 0x1p-200 && size <= 0x1p200)) return;
    frexp(size, &exponent);
    product->mantissa = complex_of(ldexp(creal(product->mantissa), -exponent),
                                   ldexp(cimag(product->mantissa), -exponent));
    product->exponent += exponent;
}

static void put(char *elements, int64_t at, double complex value, tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: ((float *)(void *)elements)[at] = (float)creal(value); break;
    case TN_F64: ((double *)(void *)elements)[at] = creal(value); break;
    case TN_C64: ((float complex *)(void *)elements)[at] = (float complex)value; break;
    default: ((double complex *)(void *)elements)[at] = value;
    }
}

static int clamped(int64_t exponent) {
    return exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : (int)exponent;
}

/* The sign of a real determinant is known even where its value is not a number. */
static void put_logarithm(const tni_determinant *call, int64_t index, const scaled *product,
                          bool is_negative) {
    double size = cabs(product->mantissa);
    double complex sign = is_negative ? -1 : 1;
    if (isnan(creal(product->mantissa)) || isnan(cimag(product->mantissa))) size = (double)NAN;
    if (tni_linalg_is_complex(call->dtype)) sign = product->mantissa / size;
    put(call->sign, index, size == 0 ? 0 : sign, call->dtype);
    put(call->logarithm, index, log(size) + (double)product->exponent * 0.693147180559945309417,
        tni_linalg_real(call->dtype));
}

static double real_element(const tni_determinant *call, int64_t at) {
    return call->dtype == TN_F32 ? (double)((const float *)(const void *)call->lu)[at]
                                 : ((const double *)(const void *)call->lu)[at];
}

/* The product of a real diagonal, where no part of it comes near the ends of its range. */
static bool multiply_plainly(scaled *product, const tni_determinant *call, int64_t index) {
    const int64_t n = call->n, first = index * n * n;
    const int64_t *pivots = call->pivots + index * n;
    double whole = 1;
    bool is_plain = true;
    for (int64_t k = 0; k < n; k++) {
        const double factor = real_element(call, first + k * (n + 1));
        whole *= pivots[k] == k + 1 ? factor : -factor;
        is_plain &= fabs(whole) > 0x1p-500 && fabs(whole) < 0x1p500;
    }
    product->mantissa = whole;
    product->exponent = 0;
    return is_plain;
}

static int64_t determinant_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_determinant *call = job->call;
    const int64_t n = call->n;
    const char *lu = call->lu + (size_t)(index * n * n) * job->item;
    const int64_t *pivots = call->pivots + index * n;
    const bool is_complex = tni_linalg_is_complex(call->dtype);
    scaled product = {1, 0};
    bool is_negative = false;
    (void)areas;
    const bool is_done = !is_complex && multiply_plainly(&product, call, index);
    if (is_done)
        is_negative = creal(product.mantissa) < 0;
    else
        product = (scaled){1, 0};
    for (int64_t k = 0; k < n && !is_done; k++) {
        double complex factor = element(lu, k * (n + 1), call->dtype);
        if (pivots[k] != k + 1) factor = -factor;
        is_negative ^= creal(factor) < 0 || (isnan(creal(factor)) && pivots[k] != k + 1);
        multiply(&product, factor, is_complex);
    }
    int exponent = clamped(product.exponent);
    if (!call->logarithm) {
        put(call->sign, index,
            complex_of(ldexp(creal(product.mantissa), exponent),
                       ldexp(cimag(product.mantissa), exponent)),
            call->dtype);
        return 0;
    }
    put_logarithm(call, index, &product, is_negative);
    return 0;
}

tn_status tni_host_run_determinant(void *params) {
    const tni_determinant *call = params;
    tni_linalg_job job = {.call = call,
                          .dtype = call->dtype,
                          .item = (size_t)tn_dtype_size(call->dtype),
                          .count = call->count,
                          .operations = (double)call->n,
                          .run = determinant_one};
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(determinant, call->count * call->n)

/* --- triangular --- */

static int64_t triangular_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_triangular *call = job->call;
    int64_t n = call->n, columns = call->columns, info = 0;
    char *a = (char *)(uintptr_t)call->a + (size_t)(index * n * n) * job->item;
    char *b = call->b + (size_t)(index * n * columns) * job->item;
    (void)areas;
    job->lapack->trtrs(call->upper ? "U" : "L", letter(call->transposition), call->unit ? "U" : "N",
                       &n, &columns, a, &n, b, &n, &info, 1, 1, 1);
    info = tni_lapack_integer(info);
    if (info) tni_linalg_fill_nan(b, n * columns, call->dtype);
    return info;
}

tn_status tni_host_run_triangular(void *params) {
    const tni_triangular *call = params;
    tni_linalg_job job;
    TNI_TRY(tni_linalg_begin(&job, call, call->dtype, call->count, call->failure));
    job.operations = (double)call->n * (double)call->n * (double)call->columns;
    job.run = triangular_one;
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(triangular, call->count * call->n * (call->n + call->columns))

/* --- triangle --- */

static int64_t triangle_one(const tni_linalg_job *job, int64_t index, char *const *areas) {
    const tni_triangle *call = job->call;
    const int64_t m = call->m, n = call->n;
    char *a = call->a + (size_t)(index * m * n) * job->item;
    (void)areas;
    for (int64_t column = 0; column < n; column++) {
        int64_t first = call->keeps_upper ? column + 1 : 0;
        int64_t end = call->keeps_upper || column > m ? m : column;
        if (first < end)
            memset(a + (size_t)(column * m + first) * job->item, 0,
                   (size_t)(end - first) * job->item);
    }
    return 0;
}

tn_status tni_host_run_triangle(void *params) {
    const tni_triangle *call = params;
    tni_linalg_job job = {.call = call,
                          .item = (size_t)call->item,
                          .count = call->count,
                          .operations = (double)call->m * (double)call->n / 8,
                          .run = triangle_one};
    return tni_linalg_run(&job);
}

TNI_HOST_PLAN(triangle, call->count * call->m * call->n)
