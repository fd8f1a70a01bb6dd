/* Linear algebra on CUDA: decompositions by cuSOLVER, what is between them by our own kernels.
 *
 * A matrix without decomposition is reported by cuSOLVER in device memory; a kernel reads that and
 * writes the stream's record, which the next wait raises, as it does with bad indexes. cuSOLVER's
 * gesvd takes no matrix of more columns than rows: its adjoint is decomposed. */
#include "forms/linalg.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/linalg/small_matrices.h"
#include "backend/cuda/forms/move.h"
#include "backend/cuda/forms/step.h"
#include "backend/cuda/launch/scratch.h"
#include "backend/cuda/libraries/blas.h"
#include "backend/cuda/libraries/solver.h"

enum { BLOCK = 256 };

static const tni_failures_form failures_form = TNI_FORM(failures, NULL);
static const tni_diagonal_zeros_form zeros_form = TNI_FORM(diagonal_zeros, tni_write_real);
static const tni_not_numbers_form nan_form = TNI_FORM(not_numbers, tni_write_real);
static const tni_triangle_form triangle_form = TNI_FORM(triangle, NULL);

/* --- What failed --- */

/* A plan of our own launches between those of the library. */
static tn_status begin(tni_plan *plan, tn_stream *stream) {
    const tni_target *target;
    TNI_TRY(tni_cuda_target_get(&target, stream->device.number));
    tni_plan_init(plan, target);
    return TN_OK;
}

static tn_status tell(const int *infos, int64_t count, const char *failure, tn_stream *stream) {
    tni_plan plan;
    TNI_TRY(begin(&plan, stream));
    TNI_STEP(&plan, failures, &failures_form, MACROS(.BLOCK = BLOCK),
             PARAMS(.infos = infos, .count = count, .text = (int64_t)(uintptr_t)failure));
    tni_plan_grid(&plan, tni_form_ceil(count, BLOCK), BLOCK);
    return tni_plan_launch(&plan, stream);
}

/* cuSOLVER finds no fault with matrices that are not finite: their values are NaN. */
static tn_status report_nan(const char *values, int64_t count, tn_dtype dtype, const char *failure,
                            tn_stream *stream) {
    tni_plan plan;
    TNI_TRY(begin(&plan, stream));
    TNI_STEP(&plan, not_numbers, &nan_form, MACROS(.BLOCK = BLOCK),
             PARAMS(.values = values, .count = count, .text = (int64_t)(uintptr_t)failure))
        ->dtypes[0] = (int8_t)dtype;
    tni_plan_grid(&plan, tni_form_ceil(count, BLOCK), BLOCK);
    return tni_plan_launch(&plan, stream);
}

/* A library's call with room for what it says of each matrix; `failure` NULL: that is not looked
 * at. */
#define RUN(name, form, function, text)                                                            \
    static tn_status name(const void *params, tn_stream *stream) {                                 \
        const tni_##form *call = params;                                                           \
        tni_scratch infos = {NULL, NULL};                                                          \
        tn_status status;                                                                          \
        TNI_TRY(tni_scratch_init(&infos, call->count *(int64_t)sizeof(int), 0, stream));           \
        status = function(call, (int *)(void *)infos.address, stream);                             \
        if (status == TN_OK && (text))                                                             \
            status = tell((const int *)(void *)infos.address, call->count, text, stream);          \
        tni_scratch_deinit(&infos);                                                                \
        return status;                                                                             \
    }

#define NOTHING ((const char *)NULL)
RUN(each_cholesky, cholesky, tni_cusolver_cholesky, call->failure)
RUN(each_lu, lu, tni_cusolver_lu, call->failure)
RUN(each_lu_solve, lu_solve, tni_cusolver_lu_solve, NOTHING)
RUN(cholesky_solve, cholesky_solve, tni_cusolver_cholesky_solve, NOTHING)
RUN(factor_qr, qr, tni_cusolver_qr, NOTHING)
RUN(q, qr, tni_cusolver_q, NOTHING)
RUN(solver_eigh, eigh, tni_cusolver_eigh, call->failure)
RUN(packed_eig, eig, tni_cusolver_eig, call->failure)
RUN(rotated_svd, svd, tni_cusolver_svd, call->failure)

static tn_status each_eigh(const void *params, tn_stream *stream) {
    const tni_eigh *call = params;
    TNI_TRY(solver_eigh(params, stream));
    if (!call->failure) return TN_OK;
    return report_nan(call->w, call->count * call->n, call->dtype, call->failure, stream);
}

/* Many small matrices are done beside one another. */
#define SMALL_OR(name, rest)                                                                       \
    static tn_status name(const void *params, tn_stream *stream) {                                 \
        bool is_done;                                                                              \
        TNI_TRY(tni_small_##name(params, &is_done, stream));                                       \
        return is_done ? TN_OK : rest(params, stream);                                             \
    }
SMALL_OR(cholesky, each_cholesky)
SMALL_OR(lu, each_lu)
SMALL_OR(lu_solve, each_lu_solve)
SMALL_OR(eigh, each_eigh)

#define PLAN(name)                                                                                 \
    tn_status tni_plan_##name(tni_plan *plan, const struct tni_##name *call) {                     \
        tni_plan_library(plan, name, call);                                                        \
        return TN_OK;                                                                              \
    }
