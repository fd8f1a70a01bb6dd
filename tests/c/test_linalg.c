/* The public tn_linalg_*: every decomposition by its residual, in all dtypes, of stacks, views and
 * nothing, and what is refused. Without a LAPACK on the machine there is nothing to test. */
#include "replay.h"

#include <math.h>
#include <tenorite/tenorite.h>

enum { STACK = 5, MOST = 40, SKIPPED = 77 };
static const tn_dtype dtypes[] = {TN_F32, TN_F64, TN_C64, TN_C128};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static void check(tn_status status) {
    if (status != TN_OK) fail_msg("%s", tn_error_message());
}

static bool is_complex(tn_dtype dtype) {
    return dtype == TN_C64 || dtype == TN_C128;
}

static double eps(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_C64 ? 1.2e-7 : 2.3e-16;
}

/* Numbers between -1 and 1 of STACK matrices, and `extra` on their diagonals. */
static tn_array *matrices(tn_dtype dtype, int m, int n, double extra) {
    static double values[2 * STACK * MOST * MOST];
    const int64_t shape[] = {STACK, m, n};
    tn_array *wide, *made = NULL;
    for (int k = 0; k < STACK * m * n; k++) {
        values[2 * k] = sin(k * 1.7 + m) + (k % (m * n) / n == k % n ? extra : 0);
        values[2 * k + 1] = is_complex(dtype) ? cos(k * 2.3 + n) : 0;
    }
    const tn_dtype storage = is_complex(dtype) ? TN_C128 : TN_F64;
    for (int k = 0; storage == TN_F64 && k < STACK * m * n; k++)
        values[k] = values[2 * k];
    check(tn_array_new_from_host(&wide, values, storage, 3, shape, NULL, TN_ORDER_C, NULL));
    check(tn_array_astype(&made, wide, dtype, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS, NULL));
    tn_array_release(wide);
    return made;
}

/* The adjoint of each matrix. */
static tn_array *adjoint(const tn_array *a) {
    const int axes[] = {0, 2, 1};
    tn_array *transposed, *made = NULL;
    check(tn_array_transpose(&transposed, a, 3, axes));
    check(tn_unary(&made, TN_OP_CONJUGATE, transposed, NULL));
    tn_array_release(transposed);
    return made;
}

static tn_array *product(const tn_array *a, const tn_array *b) {
    tn_array *made = NULL;
    check(tn_matmul(&made, a, b, NULL, NULL));
    return made;
}

/* The root of the sum of the squares of a - b. */
static double distance(const tn_array *a, const tn_array *b) {
    tn_array *difference = NULL, *wide = NULL, *norm = NULL;
    double size;
    check(tn_binary(&difference, TN_OP_SUBTRACT, a, b, NULL));
    check(tn_array_astype(&wide, difference, TN_C128, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS,
                          NULL));
    check(tn_vector_norm(&norm, wide, 2, NULL, NULL));
    check(tn_array_read(&size, NULL, norm, NULL));
    check(tn_stream_synchronize(NULL, -1));
    tn_array_release(difference);
    tn_array_release(wide);
    tn_array_release(norm);
    return size;
}

/* Whether a and b are the same but for rounding; releases a. */
static void check_near(tn_array *a, const tn_array *b, int n) {
    const double error = distance(a, b), bound = 200.0 * n * n * eps(tn_array_dtype(a));
    if (!(error <= bound)) fail_msg("n %d: %g, more than %g", n, error, bound);
    tn_array_release(a);
}

/* The identity, for each matrix. */
static tn_array *identity(tn_dtype dtype, int n) {
    const int64_t shape[] = {STACK, n, n};
    tn_array *eye, *made;
    check(tn_array_new_eye(&eye, n, n, 0, dtype, TN_ORDER_C, NULL));
    check(tn_array_broadcast_to(&made, eye, 3, shape));
    tn_array_release(eye);
    return made;
}

