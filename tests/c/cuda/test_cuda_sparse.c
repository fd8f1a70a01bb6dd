/* What the CUDA backend launches for sparse matrices, and that the texts compile with the real
 * NVRTC. What they compute is looked at in tests/python/cuda/test_sparse_text.py. */
#include "core/array/array.h"
#include "cuda_forms.h"
#include "forms/sparse.h"

enum { ROWS = 1000, COLUMNS = 700, COUNT = 20000, PIECES = 11 /* of 2048 items */ };

static tn_stream *stream(void) {
    return tn_stream_default(cuda0);
}

static tni_csr matrix(void) {
    return (tni_csr){ROWS, COLUMNS, COUNT, somewhere, somewhere + 0x100000, somewhere + 0x200000};
}

static void *place(int number) {
    return somewhere + 0x100000 * (int64_t)number;
}

/* Memory of the double's, which filling looks for. */
static tn_array *memory(void *address) {
    tn_array *made = NULL;
    check_ok(tn_array_new(&made, TN_I64, 1, L(2 * ROWS), TN_ORDER_C, stream()));
    check_ok(tni_array_access(address, made, TNI_WRITE, stream()));
    return made;
}

static void test_multiply(void **state) {
    static const tn_dtype dtypes[] = {TN_B8, TN_I32, TN_F32, TN_C128};
    (void)state;
    for (int k = 0; k < 4; k++) {
        tni_csr_multiply call = {dtypes[k], k % 2, false, matrix(), 1, 1, 1, place(3), place(4)};
        long launches = fake_cuda_launches();
        check_ok(tni_cuda_csr_multiply(&call, stream()));
        check_forms("csr_cuts csr_multiply csr_carry", launches);
        assert_int_equal(check_launch("csr_multiply", launches + 1), PIECES);
        call.width = call.dense_row = 64;
        launches = fake_cuda_launches();
        check_ok(tni_cuda_csr_multiply(&call, stream()));
        check_forms("csr_cuts csr_multiply_dense csr_carry", launches);
        /* 21,000 items in pieces of 128, a team of 32 threads and one of columns each */
        assert_int_equal(check_launch("csr_multiply_dense", launches + 1), (165 * 32 + 255) / 256);
    }
}

/* Atomics for a vector; else, and where there are none, the matrix by columns is made first. */
static void test_multiply_transposed(void **state) {
    (void)state;
    static const tn_dtype dtypes[] = {TN_F64, TN_C64, TN_I64};
    int64_t *room;
    tn_array *own = memory(&room);
    for (int k = 0; k < 3; k++) {
        tni_csr_multiply transposed = {dtypes[k], k == 1, true, matrix(), 1, 1, 1, NULL, room};
        if (k) transposed.dense = place(3);
        long before = fake_cuda_launches();
        check_ok(tni_cuda_csr_multiply(&transposed, stream()));
        check_forms("csr_cuts csr_transpose", before);
    }
    tn_array_release(own);
    tni_csr_multiply call = {TN_I16, false, true, matrix(), 1, 1, 1, place(3), place(4)};
    long launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_multiply(&call, stream()));
    check_forms("csr_cuts csr_look sort_count sort_digits sort_digits sort_digits sort_digits "
                "csr_gather csr_cuts csr_multiply csr_carry",
                launches);
}

static void test_scatter_and_inspect(void **state) {
    (void)state;
    tni_csr_scatter scatter = {TN_F32, false, matrix(), COLUMNS, 1, place(4)};
    long launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_scatter(&scatter, stream()));
    assert_int_equal(check_forms("csr_scatter", launches), ROWS * 32 / 256);
    int64_t *flags;
    tn_array *own = memory(&flags);
    tni_csr_inspect inspect = {true, matrix(), flags};
    launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_inspect(&inspect, stream()));
    assert_int_equal(check_forms("csr_cuts csr_look", launches), PIECES);
    tn_array_release(own);
}

static void test_group_and_sort(void **state) {
    (void)state;
    tni_csr_group group = {.item = 16,
                           .lines = ROWS,
                           .count = 100,
                           .major = place(1),
                           .minor = place(2),
                           .values = place(3),
                           .to_starts = place(4),
                           .to_indices = place(5),
                           .to_values = place(6)};
    long launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_group(&group, stream()));
    assert_int_equal(check_forms("sort_short csr_gather", launches), 1);
    tn_array *own = memory(&group.to_starts);
    group.count = 0;
    launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_group(&group, stream()));
    assert_int_equal(fake_cuda_launches(), launches);
    tn_array_release(own);
    tni_csr_sort sort = {8, true, matrix(), place(1), place(2)};
    sort.a.count = 3000;
    launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_sort(&sort, stream()));
    check_forms("csr_cuts csr_look csr_keys sort_rows flat flat csr_gather", launches);
    sort.a.columns = INT64_MAX / 2;
    assert_int_equal(tni_cuda_csr_sort(&sort, stream()), TN_ERROR_NOT_IMPLEMENTED);
    assert_non_null(strstr(tn_error_message(), "not sorted on cuda"));
}

static void test_made(void **state) {
    (void)state;
    tni_csr_rows rows = {.item = 1, .a = matrix(), .rows = 300, .step = 2};
    tn_array *own = memory(&rows.to.ends);
    long launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_rows(&rows, stream()));
    check_forms("csr_choose scan_rows", launches);
    tn_array_release(own);
    rows.to = (tni_csr_made){place(4), place(4), 5000, place(5), place(6)};
    launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_rows(&rows, stream()));
    assert_int_equal(check_forms("csr_choose", launches), 20);
    tni_csr_unite unite = {.dtype = TN_C64, .is_wide = true, .a = matrix()};
    unite.to.ends = place(4);
    launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_unite(&unite, stream()));
    check_forms("csr_heads csr_heads scan_rows csr_ends", launches);
    unite.to = rows.to;
    launches = fake_cuda_launches();
    check_ok(tni_cuda_csr_unite(&unite, stream()));
    check_forms("csr_heads csr_heads scan_rows csr_unite", launches);
}

static void test_merge(void **state) {
    (void)state;
    static const tn_dtype results[] = {TN_F64, TN_B8};
    for (int k = 0; k < 2; k++) {
        tni_csr_merge call = {.op = k ? TN_OP_NOT_EQUAL : TN_OP_ADD,
                              .dtype = TN_F64,
                              .result_dtype = results[k],
                              .a = matrix(),
                              .b = matrix(),
                              .to = {place(4), NULL, 0, place(5), place(6)}};
        long launches = fake_cuda_launches();
        check_ok(tni_cuda_csr_merge(&call, stream()));
        check_forms("csr_merge flat csr_keep scan_rows csr_keep csr_ends", launches);
        call.a.count = call.b.count = 0;
        launches = fake_cuda_launches();
        check_ok(tni_cuda_csr_merge(&call, stream()));
        check_forms("csr_ends", launches);
    }
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_multiply),
                                        REPLAY_NOT(test_multiply_transposed),
                                        REPLAY_NOT(test_scatter_and_inspect),
                                        REPLAY_NOT(test_group_and_sort),
                                        REPLAY_NOT(test_made),
                                        REPLAY_NOT(test_merge)};
    return RUN_WITH_NVRTC("cuda_sparse", tests);
}