PLAN(cholesky)
PLAN(lu)
PLAN(lu_solve)
PLAN(cholesky_solve)
PLAN(eigh)

/* --- Copies between stacks --- */

/* to[count, i, j] = from, strides in elements; conjugated where the dtype is complex. */
static tn_status copy(char *to, const int64_t to_steps[3], const char *from,
                      const int64_t from_steps[3], const int64_t shape[3], tn_dtype dtype,
                      bool conjugates, tn_stream *stream) {
    const int64_t item = tn_dtype_size(dtype);
    tni_place target = {.data = to, .dtype = dtype};
    tni_place source = {.data = (char *)(uintptr_t)from, .dtype = dtype};
    for (int k = 0; k < 3; k++) {
        target.strides[k] = to_steps[k] * item;
        source.strides[k] = from_steps[k] * item;
    }
    return tni_cuda_move(&target, &source, 3, shape, conjugates, stream);
}

/* Stacks by columns: to (n x m) = the adjoint of from (m x n). */
static tn_status adjoint(char *to, const char *from, int64_t count, int64_t m, int64_t n,
                         tn_dtype dtype, tn_stream *stream) {
    return copy(to, (int64_t[3]){m * n, n, 1}, from, (int64_t[3]){m * n, 1, m},
                (int64_t[3]){count, m, n}, dtype, true, stream);
}

/* --- qr --- */

static tn_status whole_qr(const void *params, tn_stream *stream) {
    const tni_qr *call = params;
    const int64_t m = call->m, columns = call->columns < call->n ? call->columns : call->n;
    TNI_TRY(factor_qr(params, stream));
    if (!call->q) return TN_OK;
    TNI_TRY(copy(call->q, (int64_t[3]){m * call->columns, m, 1}, call->a,
                 (int64_t[3]){m * call->n, m, 1}, (int64_t[3]){call->count, columns, m},
                 call->dtype, false, stream));
    return q(params, stream);
}

SMALL_OR(qr, whole_qr)
PLAN(qr)

/* --- eig --- */

static const tni_eigenvectors_form vectors_form = TNI_FORM(eigenvectors, tni_write_real);

static tn_status unpack(const tni_eig *call, const char *packed, tn_stream *stream) {
    tni_plan plan;
    TNI_TRY(begin(&plan, stream));
    tni_form_key *key = TNI_STEP(&plan, eigenvectors, &vectors_form, MACROS(.BLOCK = BLOCK),
                                 PARAMS(.packed = packed, .w = call->w, .vectors = call->v,
                                        .count = call->count * call->n * call->n, .n = call->n));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(&plan, tni_form_ceil(call->count * call->n * call->n, BLOCK), BLOCK);
    return tni_plan_launch(&plan, stream);
}

static tn_status eig(const void *params, tn_stream *stream) {
    const tni_eig *call = params;
    if (!call->v || tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX) return packed_eig(call, stream);
    const int64_t bytes = call->count * call->n * call->n * tn_dtype_size(call->dtype);
    tni_scratch memory = {NULL, NULL};
    tni_eig packed = *call;
    TNI_TRY(tni_scratch_init(&memory, bytes, -1, stream));
    packed.v = memory.address;
    tn_status status = packed_eig(&packed, stream);
    if (status == TN_OK) status = unpack(call, memory.address, stream);
    tni_scratch_deinit(&memory);
    return status;
}
PLAN(eig)

/* --- svd --- */

enum { POLAR_SIDE = 64 /* from here on the polar decomposition is the faster one */ };

static tn_status polar_svd(const tni_svd *call, bool *is_done, tn_stream *stream) {
    const int64_t m = call->m, n = call->n, bytes = call->count * tn_dtype_size(call->dtype);
    const int64_t a_bytes = (bytes * m * n + 511) & -512, v_bytes = (bytes * n * n + 511) & -512;
    tni_scratch memory = {NULL, NULL};
    tni_svd own = *call;
    tn_status status;
    TNI_TRY(tni_scratch_init(&memory, a_bytes + v_bytes + call->count * (int64_t)sizeof(int), -1,
                             stream));
    own.a = memory.address;
    own.vh = memory.address + a_bytes;
    int *infos = (int *)(void *)(own.vh + v_bytes);
    TNI_TRY_OWNING(copy(own.a, (int64_t[3]){m * n, m, 1}, call->a, (int64_t[3]){m * n, m, 1},
                        (int64_t[3]){call->count, n, m}, call->dtype, false, stream));
    TNI_TRY_OWNING(tni_cusolver_polar_svd(&own, is_done, infos, stream));
    if (!*is_done) goto cleanup;
    TNI_TRY_OWNING(adjoint(call->vh, own.vh, call->count, n, n, call->dtype, stream));
    if (call->failure) TNI_TRY_OWNING(tell(infos, call->count, call->failure, stream));
cleanup:
    tni_scratch_deinit(&memory);
    return status;
}