static void check_orthonormal(const tn_array *q, int n) {
    tn_array *transposed = adjoint(q), *eye = identity(tn_array_dtype(q), n);
    check_near(product(transposed, q), eye, n);
    tn_array_release(transposed);
    tn_array_release(eye);
}

/* --- Solutions --- */

/* L and U add up to the array of both and the identity. */
static void check_parts(const tn_array *lu, const tn_array *eye, int n) {
    tn_array *l = NULL, *u = NULL, *sum = NULL, *rest = NULL;
    check(tn_linalg_lu_parts(&l, &u, lu, NULL));
    check(tn_binary(&sum, TN_OP_ADD, l, u, NULL));
    check(tn_binary(&rest, TN_OP_SUBTRACT, sum, eye, NULL));
    check_near(rest, lu, n);
    tn_array_release(sum);
    tn_array_release(l);
    tn_array_release(u);
}

static void check_solutions(tn_dtype dtype, int n, int columns) {
    tn_array *a = matrices(dtype, n, n, 2 * n), *b = matrices(dtype, n, columns, 0);
    tn_array *x = NULL, *lu = NULL, *pivots = NULL, *eye = identity(dtype, n);
    check(tn_linalg_solve(&x, a, b, NULL));
    assert_int_equal(tn_array_dtype(x), dtype);
    check_near(product(a, x), b, n);
    tn_array_release(x);
    check(tn_linalg_inv(&x, a, NULL));
    check_near(product(x, a), eye, n);
    tn_array_release(x);
    check(tn_linalg_lu(&lu, &pivots, a, NULL));
    assert_int_equal(tn_array_dtype(pivots), TN_I32);
    check_parts(lu, eye, n);
    for (int k = 0; k < 3; k++) {
        tn_array *transposed = adjoint(a), *plain = NULL;
        check(tn_linalg_lu_solve(&x, lu, pivots, b, (tn_transposition)k, NULL));
        check(tn_unary(&plain, TN_OP_CONJUGATE, transposed, NULL));
        check_near(product(k == 0 ? a : k == 1 ? plain : transposed, x), b, n);
        tn_array_release(plain);
        tn_array_release(transposed);
        tn_array_release(x);
    }
    tn_array_release(lu);
    tn_array_release(pivots);
    tn_array_release(eye);
    tn_array_release(a);
    tn_array_release(b);
}

static void check_cholesky(tn_dtype dtype, int n, bool upper) {
    tn_array *g = matrices(dtype, n, n, n), *transposed = adjoint(g), *a = product(g, transposed);
    tn_array *b = matrices(dtype, n, 3, 0), *factor = NULL, *x = NULL;
    check(tn_linalg_cholesky(&factor, a, upper, NULL));
    tn_array *other = adjoint(factor), *whole = upper ? product(other, factor) : NULL;
    if (!upper) whole = product(factor, other);
    const double error = distance(whole, a);
    if (!(error <= 200.0 * n * n * n * eps(dtype))) fail_msg("n %d: %g", n, error);
    check(tn_linalg_cholesky_solve(&x, factor, b, upper, NULL));
    check_near(product(a, x), b, n);
    tn_array_release(x);
    check(tn_linalg_triangular(
        &x, factor, b, (tn_triangular_options){TN_TRANSPOSITION_ADJOINT, upper, false}, NULL));
    check_near(product(other, x), b, n);
    tn_array_release(x);
    tn_array *all[] = {g, transposed, a, b, factor, other, whole};
    for (int k = 0; k < 7; k++)
        tn_array_release(all[k]);
}

static void test_solutions(void **state) {
    static const int sizes[] = {1, 2, 5, 8, 17, 33};
    (void)state;
    for (int d = 0; d < DTYPES; d++)
        for (int k = 0; k < 6; k++) {
            check_solutions(dtypes[d], sizes[k], 3);
            check_cholesky(dtypes[d], sizes[k], false);
            check_cholesky(dtypes[d], sizes[k], true);
        }
}

