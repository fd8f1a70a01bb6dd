/* Factors of square matrices: the driver, which brings arrays to the host, where the factors are.
 *
 * A right side of complex numbers for real factors is one of twice as many columns. */
#include "core/base/alloc.h"
#include "core/sparse/csr.h"
#include "forms/factors.h"

#include <string.h>

struct tn_sparse_lu {
    tn_dtype dtype;
    tn_device device; /* that of the matrix */
    tni_factors factors;
};

static tn_device host_of(const tn_array *array) {
    const tn_device device = tn_array_device(array);
    return device.backend == TN_BACKEND_HOST ? device : (tn_device){TN_BACKEND_HOST, 0};
}

static bool is_of_lapack(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_F64 || dtype == TN_C64 || dtype == TN_C128;
}

static void release_parts(tni_factors *f) {
    tni_factor_part *const parts[2] = {&f->lower, &f->upper};
    for (int k = 0; k < 2; k++) {
        tni_free(parts[k]->starts);
        tni_free(parts[k]->rows);
        tni_free(parts[k]->values);
    }
    tni_free(f->diagonal);
    tni_free(f->row_of);
    tni_free(f->column_of);
}

void tn_sparse_lu_release(tn_sparse_lu *lu) {
    if (!lu) return;
    release_parts(&lu->factors);
    tni_free(lu);
}

void tn_sparse_lu_size(const tn_sparse_lu *lu, int64_t *n, int64_t *lower, int64_t *upper) {
    const tni_factors *f = &lu->factors;
    *n = f->n;
    *lower = f->lower.starts[f->n];
    *upper = f->upper.starts[f->n];
}

tn_dtype tn_sparse_lu_dtype(const tn_sparse_lu *lu) {
    return lu->dtype;
}

/* The form on arrays that are the host's. */
static tn_status factor(tn_sparse_lu *lu, const tn_csr *a, const tn_sparse_lu_options *options,
                        tn_stream *stream) {
    static const tni_factor_order orders[] = {
        [TN_SPARSE_ORDER_CHOSEN] = TNI_ORDER_CHOSEN,
        [TN_SPARSE_ORDER_SUM] = TNI_ORDER_SUM,
        [TN_SPARSE_ORDER_PRODUCT] = TNI_ORDER_PRODUCT,
        [TN_SPARSE_ORDER_NATURAL] = TNI_ORDER_NATURAL,
    };
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tni_csr_factor call = {.order = orders[options->order],
                           .threshold = options->diagonal_threshold,
                           .drop = options->drop_tolerance,
                           .fill = options->fill,
                           .most = options->most_elements ? options->most_elements : INT64_MAX,
                           .to = &lu->factors};
    tn_status status;
    call.dtype = lu->dtype = is_of_lapack(a->data->dtype) ? a->data->dtype : TN_F64;
    TNI_TRY_OWNING(tni_csr_begin(&stream, &call.is_wide, 1, &a, NULL));
    TNI_TRY_OWNING(tni_csr_hold(&held, a, call.dtype, call.is_wide, stream));
    call.a = held.csr;
    status = tni_queue_csr_factor(&call, stream);
    const tn_status waited = tn_stream_synchronize(stream, -1);
    if (!status) status = waited;
cleanup:
    tni_csr_release(&held);
    return status;
}

static tn_status check(const tn_csr *a, const tn_sparse_lu_options *options) {
    if (a->rows != a->columns)
        TNI_FAIL(TN_ERROR_VALUE, "expected square matrix (shape: (%lld, %lld))",
                 (long long)a->columns, (long long)a->rows);
    if (a->rows > INT32_MAX / 2)
        TNI_FAIL(TN_ERROR_OVERFLOW, "a matrix of %lld rows has too many for a factorization",
                 (long long)a->rows);
    if ((unsigned)options->order > TN_SPARSE_ORDER_NATURAL)
        TNI_FAIL(TN_ERROR_VALUE, "there is no order of columns of number %d", (int)options->order);
    if (!(options->diagonal_threshold <= 1))
        TNI_FAIL(TN_ERROR_VALUE, "the diagonal's threshold is %g, not at most 1",
                 options->diagonal_threshold);
    if (options->drop_tolerance >= 0 && !(options->fill > 0))
        TNI_FAIL(TN_ERROR_VALUE, "the fill factor is %g, not above 0", options->fill);
    return TN_OK;
}

