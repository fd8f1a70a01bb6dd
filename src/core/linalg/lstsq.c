/* Least squares by singular values: the backend's form, or (where it lacks that, and for empty
 * operands) products with the parts of a singular value decomposition. */
#include "core/linalg/stack.h"

#include <tenorite/create.h>
#include <tenorite/elementwise.h>
#include <tenorite/linalg.h>
#include <tenorite/reduce.h>

#include <float.h>

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static tn_status take_rows(tn_array **result, const tn_array *b, int64_t first, int64_t end) {
    const tn_index items[2] = {{.kind = TN_INDEX_SLICE,
                                .start = first,
                                .stop = end,
                                .step = 1,
                                .has_start = true,
                                .has_stop = true},
                               {.kind = TN_INDEX_SLICE, .step = 1}};
    return tn_array_slice(result, b, 2, items);
}

/* A stack of one: max(m, n) rows, the first those of b, the others zero. */
static tn_status widen(tn_array **result, const tn_array *b, int64_t rows, tn_dtype dtype,
                       tn_stream *stream) {
    const int64_t shape[2] = {rows, tni_columns(b)};
    tn_array *made = NULL, *top = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_array_new_zeros(&made, dtype, 2, shape, TN_ORDER_F, stream));
    TNI_TRY_OWNING(take_rows(&top, made, 0, tni_rows(b)));
    TNI_TRY_OWNING(tn_array_assign(top, b, TN_CASTING_UNSAFE, stream));
    *result = tn_array_retain(made);
cleanup:
    tn_array_release(top);
    tn_array_release(made);
    return status;
}

/* The sums of the squares of columns. */
static tn_status sum_squares(tn_array **result, const tn_array *rows, tn_stream *stream) {
    static const int first = 0;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    tn_array *norms = NULL;
    options.axis_count = 1;
    options.axes = &first;
    TNI_TRY(tn_vector_norm(&norms, rows, 2, &options, stream));
    *result = NULL;
    tn_status status = tn_unary(result, TN_OP_SQUARE, norms, stream);
    tn_array_release(norms);
    return status;
}

static tn_status check_sides(const tn_array *a, const tn_array *b) {
    const tn_array *both[2] = {a, b};
    for (int k = 0; k < 2; k++)
        if (both[k]->ndim != 2)
            TNI_FAIL(TN_ERROR_LINALG, "%d-dimensional array given. Array must be two-dimensional",
                     both[k]->ndim);
    if (tni_rows(a) != tni_rows(b)) TNI_FAIL(TN_ERROR_LINALG, "Incompatible dimensions");
    return TN_OK;
}

static double default_rcond(const tni_lstsq *call) {
    bool is_wide = tni_linalg_real_dtype(call->dtype) == TN_F64;
    return (is_wide ? DBL_EPSILON : (double)FLT_EPSILON) *
           (double)(call->m > call->n ? call->m : call->n);
}

/* What a call gives back, each an array of its own. */
typedef struct solution {
    tn_array *x, *squares, *rank, *s;
} solution;

static void release(solution *found) {
    tn_array_release(found->x);
    tn_array_release(found->squares);
    tn_array_release(found->rank);
    tn_array_release(found->s);
}

/* --- By the backend's form --- */

static tn_status by_form(solution *found, tni_lstsq *call, const tn_array *a, const tn_array *b,
                         tn_stream *stream) {
    const tni_stack_shape stack = {.ndim = 0, .count = 1};
    tn_array *copy = NULL, *sides = NULL, *rest = NULL, *top = NULL;
    const int64_t m = call->m, n = call->n;
    tn_status status;
    TNI_TRY_OWNING(tni_stack_copy(&copy, a, &stack, call->dtype, stream));
    TNI_TRY_OWNING(widen(&sides, b, m > n ? m : n, call->dtype, stream));
    TNI_TRY_OWNING(tni_stack_new_vectors(&found->s, &stack, tni_linalg_real_dtype(call->dtype),
                                         smaller(m, n), stream));
    TNI_TRY_OWNING(tn_array_new(&found->rank, TN_I32, 0, NULL, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_stack_open(&call->a, copy, stream));
    TNI_TRY_OWNING(tni_stack_open(&call->b, sides, stream));
    TNI_TRY_OWNING(tni_stack_open(&call->s, found->s, stream));
    TNI_TRY_OWNING(tni_stack_open(&call->rank, found->rank, stream));
    TNI_TRY_OWNING(tni_linalg_settle(tni_queue_lstsq(call, stream), stream));
    TNI_TRY_OWNING(take_rows(&rest, sides, n, m > n ? m : n));
    TNI_TRY_OWNING(sum_squares(&found->squares, rest, stream));
    TNI_TRY_OWNING(take_rows(&top, sides, 0, n));
    TNI_TRY_OWNING(tni_stack_copy_by_rows(&found->x, top, &stack, call->dtype, stream));
cleanup:
    tn_array_release(copy);
    tn_array_release(sides);
    tn_array_release(rest);
    tn_array_release(top);
    return status;
}

/* --- By a singular value decomposition --- */

/* to = op(a, b), of which a scalar may be. */
static tn_status compute(tn_array **to, tn_op op, tn_operand a, tn_operand b, tn_array *where,
                         tn_stream *stream) {
    tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    options.where = where;
    return tn_elementwise(to, op, (tn_operand[2]){a, b}, &options, stream);
}

/* The adjoint of a matrix times b. */
static tn_status adjoint_product(tn_array **result, const tn_array *a, const tn_array *b,
                                 tn_stream *stream) {
    tn_array *transposed = NULL, *adjoint = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_array_transpose(&transposed, a, 2, NULL));
    TNI_TRY_OWNING(tn_unary(&adjoint, TN_OP_CONJUGATE, transposed, stream));
    TNI_TRY_OWNING(tn_matmul(result, adjoint, b, NULL, stream));
cleanup:
    tn_array_release(transposed);
    tn_array_release(adjoint);
    return status;
}