/* Of 2 x 2 matrices, one of them singular. */
static void test_determinants(void **state) {
    (void)state;
    const double values[] = {1, 2, 3, 4, 1, 2, 2, 4, 0, -2, 3, 0}, wanted[] = {-2, 0, 6};
    const int64_t shape[] = {3, 2, 2};
    double got[3], logarithms[3];
    tn_array *a, *made = NULL, *logarithm = NULL;
    check(tn_array_new_from_host(&a, values, TN_F64, 3, shape, NULL, TN_ORDER_C, NULL));
    check(tn_linalg_det(&made, a, NULL));
    check(tn_array_read(got, NULL, made, NULL));
    check(tn_stream_synchronize(NULL, -1));
    for (int k = 0; k < 3; k++)
        assert_true(fabs(got[k] - wanted[k]) < 1e-14);
    tn_array_release(made);
    check(tn_linalg_slogdet(&made, &logarithm, a, NULL));
    check(tn_array_read(got, NULL, made, NULL));
    check(tn_array_read(logarithms, NULL, logarithm, NULL));
    check(tn_stream_synchronize(NULL, -1));
    assert_true(got[0] == -1 && got[1] == 0 && got[2] == 1);
    assert_true(fabs(logarithms[0] - log(2)) < 1e-14 && logarithms[1] == -INFINITY);
    tn_array_release(made);
    tn_array_release(logarithm);
    tn_array_release(a);
}

/* --- Decompositions --- */

static void check_qr(tn_dtype dtype, int m, int n, bool complete) {
    tn_array *a = matrices(dtype, m, n, 0), *q, *r;
    check(tn_linalg_qr(&q, &r, a, complete, NULL));
    check_orthonormal(q, complete || m < n ? m : n);
    check_near(product(q, r), a, m + n);
    tn_array_release(q);
    tn_array_release(r);
    tn_array_release(a);
}

/* Columns times numbers of an own array, or rows. */
static tn_array *scaled(const tn_array *a, const tn_array *by) {
    tn_array *row, *made = NULL;
    const int64_t shape[] = {STACK, 1, tn_array_shape(by)[1]};
    check(tn_array_reshape(&row, by, 3, shape, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL));
    check(tn_binary(&made, TN_OP_MULTIPLY, a, row, NULL));
    tn_array_release(row);
    return made;
}

static void check_svd(tn_dtype dtype, int m, int n) {
    tn_array *a = matrices(dtype, m, n, 0), *u, *s, *vh;
    const int least = m < n ? m : n;
    check(tn_linalg_svd(&u, &s, &vh, a, false, NULL));
    check_orthonormal(u, least);
    tn_array *transposed = adjoint(vh), *half = scaled(u, s);
    check_orthonormal(transposed, least);
    check_near(product(half, vh), a, m + n);
    tn_array *some[] = {transposed, half, u, s, vh};
    for (int k = 0; k < 5; k++)
        tn_array_release(some[k]);
    check(tn_linalg_svd(&u, &s, &vh, a, true, NULL));
    check_orthonormal(u, m);
    check_orthonormal(vh, n);
    tn_array_release(u);
    tn_array_release(s);
    tn_array_release(vh);
    tn_array_release(a);
}

static void check_eigen(tn_dtype dtype, int n) {
    tn_array *g = matrices(dtype, n, n, 0), *transposed = adjoint(g), *a = NULL, *w, *v;
    check(tn_binary(&a, TN_OP_ADD, g, transposed, NULL));
    for (int upper = 0; upper < 2; upper++) {
        check(tn_linalg_eigh(&w, &v, a, upper, NULL));
        check_orthonormal(v, n);
        tn_array *wanted = scaled(v, w);
        check_near(product(a, v), wanted, 2 * n);
        tn_array_release(wanted);
        tn_array_release(w);
        tn_array_release(v);
    }
    check(tn_linalg_eig(&w, &v, g, NULL));
    tn_array *wanted = scaled(v, w);
    check_near(product(g, v), wanted, 4 * n);
    tn_array *all[] = {wanted, w, v, g, transposed, a};
    for (int k = 0; k < 6; k++)
        tn_array_release(all[k]);
}