tn_status tn_sparse_lu_new(tn_sparse_lu **result, const tn_csr *a,
                           const tn_sparse_lu_options *options, tn_stream *stream) {
    const tn_device host = host_of(a->data);
    const bool is_there = tn_device_is_equal(host, tn_array_device(a->data));
    const tn_array *const given[3] = {a->data, a->indices, a->indptr};
    tn_array *arrays[3] = {NULL, NULL, NULL};
    tn_sparse_lu *lu = NULL;
    tn_status status;
    TNI_TRY(check(a, options));
    for (int k = 0; k < 3; k++)
        TNI_TRY_OWNING(tn_array_to_device(&arrays[k], given[k], host, TN_COPY_IF_NEEDED, NULL));
    const tn_csr there = {a->rows, a->columns, arrays[0], arrays[1], arrays[2]};
    lu = tni_calloc(1, sizeof *lu);
    if (!lu) {
        status = tni_fail_no_memory(sizeof *lu);
        goto cleanup;
    }
    lu->device = tn_array_device(a->data);
    TNI_TRY_OWNING(factor(lu, &there, options, is_there ? stream : NULL));
    *result = lu;
    lu = NULL;
cleanup:
    tn_sparse_lu_release(lu);
    for (int k = 0; k < 3; k++)
        tn_array_release(arrays[k]);
    return status;
}

/* --- Solutions --- */

/* In place, for an array of C order on the host. */
static tn_status solve(const tn_sparse_lu *lu, tn_sparse_solve how, tn_array *b,
                       tn_stream *stream) {
    tni_csr_factor_solve call = {.dtype = lu->dtype,
                                 .is_transposed = how != TN_SPARSE_SOLVE_PLAIN,
                                 .is_adjoint = how == TN_SPARSE_SOLVE_ADJOINT,
                                 .factors = &lu->factors};
    if (!b->size) return TN_OK;
    call.columns = b->size / lu->factors.n;
    if (b->dtype != lu->dtype) call.columns *= 2;
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(b)));
    TNI_TRY(tni_array_access(&call.b, b, TNI_READ_WRITE, stream));
    const tn_status status = tni_queue_csr_factor_solve(&call, stream);
    const tn_status waited = tn_stream_synchronize(stream, -1);
    return status ? status : waited;
}

tn_status tn_sparse_lu_solve(tn_array **result, const tn_sparse_lu *lu, tn_sparse_solve how,
                             const tn_array *b, tn_stream *stream) {
    const tn_device device = tn_array_device(b), host = host_of(b);
    tn_stream *on_host = tn_device_is_equal(device, host) ? stream : NULL;
    tn_dtype dtype = lu->dtype;
    tn_array *there = NULL, *x = NULL;
    tn_status status;
    if ((b->ndim != 1 && b->ndim != 2) || tni_shape(b)[0] != lu->factors.n)
        TNI_FAIL(TN_ERROR_VALUE,
                 "a right side must have one or two dimensions and %lld rows, not %d and %lld",
                 (long long)lu->factors.n, b->ndim, b->ndim ? (long long)tni_shape(b)[0] : 0LL);
    if ((unsigned)how > TN_SPARSE_SOLVE_ADJOINT)
        TNI_FAIL(TN_ERROR_VALUE, "there is no way to solve of number %d", (int)how);
    if (tn_dtype_kind(b->dtype) == TN_KIND_COMPLEX)
        dtype = dtype == TN_F32 ? TN_C64 : dtype == TN_F64 ? TN_C128 : dtype;
    TNI_TRY_OWNING(tn_array_to_device(&there, b, host, TN_COPY_IF_NEEDED, on_host));
    TNI_TRY_OWNING(
        tn_array_astype(&x, there, dtype, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, on_host));
    TNI_TRY_OWNING(solve(lu, how, x, on_host));
    status = tn_array_to_device(result, x, device, TN_COPY_IF_NEEDED, stream);
cleanup:
    tn_array_release(there);
    tn_array_release(x);
    return status;
}

/* --- The factors as arrays --- */

