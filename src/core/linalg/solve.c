/* Factors of square matrices, solutions, inverses and determinants.
 *
 * Invariant: a form works on copies of ours, so inputs are never touched, and a result is handed
 * out when everything has been queued. Several right sides of one matrix lie side by side, so they
 * are one right side of many columns, and the matrix is factored once. */
#include "core/linalg/stack.h"

#include <tenorite/create.h>
#include <tenorite/elementwise.h>
#include <tenorite/linalg.h>

#include <math.h>
#include <string.h>

static const char singular[] = "Singular matrix";

/* --- cholesky --- */

tn_status tn_linalg_cholesky(tn_array **result, const tn_array *a, bool upper, tn_stream *stream) {
    tni_cholesky call = {.failure = tni_linalg_failure("Matrix is not positive definite")};
    tni_stack_shape stack;
    tn_array *factor = NULL, *given = NULL;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(a));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    tni_stack_shape_of(&stack, a, 2);
    /* The transpose, from its other triangle, has the factor by rows. On CUDA the time of a matrix
     * by columns is known, and a copy takes little beside it. */
    const bool is_transposed = stream->device.backend == TN_BACKEND_HOST;
    call.upper = upper != is_transposed;
    TNI_TRY((is_transposed ? tni_stack_copy_by_rows : tni_stack_copy)(&factor, a, &stack,
                                                                      call.dtype, stream));
    call.count = stack.count;
    call.n = tni_rows(a);
    if (factor->size > 0) {
        TNI_TRY_OWNING(tni_stack_open(&call.a, factor, stream));
        TNI_TRY_OWNING(tni_linalg_settle(tni_queue_cholesky(&call, stream), stream));
    }
    if (is_transposed)
        given = tn_array_retain(factor);
    else
        TNI_TRY_OWNING(tni_stack_give(&given, factor, stream));
    TNI_TRY_OWNING(tni_linalg_clear_triangle(given, upper, stream));
    *result = tn_array_retain(given);
cleanup:
    tn_array_release(factor);
    tn_array_release(given);
    return status;
}

/* --- lu --- */

/* The factors of a stack's matrices: arrays of ours, the rows from 1. */
typedef struct factors {
    tn_array *lu, *pivots;
} factors;

static void release(factors *f) {
    tn_array_release(f->lu);
    tn_array_release(f->pivots);
    f->lu = f->pivots = NULL;
}

enum { TRANSPOSED_SIDE = 64 }; /* up to which a matrix is transposed in the cache */

/* A copy of matrices to be factored. On the host small ones by rows stay so, and the form turns
 * them. */
static tn_status copy_to_factor(tni_lu *call, tn_array **copy, const tn_array *a,
                                const tni_stack_shape *stack, tn_stream *stream) {
    int axes[TN_MAX_NDIM];
    tn_array *transposed = NULL;
    call->is_transposed = stream->device.backend == TN_BACKEND_HOST && call->m == call->n &&
                          call->n > 1 && call->n <= TRANSPOSED_SIDE &&
                          tni_strides(a)[a->ndim - 1] == tn_dtype_size((tn_dtype)a->dtype);
    if (!call->is_transposed) return tni_stack_copy(copy, a, stack, call->dtype, stream);
    TNI_TRY(tni_stack_new(copy, stack, call->dtype, call->m, call->n, stream));
    for (int k = 0; k < a->ndim; k++)
        axes[k] = k;
    axes[a->ndim - 2] = a->ndim - 1;
    axes[a->ndim - 1] = a->ndim - 2;
    TNI_TRY(tn_array_transpose(&transposed, *copy, a->ndim, axes));
    tn_status status = tn_array_assign(transposed, a, TN_CASTING_UNSAFE, stream);
    tn_array_release(transposed);
    return status;
}