static void test_decompositions(void **state) {
    static const int sides[][2] = {{1, 1}, {3, 3}, {7, 4}, {4, 9}, {20, 20}, {35, 18}};
    (void)state;
    for (int d = 0; d < DTYPES; d++)
        for (int k = 0; k < 6; k++) {
            check_qr(dtypes[d], sides[k][0], sides[k][1], false);
            check_qr(dtypes[d], sides[k][0], sides[k][1], true);
            check_svd(dtypes[d], sides[k][0], sides[k][1]);
            check_eigen(dtypes[d], sides[k][0]);
        }
}

/* What is left of b is orthogonal to a. */
static void test_least_squares(void **state) {
    (void)state;
    tn_array *as = matrices(TN_F64, 9, 4, 1), *bs = matrices(TN_F64, 9, 2, 0), *a, *b;
    tn_array *x, *squares, *rank, *s, *left = NULL, *transposed, *none = NULL;
    const tn_index first = {.kind = TN_INDEX_INTEGER, .start = 0};
    int32_t found;
    check(tn_array_slice(&a, as, 1, &first));
    check(tn_array_slice(&b, bs, 1, &first));
    check(tn_linalg_lstsq(&x, &squares, &rank, &s, a, b, -1, NULL));
    check(tn_array_read(&found, NULL, rank, NULL));
    check(tn_stream_synchronize(NULL, -1));
    assert_int_equal(found, 4);
    tn_array *made = product(a, x);
    check(tn_binary(&left, TN_OP_SUBTRACT, b, made, NULL));
    check(tn_array_transpose(&transposed, a, 2, (const int[]){1, 0}));
    tn_array *rest = product(transposed, left);
    check(tn_array_new_zeros(&none, TN_F64, 2, (const int64_t[]){4, 2}, TN_ORDER_C, NULL));
    check_near(rest, none, 9);
    tn_array *all[] = {as, bs, a, b, x, squares, rank, s, left, transposed, none, made};
    for (int k = 0; k < 12; k++)
        tn_array_release(all[k]);
}

/* --- Layouts, nothing, errors --- */

/* Of views that go backwards and by columns the same as of a copy. */
static void test_views(void **state) {
    (void)state;
    for (int d = 0; d < DTYPES; d++) {
        tn_array *a = matrices(dtypes[d], 6, 6, 9), *transposed, *view, *copy = NULL, *x, *y;
        const tn_index backwards = {.kind = TN_INDEX_SLICE, .step = -2};
        check(tn_array_transpose(&transposed, a, 3, (const int[]){0, 2, 1}));
        check(tn_array_slice(&view, transposed, 1, &backwards));
        check(tn_array_astype(&copy, view, dtypes[d], TN_ORDER_C, TN_CASTING_NO, TN_COPY_ALWAYS,
                              NULL));
        check(tn_linalg_inv(&x, view, NULL));
        check(tn_linalg_inv(&y, copy, NULL));
        assert_true(distance(x, y) == 0);
        tn_array *all[] = {a, transposed, view, copy, x, y};
        for (int k = 0; k < 6; k++)
            tn_array_release(all[k]);
    }
}

static void test_empty(void **state) {
    (void)state;
    const int64_t none[] = {0, 3, 3}, sides[] = {2, 0, 0};
    double got[2];
    tn_array *a, *made;
    check(tn_array_new_zeros(&a, TN_F64, 3, none, TN_ORDER_C, NULL));
    check(tn_linalg_inv(&made, a, NULL));
    assert_int_equal(tn_array_shape(made)[0], 0);
    assert_int_equal(tn_array_shape(made)[2], 3);
    tn_array_release(made);
    check(tn_linalg_det(&made, a, NULL));
    assert_int_equal(tn_array_ndim(made), 1);
    assert_int_equal(tn_array_size(made), 0);
    tn_array_release(made);
    tn_array_release(a);
    check(tn_array_new_zeros(&a, TN_F64, 3, sides, TN_ORDER_C, NULL));
    check(tn_linalg_det(&made, a, NULL));
    check(tn_array_read(got, NULL, made, NULL));
    check(tn_stream_synchronize(NULL, -1));
    assert_true(got[0] == 1 && got[1] == 1);
    tn_array_release(made);
    tn_array_release(a);
}