/* A new array with a copy of these values. */
static tn_status give_array(tn_array **result, const tn_sparse_lu *lu, tn_dtype dtype, int64_t n,
                            const void *values) {
    tn_stream *stream;
    TNI_TRY(tni_stream_resolve(&stream, NULL, lu->device));
    return tn_array_new_from_host(result, values, dtype, 1, &n, NULL, TN_ORDER_C, stream);
}

tn_status tn_sparse_lu_places(tn_array **rows, tn_array **columns, const tn_sparse_lu *lu) {
    const int64_t n = lu->factors.n;
    tn_array *made = NULL;
    tn_status status = TN_OK;
    int32_t *places = tni_malloc((size_t)(2 * n + 1) * sizeof *places);
    if (!places) return tni_fail_no_memory(2 * n * (int64_t)sizeof *places);
    for (int64_t k = 0; k < n; k++) {
        places[lu->factors.row_of[k]] = (int32_t)k;
        places[n + lu->factors.column_of[k]] = (int32_t)k;
    }
    TNI_TRY_OWNING(give_array(&made, lu, TN_I32, n, places));
    TNI_TRY_OWNING(give_array(columns, lu, TN_I32, n, places + n));
    *rows = tn_array_retain(made);
cleanup:
    tn_array_release(made);
    tni_free(places);
    return status;
}

static void put_one(char *to, tn_dtype dtype) {
    const float one_f32[2] = {1, 0};
    const double one_f64[2] = {1, 0};
    const bool is_single = dtype == TN_F32 || dtype == TN_C64;
    memcpy(to, is_single ? (const void *)one_f32 : one_f64, (size_t)tn_dtype_size(dtype));
}

/* A triangle with its diagonal first in every column. */
typedef struct whole {
    int64_t *starts, *rows;
    char *values;
} whole;

static void complete(whole *w, const tn_sparse_lu *lu, bool is_upper) {
    const tni_factors *f = &lu->factors;
    const tni_factor_part *part = is_upper ? &f->upper : &f->lower;
    const int64_t item = tn_dtype_size(lu->dtype);
    for (int64_t k = 0; k < f->n; k++) {
        const int64_t from = part->starts[k], n = part->starts[k + 1] - from, to = from + k;
        w->starts[k] = to;
        w->rows[to] = k;
        if (is_upper)
            memcpy(w->values + to * item, (const char *)f->diagonal + k * item, (size_t)item);
        else
            put_one(w->values + to * item, lu->dtype);
        for (int64_t at = 0; at < n; at++)
            w->rows[to + 1 + at] = part->rows[from + at];
        memcpy(w->values + (to + 1) * item, (const char *)part->values + from * item,
               (size_t)(n * item));
    }
    w->starts[f->n] = part->starts[f->n] + f->n;
}

static tn_status give(tn_csr_arrays *result, const tn_sparse_lu *lu, bool is_upper) {
    const int64_t n = lu->factors.n;
    const int64_t count = (is_upper ? &lu->factors.upper : &lu->factors.lower)->starts[n] + n;
    tn_csr_arrays made = {NULL, NULL, NULL};
    tn_status status;
    whole w = {tni_malloc((size_t)(n + 1) * 8), tni_malloc((size_t)(count + 1) * 8),
               tni_malloc((size_t)((count + 1) * tn_dtype_size(lu->dtype)))};
    if (!w.starts || !w.rows || !w.values) {
        status = tni_fail_no_memory(count * 16);
        goto cleanup;
    }
    complete(&w, lu, is_upper);
    TNI_TRY_OWNING(give_array(&made.data, lu, lu->dtype, count, w.values));
    TNI_TRY_OWNING(give_array(&made.indices, lu, TN_I64, count, w.rows));
    TNI_TRY_OWNING(give_array(&made.indptr, lu, TN_I64, n + 1, w.starts));
    *result = made;
cleanup:
    if (status) tni_csr_arrays_release(&made);
    tni_free(w.starts);
    tni_free(w.rows);
    tni_free(w.values);
    return status;
}

tn_status tn_sparse_lu_factors(tn_csr_arrays *lower, tn_csr_arrays *upper, const tn_sparse_lu *lu) {
    tn_csr_arrays made;
    TNI_TRY(give(&made, lu, false));
    const tn_status status = give(upper, lu, true);
    if (status)
        tni_csr_arrays_release(&made);
    else
        *lower = made;
    return status;
}
