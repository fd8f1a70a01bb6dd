/* Sparse matrices through the public C functions, with failing allocations. Values are compared
 * with SciPy in tests/python/values/sparse/test_sparse.py. */
#include "replay.h"

#include "backend/host/threads.h"
#include <tenorite/tenorite.h>

#include <math.h>

static tn_status ints(tn_array **result, int64_t n, const int32_t *values) {
    return tn_array_new_from_host(result, values, TN_I32, 1, &n, NULL, TN_ORDER_C, NULL);
}

static tn_status doubles(tn_array **result, int64_t n, const double *values) {
    return tn_array_new_from_host(result, values, TN_F64, 1, &n, NULL, TN_ORDER_C, NULL);
}

/* [[1, 0, 2], [0, 0, 0], [3, 4, 0]] with the rows' columns descending. */
static tn_status make(tn_csr *a) {
    tn_array *data = NULL, *indices = NULL, *indptr = NULL;
    tn_status status = doubles(&data, 4, (double[]){2, 1, 4, 3});
    if (!status) status = ints(&indices, 4, (int32_t[]){2, 0, 1, 0});
    if (!status) status = ints(&indptr, 4, (int32_t[]){0, 2, 2, 4});
    *a = (tn_csr){3, 3, data, indices, indptr};
    return status;
}

static void drop(const tn_csr *a) {
    tn_array_release((tn_array *)(uintptr_t)a->data);
    tn_array_release((tn_array *)(uintptr_t)a->indices);
    tn_array_release((tn_array *)(uintptr_t)a->indptr);
}

static void release(tn_csr_arrays *made) {
    tn_array_release(made->data);
    tn_array_release(made->indices);
    tn_array_release(made->indptr);
    *made = (tn_csr_arrays){NULL, NULL, NULL};
}

static void refused(tn_status status, tn_status expected, const char *text) {
    assert_int_equal(status, expected);
    if (!strstr(tn_error_message(), text)) fail_msg("%s", tn_error_message());
}

static tn_csr lend(const tn_csr_arrays *made, int64_t rows, int64_t columns) {
    return (tn_csr){rows, columns, made->data, made->indices, made->indptr};
}

/* The matrix as a dense one is `expected`, by rows. */
static tn_status check(const tn_csr *a, const double *expected) {
    const int64_t shape[2] = {a->rows, a->columns};
    double read[16];
    tn_array *to = NULL;
    tn_status status = tn_array_new_zeros(&to, TN_F64, 2, shape, TN_ORDER_C, NULL);
    if (!status) status = tn_csr_scatter(to, a, NULL);
    if (!status) status = tn_array_read(read, NULL, to, NULL);
    for (int64_t k = 0; k < shape[0] * shape[1] && !status; k++)
        assert_true(read[k] == expected[k]);
    tn_array_release(to);
    return status;
}

static void test_structure(void **state) {
    (void)state;
    tn_csr a = {0, 0, NULL, NULL, NULL};
    int found = 0;
    REQUIRE_OK(make(&a));
    REQUIRE_OK(tn_csr_inspect(&found, &a, NULL));
    assert_int_equal(found, TN_CSR_UNSORTED);
    REQUIRE_OK(tn_csr_sort(&a, NULL));
    REQUIRE_OK(tn_csr_inspect(&found, &a, NULL));
    assert_int_equal(found, 0);
    REQUIRE_OK(check(&a, (double[]){1, 0, 2, 0, 0, 0, 3, 4, 0}));
cleanup:
    drop(&a);
}

static void test_products(void **state) {
    (void)state;
    tn_csr a = {0, 0, NULL, NULL, NULL};
    tn_csr_arrays square = {NULL, NULL, NULL};
    tn_array *x = NULL, *y = NULL;
    double read[3];
    REQUIRE_OK(make(&a));
    REQUIRE_OK(doubles(&x, 3, (double[]){1, 10, 100}));
    for (int is_transposed = 0; is_transposed < 2; is_transposed++) {
        static const double expected[2][3] = {{201, 0, 43}, {301, 400, 2}};
        REQUIRE_OK(tn_csr_multiply(&y, &a, is_transposed, x, NULL));
        REQUIRE_OK(tn_array_read(read, NULL, y, NULL));
        assert_memory_equal(read, expected[is_transposed], sizeof read);
        tn_array_release(y);
        y = NULL;
    }
    REQUIRE_OK(tn_csr_product(&square, &a, &a, NULL));
    const tn_csr made = lend(&square, 3, 3);
    REQUIRE_OK(check(&made, (double[]){7, 8, 2, 0, 0, 0, 3, 0, 6}));
cleanup:
    release(&square);
    tn_array_release(y);
    tn_array_release(x);
    drop(&a);
}