/* `failure` NULL: a pivot of 0 is none. */
static tn_status factor(factors *f, const tn_array *a, tn_dtype dtype, const char *failure,
                        tn_stream *stream) {
    tni_lu call = {.dtype = dtype, .m = tni_rows(a), .n = tni_columns(a), .failure = failure};
    tni_stack_shape stack;
    tn_status status;
    f->lu = f->pivots = NULL;
    tni_stack_shape_of(&stack, a, 2);
    call.count = stack.count;
    TNI_TRY_OWNING(copy_to_factor(&call, &f->lu, a, &stack, stream));
    TNI_TRY_OWNING(tni_stack_new_vectors(&f->pivots, &stack, TN_I64,
                                         call.m < call.n ? call.m : call.n, stream));
    if (f->lu->size > 0) {
        TNI_TRY_OWNING(tni_stack_open(&call.a, f->lu, stream));
        TNI_TRY_OWNING(tni_stack_open(&call.pivots, f->pivots, stream));
        TNI_TRY_OWNING(tni_linalg_settle(tni_queue_lu(&call, stream), stream));
    }
    return TN_OK;
cleanup:
    release(f);
    return status;
}

/* Rows from 1 in i64 become rows from 0 in i32 (by -1), or the other way (by 1), in memory of C
 * order. */
static tn_status shift(tn_array **result, const tn_array *pivots, int by, tn_stream *stream) {
    const tn_operand operands[2] = {tn_operand_array(pivots),
                                    tn_operand_scalar(tn_scalar_weak_int(by))};
    tn_array *moved = NULL;
    TNI_TRY(tn_elementwise(&moved, TN_OP_ADD, operands, NULL, stream));
    tn_status status = tn_array_astype(result, moved, by < 0 ? TN_I32 : TN_I64, TN_ORDER_C,
                                       TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED, stream);
    tn_array_release(moved);
    return status;
}