static void check_refused(tn_status status, tn_status expected, const char *text) {
    assert_int_equal(status, expected);
    if (!strstr(tn_error_message(), text)) fail_msg("%s", tn_error_message());
}

static void test_refused(void **state) {
    (void)state;
    tn_array *a, *b, *half, *row, *made = NULL;
    check(tn_array_new_zeros(&a, TN_F64, 2, (const int64_t[]){3, 3}, TN_ORDER_C, NULL));
    check(tn_array_new_zeros(&b, TN_F64, 2, (const int64_t[]){2, 3}, TN_ORDER_C, NULL));
    check(tn_array_new_zeros(&half, TN_F16, 2, (const int64_t[]){3, 3}, TN_ORDER_C, NULL));
    check(tn_array_new_zeros(&row, TN_F64, 1, (const int64_t[]){3}, TN_ORDER_C, NULL));
    check_refused(tn_linalg_inv(&made, b, NULL), TN_ERROR_LINALG, "square");
    check_refused(tn_linalg_cholesky(&made, row, false, NULL), TN_ERROR_LINALG, "two-dimensional");
    check_refused(tn_linalg_det(&made, half, NULL), TN_ERROR_TYPE, "float16");
    check_refused(tn_linalg_solve(&made, a, b, NULL), TN_ERROR_VALUE, "");
    const tn_linalg_failures before = tn_linalg_set_failures(TN_LINALG_AT_ONCE);
    assert_int_equal(before, TN_LINALG_AT_WAIT);
    check_refused(tn_linalg_inv(&made, a, NULL), TN_ERROR_LINALG, "ingular");
    check_refused(tn_linalg_solve(&made, a, row, NULL), TN_ERROR_LINALG, "ingular");
    check_refused(tn_linalg_cholesky(&made, a, true, NULL), TN_ERROR_LINALG, "positive");
    assert_null(made);
    assert_int_equal(tn_linalg_set_failures(TN_LINALG_IGNORED), TN_LINALG_AT_ONCE);
    check(tn_linalg_inv(&made, a, NULL));
    tn_linalg_set_failures(before);
    check(tn_stream_synchronize(NULL, -1));
    tn_array *all[] = {a, b, half, row, made};
    for (int k = 0; k < 5; k++)
        tn_array_release(all[k]);
}

/* Every allocation fails in turn. */
static void test_memory(void **state) {
    (void)state;
    tn_array *a = NULL, *u = NULL, *s = NULL, *vh = NULL, *x = NULL;
    REQUIRE_OK(tn_array_new_eye(&a, 4, 4, 0, TN_F64, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_linalg_svd(&u, &s, &vh, a, false, NULL));
    REQUIRE_OK(tn_linalg_solve(&x, a, u, NULL));
cleanup:
    tn_array_release(a);
    tn_array_release(u);
    tn_array_release(s);
    tn_array_release(vh);
    tn_array_release(x);
}

static bool has_lapack(void) {
    tn_array *eye = NULL, *made = NULL;
    tn_status status = tn_array_new_eye(&eye, 2, 2, 0, TN_F64, TN_ORDER_C, NULL);
    if (status == TN_OK) status = tn_linalg_inv(&made, eye, NULL);
    tn_array_release(made);
    tn_array_release(eye);
    return status != TN_ERROR_RUNTIME;
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_solutions),      REPLAY_NOT(test_determinants),
        REPLAY_NOT(test_decompositions), REPLAY_NOT(test_least_squares),
        REPLAY_NOT(test_views),          REPLAY_NOT(test_empty),
        REPLAY_NOT(test_refused),        REPLAY(test_memory)};
    if (!has_lapack()) {
        fprintf(stderr, "skipped: %s\n", tn_error_message());
        return SKIPPED;
    }
    return REPLAY_RUN("linalg", tests);
}