/* Which singular values count, and how many. NaN counts, so that it shows in the solution. */
static tn_status choose(tn_array **chosen, tn_array **rank, const tn_array *s, double rcond,
                        tn_stream *stream) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    const tn_index first = {.kind = TN_INDEX_SLICE, .step = 1, .stop = 1, .has_stop = true};
    tn_array *largest = NULL, *limit = NULL, *small = NULL;
    tn_status status;
    options.dtype = TN_I32;
    TNI_TRY_OWNING(tn_array_slice(&largest, s, 1, &first));
    TNI_TRY_OWNING(compute(&limit, TN_OP_MULTIPLY, tn_operand_array(largest),
                           tn_operand_scalar(tn_scalar_weak_float(rcond)), NULL, stream));
    TNI_TRY_OWNING(tn_binary(&small, TN_OP_LESS_EQUAL, s, limit, stream));
    TNI_TRY_OWNING(tn_unary(chosen, TN_OP_LOGICAL_NOT, small, stream));
    TNI_TRY_OWNING(tn_reduce(rank, TN_REDUCE_SUM, *chosen, &options, stream));
cleanup:
    tn_array_release(largest);
    tn_array_release(limit);
    tn_array_release(small);
    return status;
}

/* b (by rows) divided by the values that were chosen; 0 for the others. */
static tn_status divide(tn_array **result, const tn_array *b, const tn_array *s,
                        const tn_array *chosen, tn_stream *stream) {
    static const int last = 1;
    tn_array *divisors = NULL, *mask = NULL, *made = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_array_expand_dims(&divisors, s, 1, &last));
    TNI_TRY_OWNING(tn_array_expand_dims(&mask, chosen, 1, &last));
    TNI_TRY_OWNING(
        tn_array_new_zeros(&made, (tn_dtype)b->dtype, 2, tni_shape(b), TN_ORDER_F, stream));
    TNI_TRY_OWNING(compute(&made, TN_OP_DIVIDE, tn_operand_array(b), tn_operand_array(divisors),
                           mask, stream));
    *result = tn_array_retain(made);
cleanup:
    tn_array_release(divisors);
    tn_array_release(mask);
    tn_array_release(made);
    return status;
}

static tn_status by_svd(solution *found, const tni_lstsq *call, const tn_array *a,
                        const tn_array *b, tn_stream *stream) {
    const tni_stack_shape stack = {.ndim = 0, .count = 1};
    enum { A, B, U, VH, CHOSEN, PART, SCALED, PRODUCT, REST, MADE };
    tn_array *made[MADE] = {NULL};
    tn_status status;
    TNI_TRY_OWNING(tni_stack_copy(&made[A], a, &stack, call->dtype, stream));
    TNI_TRY_OWNING(tni_stack_copy(&made[B], b, &stack, call->dtype, stream));
    TNI_TRY_OWNING(tn_linalg_svd(&made[U], &found->s, &made[VH], made[A], false, stream));
    TNI_TRY_OWNING(choose(&made[CHOSEN], &found->rank, found->s, call->rcond, stream));
    TNI_TRY_OWNING(adjoint_product(&made[PART], made[U], made[B], stream));
    TNI_TRY_OWNING(divide(&made[SCALED], made[PART], found->s, made[CHOSEN], stream));
    TNI_TRY_OWNING(adjoint_product(&found->x, made[VH], made[SCALED], stream));
    TNI_TRY_OWNING(tn_matmul(&made[PRODUCT], made[A], found->x, NULL, stream));
    TNI_TRY_OWNING(tn_binary(&made[REST], TN_OP_SUBTRACT, made[B], made[PRODUCT], stream));
    TNI_TRY_OWNING(sum_squares(&found->squares, made[REST], stream));
cleanup:
    for (int k = 0; k < MADE; k++)
        tn_array_release(made[k]);
    return status;
}

tn_status tn_linalg_lstsq(tn_array **x, tn_array **squares, tn_array **rank, tn_array **s,
                          const tn_array *a, const tn_array *b, double rcond, tn_stream *stream) {
    const tn_array *both[2] = {a, b};
    tni_lstsq call = {
        .count = 1, .failure = tni_linalg_failure("SVD did not converge in Linear Least Squares")};
    solution found = {NULL, NULL, NULL, NULL};
    TNI_TRY(check_sides(a, b));
    TNI_TRY(tni_linalg_dtype(&call.dtype, 2, both));
    TNI_TRY(tni_linalg_stream(&stream, 2, both));
    call.m = tni_rows(a);
    call.n = tni_columns(a);
    call.columns = tni_columns(b);
    call.rcond = rcond < 0 ? default_rcond(&call) : rcond;
    const bool has_form = tni_backend_of(stream)->linalg->lstsq != NULL;
    tn_status status = has_form && a->size > 0 && call.columns > 0
                           ? by_form(&found, &call, a, b, stream)
                           : by_svd(&found, &call, a, b, stream);
    if (status != TN_OK) {
        release(&found);
        return status;
    }
    *x = found.x;
    *squares = found.squares;
    *rank = found.rank;
    *s = found.s;
    return TN_OK;
}