tn_status tn_linalg_lu(tn_array **lu, tn_array **pivots, const tn_array *a, tn_stream *stream) {
    tn_dtype dtype;
    factors f;
    TNI_TRY(tni_linalg_check_matrices(a));
    TNI_TRY(tni_linalg_dtype(&dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    TNI_TRY(factor(&f, a, dtype, NULL, stream));
    tn_status status = shift(pivots, f.pivots, -1, stream);
    if (status == TN_OK) *lu = tn_array_retain(f.lu);
    release(&f);
    return status;
}

tn_status tn_linalg_lu_parts(tn_array **l, tn_array **u, const tn_array *lu, tn_stream *stream) {
    tn_array *lower = NULL, *ones = NULL;
    tn_dtype dtype;
    tn_status status;
    TNI_TRY(tni_linalg_check_matrices(lu));
    TNI_TRY(tni_linalg_dtype(&dtype, 1, &lu));
    TNI_TRY(tni_linalg_stream(&stream, 1, &lu));
    const int64_t m = tni_rows(lu), n = tni_columns(lu), least = m < n ? m : n;
    TNI_TRY(tni_stack_take_triangle(&lower, lu, m, least, false, stream));
    TNI_TRY_OWNING(tn_array_diagonal(&ones, lower, 0, -2, -1));
    TNI_TRY_OWNING(tn_array_fill(ones, tn_scalar_weak_int(1), stream));
    TNI_TRY_OWNING(tni_stack_take_triangle(u, lu, least, n, true, stream));
    *l = tn_array_retain(lower);
cleanup:
    tn_array_release(lower);
    tn_array_release(ones);
    return status;
}

/* Rows from 0 of whatever a program gave, as rows from 1 of a matrix of n rows. */
static tn_status rows_from_one(tn_array **result, const tn_array *pivots, int64_t n,
                               tn_stream *stream) {
    static const tn_op bounds[2] = {TN_OP_MAXIMUM, TN_OP_MINIMUM};
    const tn_scalar ends[2] = {tn_scalar_weak_int(1), tn_scalar_weak_int(n)};
    tn_array *rows = NULL, *bounded;
    TNI_TRY(shift(&rows, pivots, 1, stream));
    for (int k = 0; k < 2; k++) {
        const tn_operand operands[2] = {tn_operand_array(rows), tn_operand_scalar(ends[k])};
        tn_status status =
            tn_elementwise((bounded = NULL, &bounded), bounds[k], operands, NULL, stream);
        tn_array_release(rows);
        if (status != TN_OK) return status;
        rows = bounded;
    }
    *result = rows;
    return TN_OK;
}

tn_status tn_linalg_permutation(tn_array **places, const tn_array *pivots, int64_t rows,
                                tn_stream *stream) {
    tni_permutation call = {.m = rows};
    tni_stack_shape stack;
    tn_array *made = NULL, *from_one = NULL;
    char *addresses[2];
    tn_status status;
    if (pivots->ndim < 1 || tni_columns(pivots) > rows)
        TNI_FAIL(TN_ERROR_VALUE, "permutation: more pivots than rows");
    TNI_TRY(tni_linalg_stream(&stream, 1, &pivots));
    tni_stack_shape_of(&stack, pivots, 1);
    call.count = stack.count;
    call.least = tni_columns(pivots);
    TNI_TRY_OWNING(rows_from_one(&from_one, pivots, rows, stream));
    TNI_TRY_OWNING(tni_stack_new_vectors(&made, &stack, TN_I64, rows, stream));
    if (made->size > 0) {
        TNI_TRY_OWNING(tni_stack_open(&addresses[0], from_one, stream));
        TNI_TRY_OWNING(tni_stack_open(&addresses[1], made, stream));
        call.pivots = (const int64_t *)(void *)addresses[0];
        call.places = (int64_t *)(void *)addresses[1];
        TNI_TRY_OWNING(tni_queue_permutation(&call, stream));
    }
    *places = tn_array_retain(made);
cleanup:
    tn_array_release(from_one);
    tn_array_release(made);
    return status;
}

/* --- solve --- */

/* In place: b becomes the solution for factors of as many matrices, or of one. */
static tn_status back_substitute(const tn_array *b, const factors *f,
                                 tni_transposition transposition, bool is_transposed,
                                 tn_stream *stream) {
    tni_lu_solve call = {.dtype = (tn_dtype)b->dtype,
                         .transposition = transposition,
                         .n = tni_rows(b),
                         .columns = tni_columns(b),
                         .is_transposed = is_transposed};
    char *lu, *pivots;
    if (b->size == 0) return TN_OK;
    call.count = f->lu->size / (call.n * call.n);
    call.columns = b->size / (call.count * call.n); /* of one matrix: of the whole stack */
    TNI_TRY(tni_stack_open(&lu, f->lu, stream));
    TNI_TRY(tni_stack_open(&pivots, f->pivots, stream));
    TNI_TRY(tni_stack_open(&call.b, b, stream));
    call.lu = lu;
    call.pivots = (const int64_t *)(void *)pivots;
    return tni_queue_lu_solve(&call, stream);
}

/* The right side as matrices: a vector is a column. */
static tn_status as_columns(tn_array **result, const tn_array *b) {
    static const int last = -1;
    if (b->ndim == 1) return tn_array_expand_dims(result, b, 1, &last);
    *result = tn_array_retain((tn_array *)(uintptr_t)b);
    return TN_OK;
}

static tn_status drop_column(tn_array **result, tn_array *solution, bool is_vector) {
    static const int last = -1;
    if (is_vector) return tn_array_squeeze(result, solution, 1, &last);
    *result = tn_array_retain(solution);
    return TN_OK;
}

static tn_status check_rows(const tn_array *a, const tn_array *b, const char *name) {
    if (tni_rows(a) != tni_rows(b))
        TNI_FAIL(TN_ERROR_VALUE,
                 "%s: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                 "signature (m,m),(m,n)->(m,n) (size %lld is different from %lld)",
                 name, (long long)tni_rows(b), (long long)tni_rows(a));
    return TN_OK;
}

/* The matrices that b's are solved with: a's own if it is one for all, else one for each. */
static tn_status spread(tn_array **result, const tn_array *a, const tni_stack_shape *stack) {
    int64_t shape[TN_MAX_NDIM];
    int64_t own = 1;
    for (int k = 0; k < a->ndim - 2; k++)
        own *= tni_shape(a)[k];
    if (own == 1 || own == stack->count) {
        *result = tn_array_retain((tn_array *)(uintptr_t)a);
        return TN_OK;
    }
    memcpy(shape, stack->shape, sizeof *shape * (size_t)stack->ndim);
    memcpy(shape + stack->ndim, tni_shape(a) + a->ndim - 2, 2 * sizeof *shape);
    return tn_array_broadcast_to(result, a, stack->ndim + 2, shape);
}

/* The stack of solutions, and copies of the right sides to solve in place. */
static tn_status prepare(tn_array **solution, const tn_array *a, const tn_array *b,
                         const char *name, tn_dtype dtype, tn_array **matrices, tn_stream *stream) {
    tni_stack_shape stack, other;
    TNI_TRY(check_rows(a, b, name));
    tni_stack_shape_of(&stack, a, 2);
    tni_stack_shape_of(&other, b, 2);
    TNI_TRY(tni_stack_shape_merge(&stack, &other, name));
    TNI_TRY(spread(matrices, a, &stack));
    return tni_stack_copy(solution, b, &stack, dtype, stream);
}

tn_status tn_linalg_solve(tn_array **result, const tn_array *a, const tn_array *b,
                          tn_stream *stream) {
    const tn_array *both[2] = {a, b};
    tn_array *columns = NULL, *matrices = NULL, *solution = NULL, *given = NULL;
    factors f = {NULL, NULL};
    tn_dtype dtype;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(a));
    TNI_TRY(tni_linalg_dtype(&dtype, 2, both));
    TNI_TRY(tni_linalg_stream(&stream, 2, both));
    if (b->ndim == 0)
        TNI_FAIL(TN_ERROR_VALUE, "solve: Input operand 1 does not have enough dimensions (has 0, "
                                 "gufunc core with signature (m,m),(m,n)->(m,n) requires 2)");
    TNI_TRY_OWNING(as_columns(&columns, b));
    TNI_TRY_OWNING(prepare(&solution, a, columns, "solve", dtype, &matrices, stream));
    TNI_TRY_OWNING(factor(&f, matrices, dtype, tni_linalg_failure(singular), stream));
    TNI_TRY_OWNING(back_substitute(solution, &f, TNI_PLAIN, false, stream));
    TNI_TRY_OWNING(tni_stack_give(&given, solution, stream));
    TNI_TRY_OWNING(drop_column(result, given, b->ndim == 1));
cleanup:
    release(&f);
    tn_array_release(columns);
    tn_array_release(matrices);
    tn_array_release(solution);
    tn_array_release(given);
    return status;
}

tn_status tn_linalg_lu_solve(tn_array **result, const tn_array *lu, const tn_array *pivots,
                             const tn_array *b, tn_transposition transposition, tn_stream *stream) {
    const tn_array *all[3] = {lu, b, pivots};
    tn_array *columns = NULL, *matrices = NULL, *solution = NULL;
    factors f = {NULL, NULL};
    tni_stack_shape stack, of_pivots;
    tn_dtype dtype;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(lu));
    TNI_TRY(tni_linalg_dtype(&dtype, 2, all));
    TNI_TRY(tni_linalg_stream(&stream, 3, all));
    tni_stack_shape_of(&stack, lu, 2);
    if (pivots->ndim != lu->ndim - 1 || tni_columns(pivots) != tni_rows(lu) || b->ndim == 0 ||
        memcmp(tni_shape(pivots), stack.shape, sizeof(int64_t) * (size_t)stack.ndim) != 0)
        TNI_FAIL(TN_ERROR_VALUE, "lu_solve: shapes of lu, its pivots and b do not fit");
    tni_stack_shape_of(&of_pivots, pivots, 1);
    TNI_TRY_OWNING(as_columns(&columns, b));
    TNI_TRY_OWNING(prepare(&solution, lu, columns, "lu_solve", dtype, &matrices, stream));
    if (matrices != lu && matrices->size != lu->size)
        TNI_TRY_OWNING(tni_fail(TN_ERROR_VALUE, "lu_solve: the stacks of lu and b differ"));
    TNI_TRY_OWNING(tni_stack_copy(&f.lu, lu, &stack, dtype, stream));
    TNI_TRY_OWNING(rows_from_one(&f.pivots, pivots, tni_rows(lu), stream));
    TNI_TRY_OWNING(back_substitute(solution, &f, (tni_transposition)transposition, false, stream));
    TNI_TRY_OWNING(drop_column(result, solution, b->ndim == 1));
cleanup:
    release(&f);
    tn_array_release(columns);
    tn_array_release(matrices);
    tn_array_release(solution);
    return status;
}

