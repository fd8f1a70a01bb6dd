/* Copies between plain memory of the host and a device, on the test double of the driver: every
 * byte arrives, in few blocks or many, whatever fails on the way. */
#include "replay.h"

#include "core/base/error.h"
#include "fake_cuda.h"

#include <tenorite/tenorite.h>

enum { MIB = 1 << 20 };

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};

#ifdef __SANITIZE_THREAD__ /* which is slow where much is copied */
enum { MOST = 33 * MIB + 3 };
#else
enum { MOST = 70 * MIB + 3 };
#endif
static unsigned char *pattern, *there, *back;

/* There and back. */
static tn_status travel(int64_t bytes, tn_stream *stream) {
    tn_array *array = NULL;
    tn_status status;
    memcpy(there, pattern, (size_t)bytes);
    memset(back, 0x5a, (size_t)bytes + 1);
    TNI_TRY_OWNING(tn_array_new(&array, TN_U8, 1, &bytes, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tn_array_write(array, there, NULL, stream));
    memset(there, 0, (size_t)bytes); /* it has been read */
    TNI_TRY_OWNING(tn_array_read(back, NULL, array, stream));
    assert_memory_equal(back, pattern, (size_t)bytes);
    assert_int_equal(back[bytes], 0x5a);
cleanup:
    tn_array_release(array);
    return status;
}

static void test_sizes(void **state) {
    (void)state;
    static const int64_t sizes[] = {1,           (64 << 10),      (64 << 10) + 1, MIB - 1, MIB,
                                    2 * MIB - 1, 8 * MIB + 12345, 32 * MIB,       MOST};
    tn_stream *stream;
    assert_int_equal(tn_stream_new(&stream, cuda0, true, 0), TN_OK);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        assert_int_equal(travel(sizes[k], tn_stream_default(cuda0)), TN_OK);
        assert_int_equal(travel(sizes[k], stream), TN_OK);
    }
    tn_stream_release(stream);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* Without page-locked memory the driver copies. */
static void test_no_blocks(void **state) {
    (void)state;
    tn_pinned_pool_trim(tn_pinned_pool_default());
    for (long n = 1; n < 4; n++) {
        fake_cuda_fail("cuMemHostAlloc", n, CUDA_ERROR_OUT_OF_MEMORY);
        assert_int_equal(travel(5 * MIB, tn_stream_default(cuda0)), TN_OK);
        assert_string_equal(fake_cuda_failed(), "cuMemHostAlloc");
        fake_cuda_fail(NULL, 0, 0);
        tn_pinned_pool_trim(tn_pinned_pool_default());
    }
    assert_string_equal(fake_cuda_complaint(), "");
}

/* What is allocated when the pools are empty. */
static long count_blocks(void) {
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    tn_pinned_pool_trim(tn_pinned_pool_default());
    tn_pool_trim(tn_pool_default(), cuda0, NULL);
    return fake_cuda_blocks();
}

/* Calls of the driver fail in turn, each `step`-th: with a clear message or not at all, and the
 * blocks come back. */
static void fail_calls(int64_t bytes, long step) {
    const char *failed = "";
    tn_stream *stream = tn_stream_default(cuda0);
    long blocks = count_blocks();
    for (long n = 1; failed; n += step) {
        fake_cuda_fail(NULL, n, CUDA_ERROR_INVALID_VALUE);
        tn_status status = travel(bytes, stream);
        failed = fake_cuda_failed();
        fake_cuda_fail(NULL, 0, 0);
        assert_true(status == TN_OK || status == TN_ERROR_DEVICE);
        if (status) assert_non_null(strstr(tn_error_message(), "cudaErrorInvalidValue"));
        assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
    }
    assert_int_equal(travel(bytes, stream), TN_OK);
    assert_int_equal(count_blocks(), blocks);
    assert_string_equal(fake_cuda_complaint(), "");
}

/* Blocks that serve once, and such as serve again. */
static void test_failing_calls(void **state) {
    (void)state;
    fail_calls(3 * MIB, 1);
    fail_calls(33 * MIB, 11);
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_sizes), REPLAY_NOT(test_no_blocks),
                                        REPLAY_NOT(test_failing_calls)};
    pattern = malloc(MOST), there = malloc(MOST), back = malloc(MOST + 1);
    if (!pattern || !there || !back) return 1;
    for (int64_t k = 0; k < MOST; k++)
        pattern[k] = (unsigned char)(k * 7 + k / 4096 + k / MIB);
    int failed = REPLAY_RUN("cuda_staging", tests);
    free(pattern), free(there), free(back);
    return failed;
}