static tn_status tall_svd(const tni_svd *call, tn_stream *stream) {
    bool is_done = false;
    if (call->u && call->n >= POLAR_SIDE) TNI_TRY(polar_svd(call, &is_done, stream));
    return is_done ? TN_OK : rotated_svd(call, stream);
}

/* Of the adjoint, whose u and vh are the adjoints of vh and u. */
static tn_status wide_svd(const tni_svd *call, tn_stream *stream) {
    const int64_t m = call->m, n = call->n, item = tn_dtype_size(call->dtype);
    const int64_t rows = call->full ? n : m, bytes = call->count * item;
    const int64_t a_bytes = (bytes * m * n + 511) & -512, u_bytes = (bytes * n * rows + 511) & -512;
    tni_scratch memory = {NULL, NULL};
    tni_svd transposed = *call;
    tn_status status;
    TNI_TRY(tni_scratch_init(&memory, a_bytes + u_bytes + bytes * m * m, -1, stream));
    transposed.m = n;
    transposed.n = m;
    transposed.a = memory.address;
    if (call->u) {
        transposed.u = memory.address + a_bytes;
        transposed.vh = transposed.u + u_bytes;
    }
    TNI_TRY_OWNING(adjoint(transposed.a, call->a, call->count, m, n, call->dtype, stream));
    TNI_TRY_OWNING(tall_svd(&transposed, stream));
    if (call->u) {
        TNI_TRY_OWNING(adjoint(call->vh, transposed.u, call->count, n, rows, call->dtype, stream));
        TNI_TRY_OWNING(adjoint(call->u, transposed.vh, call->count, m, m, call->dtype, stream));
    }
cleanup:
    tni_scratch_deinit(&memory);
    return status;
}

static tn_status each_svd(const void *params, tn_stream *stream) {
    const tni_svd *call = params;
    const int64_t least = call->m < call->n ? call->m : call->n;
    TNI_TRY(call->m < call->n ? wide_svd(call, stream) : tall_svd(call, stream));
    if (!call->failure) return TN_OK;
    return report_nan(call->s, call->count * least, call->dtype, call->failure, stream);
}
SMALL_OR(svd, each_svd)
PLAN(svd)

/* --- triangular --- */

/* A zero on the diagonal is reported before cuBLAS divides by it. */
static tn_status triangular(const void *params, tn_stream *stream) {
    const tni_triangular *call = params;
    if (call->failure && !call->unit) {
        tni_plan plan;
        TNI_TRY(begin(&plan, stream));
        TNI_STEP(&plan, diagonal_zeros, &zeros_form,
                 MACROS(.BLOCK = BLOCK, .COMPLEX = tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX),
                 PARAMS(.a = call->a, .count = call->count, .n = call->n,
                        .text = (int64_t)(uintptr_t)call->failure))
            ->dtypes[0] = (int8_t)call->dtype;
        tni_plan_grid(&plan, tni_form_ceil(call->count * call->n, BLOCK), BLOCK);
        TNI_TRY(tni_plan_launch(&plan, stream));
    }
    return tni_cublas_triangular(call, stream);
}
PLAN(triangular)

/* --- Own kernels --- */

tn_status tni_plan_triangle(tni_plan *plan, const struct tni_triangle *call) {
    const int64_t count = call->count * call->m * call->n;
    TNI_STEP(plan, triangle, &triangle_form,
             MACROS(.BLOCK = BLOCK, .WORDS = (call->item / 4), .UPPER = call->keeps_upper),
             PARAMS(.a = call->a, .count = count, .m = call->m, .n = call->n));
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK), BLOCK);
    return TN_OK;
}

static const tni_determinant_form determinant_form = TNI_FORM(determinant, tni_write_real);

/* A lane multiplies up to eight factors of a small matrix. */
tn_status tni_plan_determinant(tni_plan *plan, const struct tni_determinant *call) {
    const int lanes = call->n <= 8 ? 1 : call->n <= 32 ? 4 : 32;
    tni_form_key *key =
        TNI_STEP(plan, determinant, &determinant_form,
                 MACROS(.BLOCK = BLOCK, .COMPLEX = tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX,
                        .LANES = lanes),
                 PARAMS(.lu = call->lu, .pivots = call->pivots, .sign = call->sign,
                        .logarithm = call->logarithm, .count = call->count, .n = call->n));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK / lanes), BLOCK);
    return TN_OK;
}

static const tni_permutation_form permutation_form = TNI_FORM(permutation, NULL);

tn_status tni_plan_permutation(tni_plan *plan, const struct tni_permutation *call) {
    TNI_STEP(plan, permutation, &permutation_form, MACROS(.BLOCK = BLOCK),
             PARAMS(.pivots = call->pivots, .places = call->places, .count = call->count,
                    .m = call->m, .least = call->least));
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK), BLOCK);
    return TN_OK;
}