/* The arguments' stacks, copied: `of_a` the matrices and `solution` the right sides of as many. */
static tn_status copy_both(tn_array **of_a, tn_array **solution, const tn_array *a,
                           const tn_array *b, const char *name, tn_dtype dtype, tn_stream *stream) {
    tn_array *columns = NULL, *matrices = NULL;
    tni_stack_shape stack;
    tn_status status;
    TNI_TRY_OWNING(as_columns(&columns, b));
    TNI_TRY_OWNING(prepare(solution, a, columns, name, dtype, &matrices, stream));
    tni_stack_shape_of(&stack, matrices, 2);
    TNI_TRY_OWNING(tni_stack_copy(of_a, matrices, &stack, dtype, stream));
cleanup:
    tn_array_release(columns);
    tn_array_release(matrices);
    return status;
}

tn_status tn_linalg_cholesky_solve(tn_array **result, const tn_array *factor, const tn_array *b,
                                   bool upper, tn_stream *stream) {
    const tn_array *both[2] = {factor, b};
    tn_array *copy = NULL, *solution = NULL;
    tni_cholesky_solve call = {.upper = upper};
    char *address;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(factor));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 2, both));
    TNI_TRY(tni_linalg_stream(&stream, 2, both));
    if (b->ndim == 0) TNI_FAIL(TN_ERROR_VALUE, "cho_solve: b has no dimensions");
    TNI_TRY_OWNING(copy_both(&copy, &solution, factor, b, "cho_solve", call.dtype, stream));
    if (solution->size > 0) {
        call.n = tni_rows(factor);
        call.count = copy->size / (call.n * call.n);
        call.columns = solution->size / (call.count * call.n);
        TNI_TRY_OWNING(tni_stack_open(&address, copy, stream));
        TNI_TRY_OWNING(tni_stack_open(&call.b, solution, stream));
        call.a = address;
        TNI_TRY_OWNING(tni_queue_cholesky_solve(&call, stream));
    }
    TNI_TRY_OWNING(drop_column(result, solution, b->ndim == 1));
