/* Factors of sparse matrices and walks through graphs by the public C functions, with failing
 * allocations. Values are compared with SciPy in tests/python/values/sparse/test_sparse_lu.py and
 * test_csgraph.py. */
#include "replay.h"

#include <tenorite/tenorite.h>

#include <math.h>

enum { N = 60 };

static const tn_sparse_lu_options complete = {TN_SPARSE_ORDER_CHOSEN, -1, -1, 1, 0};

/* Arrays of a matrix: those of columns or of rows. */
typedef tn_csr_arrays matrix;

static void drop(matrix *m) {
    tn_array_release(m->data);
    tn_array_release(m->indices);
    tn_array_release(m->indptr);
    *m = (matrix){NULL, NULL, NULL};
}

static tn_status make(matrix *m, int64_t n, int64_t count, const double *data, const int32_t *rows,
                      const int32_t *starts) {
    const int64_t ends = n + 1;
    tn_status status =
        tn_array_new_from_host(&m->data, data, TN_F64, 1, &count, NULL, TN_ORDER_C, NULL);
    if (!status)
        status =
            tn_array_new_from_host(&m->indices, rows, TN_I32, 1, &count, NULL, TN_ORDER_C, NULL);
    if (!status)
        status =
            tn_array_new_from_host(&m->indptr, starts, TN_I32, 1, &ends, NULL, TN_ORDER_C, NULL);
    return status;
}

/* Column k has 4 in row k, 1 in the rows beside it, 1 in row 0 and (dense) i in every row. */
static tn_status make_bands(matrix *m, bool is_dense) {
    static double data[N * N];
    static int32_t rows[N * N], starts[N + 1];
    int32_t count = 0;
    for (int32_t k = 0; k < N; k++) {
        starts[k] = count;
        for (int32_t row = 0; row < N; row++) {
            const bool is_near = row >= k - 1 && row <= k + 1;
            if (!is_dense && !is_near && row) continue;
            data[count] = row == k ? 9 + k : is_near ? 1 : 0.25 + 0.01 * ((row * k) % 7);
            rows[count++] = row;
        }
    }
    starts[N] = count;
    return make(m, N, count, data, rows, starts);
}

static tn_csr lend(const matrix *m, int64_t n) {
    return (tn_csr){n, n, m->data, m->indices, m->indptr};
}

/* Whether a (by columns, or transposed) times x is ones. */
static tn_status check_solution(const matrix *m, bool is_transposed, const tn_array *x) {
    const tn_csr a = lend(m, N);
    tn_array *product = NULL;
    double read[N];
    tn_status status = tn_csr_multiply(&product, &a, !is_transposed, x, NULL);
    if (!status) status = tn_array_read(read, NULL, product, NULL);
    for (int k = 0; k < N && !status; k++)
        assert_true(fabs(read[k] - 1) < 1e-10);
    tn_array_release(product);
    return status;
}

static void test_factors(void **state) {
    (void)state;
    const int64_t n = N;
    matrix m = {NULL, NULL, NULL};
    tn_sparse_lu *lu = NULL;
    tn_array *b = NULL, *x = NULL, *rows = NULL, *columns = NULL;
    tn_csr_arrays lower = {NULL, NULL, NULL}, upper = {NULL, NULL, NULL};
    int64_t size, below, above;
    double ones[N];
    for (int k = 0; k < N; k++)
        ones[k] = 1;
    REQUIRE_OK(tn_array_new_from_host(&b, ones, TN_F64, 1, &n, NULL, TN_ORDER_C, NULL));
    for (int k = 0; k < 8; k++) {
        tn_sparse_lu_options options = complete;
        options.order = (tn_sparse_order)(k % 4);
        REQUIRE_OK(make_bands(&m, k >= 4));
        const tn_csr a = lend(&m, N);
        REQUIRE_OK(tn_sparse_lu_new(&lu, &a, &options, NULL));
        for (int how = 0; how < 3; how++) {
            REQUIRE_OK(tn_sparse_lu_solve(&x, lu, (tn_sparse_solve)how, b, NULL));
            REQUIRE_OK(check_solution(&m, how > 0, x));
            tn_array_release(x);
            x = NULL;
        }
        tn_sparse_lu_size(lu, &size, &below, &above);
        REQUIRE_OK(tn_sparse_lu_factors(&lower, &upper, lu));
        REQUIRE_OK(tn_sparse_lu_places(&rows, &columns, lu));
        assert_true(size == N && tn_array_size(lower.data) == below + N);
        assert_true(tn_array_size(upper.indices) == above + N && tn_array_size(rows) == N);
        assert_true(tn_sparse_lu_dtype(lu) == TN_F64);
        tn_array_release(rows);
        tn_array_release(columns);
        rows = columns = NULL;
        drop(&lower);
        drop(&upper);
        tn_sparse_lu_release(lu);
        lu = NULL;
        drop(&m);
    }
cleanup:
    tn_array_release(x);
    tn_array_release(b);
    tn_array_release(rows);
    tn_array_release(columns);
    drop(&lower);
    drop(&upper);
    drop(&m);
    tn_sparse_lu_release(lu);
}