static void test_conjugate(void **state) {
    (void)state;
    tn_csr a = {0, 0, NULL, NULL, NULL};
    tn_array *data = NULL, *indices = NULL, *indptr = NULL, *x = NULL, *r = NULL, *p = NULL;
    tn_array *numbers = NULL;
    double found[2], written[4];
    REQUIRE_OK(doubles(&data, 4, (double[]){4, 1, 1, 3}));
    REQUIRE_OK(ints(&indices, 4, (int32_t[]){0, 1, 0, 1}));
    REQUIRE_OK(ints(&indptr, 3, (int32_t[]){0, 2, 4}));
    a = (tn_csr){2, 2, data, indices, indptr};
    REQUIRE_OK(doubles(&x, 2, (double[]){0, 0}));
    REQUIRE_OK(doubles(&r, 2, (double[]){1, 2}));
    REQUIRE_OK(doubles(&p, 2, (double[]){0, 0}));
    REQUIRE_OK(doubles(&numbers, 4, (double[]){5, 5, 0, 0}));
    REQUIRE_OK(tn_csr_conjugate(&a, NULL, x, r, p, numbers, 1e-12, 1, NULL));
    REQUIRE_OK(tn_array_read(written, NULL, numbers, NULL));
    assert_true(written[1] == 0.3125 && written[3] == 1); /* alpha is 1/4 */
    REQUIRE_OK(tn_csr_conjugate(&a, NULL, x, r, p, numbers, 1e-12, 100, NULL));
    REQUIRE_OK(tn_array_read(found, NULL, x, NULL));
    REQUIRE_OK(tn_array_read(written, NULL, numbers, NULL));
    assert_true(written[3] == 2 && fabs(found[0] - 1.0 / 11) < 1e-14);
    assert_true(fabs(found[1] - 7.0 / 11) < 1e-14);
    refused(tn_csr_conjugate(&a, NULL, data, r, p, numbers, 0, 1, NULL), TN_ERROR_VALUE,
            "x must be a vector of 2 elements");
    refused(tn_csr_conjugate(&a, indptr, x, r, p, numbers, 0, 1, NULL), TN_ERROR_VALUE, "inverse");
    a.columns = 3;
    refused(tn_csr_conjugate(&a, NULL, x, r, p, numbers, 0, 1, NULL), TN_ERROR_VALUE, "(2,3)");
cleanup:
    drop(&a);
    tn_array_release(x);
    tn_array_release(r);
    tn_array_release(p);
    tn_array_release(numbers);
}

static void test_made(void **state) {
    (void)state;
    tn_csr a = {0, 0, NULL, NULL, NULL};
    tn_csr_arrays transposed = {NULL, NULL, NULL}, sum = transposed, rows = transposed,
                  united = transposed;
    tn_array *chosen = NULL, *major = NULL, *minor = NULL, *data = NULL;
    REQUIRE_OK(make(&a));
    REQUIRE_OK(tn_csr_transpose(&transposed, &a, NULL));
    const tn_csr by_columns = lend(&transposed, 3, 3);
    REQUIRE_OK(check(&by_columns, (double[]){1, 0, 3, 0, 0, 4, 2, 0, 0}));
    REQUIRE_OK(tn_csr_sort(&a, NULL));
    REQUIRE_OK(tn_csr_merge(&sum, TN_OP_SUBTRACT, TN_F64, &a, &by_columns, NULL));
    const tn_csr difference = lend(&sum, 3, 3);
    REQUIRE_OK(check(&difference, (double[]){0, 0, -1, 0, 0, -4, 1, 4, 0}));
    assert_int_equal(tn_array_size(sum.data), 4); /* what is 0 is left out */
    REQUIRE_OK(tn_csr_rows(&rows, &a, NULL, 2, -2, 2, NULL));
    const tn_csr sliced = lend(&rows, 2, 3);
    REQUIRE_OK(check(&sliced, (double[]){3, 4, 0, 1, 0, 2}));
    release(&rows);
    REQUIRE_OK(tn_array_new_from_host(&chosen, (int64_t[]){0, 0, 1}, TN_I64, 1, (int64_t[]){3},
                                      NULL, TN_ORDER_C, NULL));
    REQUIRE_OK(tn_csr_rows(&rows, &a, chosen, 0, 0, 0, NULL));
    const tn_csr picked = lend(&rows, 3, 3);
    REQUIRE_OK(check(&picked, (double[]){1, 0, 2, 1, 0, 2, 0, 0, 0}));
    release(&rows);
    REQUIRE_OK(ints(&major, 3, (int32_t[]){1, 0, 1}));
    REQUIRE_OK(ints(&minor, 3, (int32_t[]){2, 1, 2}));
    REQUIRE_OK(doubles(&data, 3, (double[]){5, 6, 7}));
    REQUIRE_OK(tn_csr_group(&rows, 2, data, major, minor, NULL));
    const tn_csr grouped = lend(&rows, 2, 3);
    REQUIRE_OK(tn_csr_unite(&united, &grouped, NULL));
    const tn_csr summed = lend(&united, 2, 3);
    assert_int_equal(tn_array_size(united.data), 2);
    REQUIRE_OK(check(&summed, (double[]){0, 6, 0, 0, 0, 12}));
    release(&united);
    REQUIRE_OK(tn_csr_compress(&united, 2, 3, data, major, minor, NULL));
    const tn_csr compressed = lend(&united, 2, 3);
    assert_int_equal(tn_array_size(united.data), 2);
    REQUIRE_OK(check(&compressed, (double[]){0, 6, 0, 0, 0, 12}));
    release(&united);
cleanup:
    tn_array_release(chosen);
    tn_array_release(major);
    tn_array_release(minor);
    tn_array_release(data);
    release(&transposed);
    release(&sum);
    release(&rows);
    release(&united);
    drop(&a);
}