cleanup:
    tn_array_release(copy);
    tn_array_release(solution);
    return status;
}

tn_status tn_linalg_inv(tn_array **result, const tn_array *a, tn_stream *stream) {
    tni_stack_shape stack;
    tn_array *inverse = NULL, *one = NULL;
    factors f = {NULL, NULL};
    tn_dtype dtype;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(a));
    TNI_TRY(tni_linalg_dtype(&dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    tni_stack_shape_of(&stack, a, 2);
    const int64_t n = tni_rows(a);
    const bool is_transposed = stream->device.backend == TN_BACKEND_HOST && n <= TRANSPOSED_SIDE;
    TNI_TRY_OWNING(factor(&f, a, dtype, tni_linalg_failure(singular), stream));
    TNI_TRY_OWNING(tn_array_new_eye(&one, n, n, 0, dtype, TN_ORDER_C, stream));
    TNI_TRY_OWNING((is_transposed ? tni_stack_copy_by_rows : tni_stack_copy)(&inverse, one, &stack,
                                                                             dtype, stream));
    TNI_TRY_OWNING(back_substitute(inverse, &f, TNI_PLAIN, is_transposed, stream));
    if (is_transposed)
        *result = tn_array_retain(inverse);
    else
        TNI_TRY_OWNING(tni_stack_give(result, inverse, stream));
cleanup:
    release(&f);
    tn_array_release(one);
    tn_array_release(inverse);
    return status;
}

tn_status tn_linalg_triangular(tn_array **result, const tn_array *a, const tn_array *b,
                               tn_triangular_options options, tn_stream *stream) {
    const tn_array *both[2] = {a, b};
    tn_array *solution = NULL, *copy = NULL;
    tni_triangular call = {.transposition = (tni_transposition)options.transposition,
                           .upper = options.is_upper,
                           .unit = options.is_unit,
                           .failure = tni_linalg_failure(singular)};
    char *address;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(a));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 2, both));
    TNI_TRY(tni_linalg_stream(&stream, 2, both));
    if (b->ndim == 0) TNI_FAIL(TN_ERROR_VALUE, "solve_triangular: b has no dimensions");
    TNI_TRY_OWNING(copy_both(&copy, &solution, a, b, "solve_triangular", call.dtype, stream));
    if (solution->size > 0) {
        call.n = tni_rows(a);
        call.count = copy->size / (call.n * call.n);
        call.columns = solution->size / (call.count * call.n);
        TNI_TRY_OWNING(tni_stack_open(&address, copy, stream));
        TNI_TRY_OWNING(tni_stack_open(&call.b, solution, stream));
        call.a = address;
        TNI_TRY_OWNING(tni_linalg_settle(tni_queue_triangular(&call, stream), stream));
    }
    TNI_TRY_OWNING(drop_column(result, solution, b->ndim == 1));