static void test_incomplete_factors(void **state) {
    (void)state;
    const tn_sparse_lu_options options = {TN_SPARSE_ORDER_NATURAL, -1, 1e-3, 0.5, 0};
    matrix m = {NULL, NULL, NULL};
    tn_sparse_lu *lu = NULL;
    int64_t size, below, above;
    REQUIRE_OK(make_bands(&m, true));
    const tn_csr a = lend(&m, N);
    REQUIRE_OK(tn_sparse_lu_new(&lu, &a, &options, NULL));
    tn_sparse_lu_size(lu, &size, &below, &above);
    assert_true(below <= N * N / 2 && above <= N * N / 2);
cleanup:
    drop(&m);
    tn_sparse_lu_release(lu);
}

static void test_refusals(void **state) {
    (void)state;
    static const double data[3] = {1, 1, 1};
    static const int32_t good[3] = {0, 1, 1}, starts[3] = {0, 1, 3}, outside[3] = {0, 1, 5},
                         zero[3] = {0, 0, 0}, descends[3] = {0, 3, 1};
    const struct {
        const int32_t *rows, *starts;
        tn_status status;
    } cases[] = {{good, starts, TN_OK},
                 {outside, starts, TN_ERROR_VALUE},
                 {good, descends, TN_ERROR_VALUE},
                 {zero, starts, TN_ERROR_RUNTIME}};
    matrix m = {NULL, NULL, NULL};
    tn_sparse_lu *lu = NULL;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        REQUIRE_OK(make(&m, 2, 3, data, cases[k].rows, cases[k].starts));
        const tn_csr a = lend(&m, 2);
        REQUIRE_STATUS(tn_sparse_lu_new(&lu, &a, &complete, NULL), cases[k].status);
        assert_true((lu != NULL) == (cases[k].status == TN_OK));
        tn_sparse_lu_release(lu);
        lu = NULL;
        drop(&m);
    }
cleanup:
    tn_sparse_lu_release(lu);
    drop(&m);
}

static void test_walks(void **state) {
    (void)state;
    static const int64_t first[2] = {0, 3}, two = 2;
    matrix m = {NULL, NULL, NULL};
    tn_array *sources = NULL, *distances = NULL, *before = NULL, *origins = NULL;
    bool is_negative = true;
    double read[2 * N];
    REQUIRE_OK(make_bands(&m, false));
    const tn_csr graph = lend(&m, N);
    REQUIRE_OK(tn_array_new_from_host(&sources, first, TN_I64, 1, &two, NULL, TN_ORDER_C, NULL));
    for (int k = 0; k < 4; k++) {
        const tn_path_options options = {(tn_path_method)(k % 3), k == 1, k == 3, INFINITY};
        REQUIRE_OK(tn_csgraph_paths(&distances, &before, &origins, &is_negative, &graph, sources,
                                    &options, NULL));
        assert_true(!is_negative && tn_array_size(distances) == (k == 3 ? N : 2 * N));
        REQUIRE_OK(tn_array_read(read, NULL, distances, NULL));
        assert_true(read[0] == 0 && read[1] == 1 && (k != 3 || origins));
        tn_array_release(distances);
        tn_array_release(before);
        tn_array_release(origins);
        distances = before = origins = NULL;
    }
    REQUIRE_OK(tn_csgraph_traverse(&distances, &before, &graph, 5, true, false, NULL));
    assert_true(tn_array_size(before) == N);
    REQUIRE_OK(tn_csgraph_spanning(&origins, &graph, NULL));
    assert_true(tn_array_size(origins) == tn_array_size(m.data));
cleanup:
    tn_array_release(sources);
    tn_array_release(distances);
    tn_array_release(before);
    tn_array_release(origins);
    drop(&m);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_factors), REPLAY(test_incomplete_factors),
                                        REPLAY(test_refusals), REPLAY(test_walks)};
    return REPLAY_RUN("sparse_lu", tests);
}