/* Long enough for several threads: the sums of rows of a band, twice in parallel. */
static void test_threads(void **state) {
    (void)state;
    enum { N = 60000 };
    static int32_t starts[N + 1], columns[2 * N];
    static double values[2 * N], ones[N], read[N];
    tn_array *arrays[4] = {NULL, NULL, NULL, NULL}, *y = NULL;
    tn_csr_arrays product = {NULL, NULL, NULL};
    for (int k = 0; k < N; k++) {
        starts[k + 1] = 2 * (k + 1);
        columns[2 * k] = k;
        columns[2 * k + 1] = (k + 1) % N;
        values[2 * k] = values[2 * k + 1] = ones[k] = 1;
    }
    tni_thread_set_count(3);
    REQUIRE_OK(doubles(&arrays[0], 2 * N, values));
    REQUIRE_OK(ints(&arrays[1], 2 * N, columns));
    REQUIRE_OK(ints(&arrays[2], N + 1, starts));
    REQUIRE_OK(doubles(&arrays[3], N, ones));
    const tn_csr a = {N, N, arrays[0], arrays[1], arrays[2]};
    REQUIRE_OK(tn_csr_product(&product, &a, &a, NULL));
    const tn_csr square = lend(&product, N, N);
    REQUIRE_OK(tn_csr_multiply(&y, &square, false, arrays[3], NULL));
    REQUIRE_OK(tn_array_read(read, NULL, y, NULL));
    for (int k = 0; k < N; k++)
        assert_true(read[k] == 4);
cleanup:
    tni_thread_set_count(0);
    release(&product);
    tn_array_release(y);
    for (int k = 0; k < 4; k++)
        tn_array_release(arrays[k]);
}

/* What the header refuses, by each function that reads it. */
static void test_refused(void **state) {
    (void)state;
    tn_csr a = {0, 0, NULL, NULL, NULL};
    tn_csr_arrays made = {NULL, NULL, NULL};
    tn_array *x = NULL, *bad = NULL, *y = NULL;
    int found = 0;
    REQUIRE_OK(make(&a));
    REQUIRE_OK(doubles(&x, 2, (double[]){1, 2}));
    refused(tn_csr_multiply(&y, &a, false, x, NULL), TN_ERROR_VALUE, "dimension mismatch");
    refused(tn_csr_scatter(x, &a, NULL), TN_ERROR_VALUE, "the output must have the shape");
    tn_csr other = a;
    other.rows = 2;
    refused(tn_csr_transpose(&made, &other, NULL), TN_ERROR_VALUE, "indptr");
    other = a;
    other.indices = a.data;
    refused(tn_csr_unite(&made, &other, NULL), TN_ERROR_TYPE, "int32 or int64");
    other = a;
    other.columns = 2;
    refused(tn_csr_merge(&made, TN_OP_ADD, TN_F64, &a, &other, NULL), TN_ERROR_VALUE,
            "inconsistent shapes");
    refused(tn_csr_product(&made, &other, &a, NULL), TN_ERROR_VALUE, "dimension mismatch");
    refused(tn_csr_multiply(&y, &other, false, x, NULL), TN_ERROR_VALUE, "is broken");
    REQUIRE_OK(tn_csr_inspect(&found, &other, NULL));
    assert_int_equal(found, TN_CSR_BROKEN);
    REQUIRE_OK(ints(&bad, 4, (int32_t[]){0, 3, 2, 4}));
    other = a;
    other.indptr = bad;
    refused(tn_csr_transpose(&made, &other, NULL), TN_ERROR_VALUE, "is broken");
    refused(tn_csr_rows(&made, &other, NULL, 0, 1, 3, NULL), TN_ERROR_VALUE, "is broken");
    refused(tn_csr_unite(&made, &other, NULL), TN_ERROR_VALUE, "is broken");
    refused(tn_csr_product(&made, &other, &other, NULL), TN_ERROR_VALUE, "is broken");
    refused(tn_csr_rows(&made, &a, NULL, 0, 2, 3, NULL), TN_ERROR_VALUE, "is broken");
    refused(tn_csr_group(&made, 2, a.data, a.indices, a.indices, NULL), TN_ERROR_VALUE,
            "is broken");
    refused(tn_csr_compress(&made, 2, 2, a.data, a.indices, a.indices, NULL), TN_ERROR_VALUE,
            "broken");
    assert_null(made.data);
    assert_null(y);
cleanup:
    tn_array_release(bad);
    tn_array_release(x);
    drop(&a);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_structure),     REPLAY(test_products),
                                        REPLAY_NOT(test_conjugate), REPLAY(test_made),
                                        REPLAY_NOT(test_threads),   REPLAY_NOT(test_refused)};
    return REPLAY_RUN("sparse", tests);
}