cleanup:
    tn_array_release(copy);
    tn_array_release(solution);
    return status;
}

/* --- determinants --- */

/* `logarithm` NULL: the determinants go to `sign`. */
static tn_status determinants(tn_array **sign, tn_array **logarithm, const tn_array *a,
                              tn_stream *stream) {
    tni_determinant call = {.n = 0};
    tni_stack_shape stack;
    tn_array *signs = NULL, *logarithms = NULL;
    factors f = {NULL, NULL};
    char *lu, *pivots;
    tn_status status;
    TNI_TRY(tni_linalg_check_square(a));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 1, &a));
    TNI_TRY(tni_linalg_stream(&stream, 1, &a));
    tni_stack_shape_of(&stack, a, 2);
    call.count = stack.count;
    call.n = tni_rows(a);
    TNI_TRY_OWNING(tn_array_new(&signs, call.dtype, stack.ndim, stack.shape, TN_ORDER_C, stream));
    if (logarithm)
        TNI_TRY_OWNING(tn_array_new(&logarithms, tni_linalg_real_dtype(call.dtype), stack.ndim,
                                    stack.shape, TN_ORDER_C, stream));
    if (a->size > 0) {
        TNI_TRY_OWNING(factor(&f, a, call.dtype, NULL, stream));
        TNI_TRY_OWNING(tni_stack_open(&lu, f.lu, stream));
        TNI_TRY_OWNING(tni_stack_open(&pivots, f.pivots, stream));
        TNI_TRY_OWNING(tni_stack_open(&call.sign, signs, stream));
        if (logarithm) TNI_TRY_OWNING(tni_stack_open(&call.logarithm, logarithms, stream));
        call.lu = lu;
        call.pivots = (const int64_t *)(void *)pivots;
        TNI_TRY_OWNING(tni_queue_determinant(&call, stream));
    } else {
        TNI_TRY_OWNING(tn_array_fill(signs, tn_scalar_weak_int(1), stream));
        if (logarithm) TNI_TRY_OWNING(tn_array_fill(logarithms, tn_scalar_weak_int(0), stream));
    }
    *sign = tn_array_retain(signs);
    if (logarithm) *logarithm = tn_array_retain(logarithms);
cleanup:
    release(&f);
    tn_array_release(signs);
    tn_array_release(logarithms);
    return status;
}

tn_status tn_linalg_det(tn_array **result, const tn_array *a, tn_stream *stream) {
    return determinants(result, NULL, a, stream);
}

tn_status tn_linalg_slogdet(tn_array **sign, tn_array **logarithm, const tn_array *a,
                            tn_stream *stream) {
    return determinants(sign, logarithm, a, stream);
}
