/* Statuses, the thread's message, and the texts of shapes. */
#include "replay.h"

#include "core/base/error.h"

#include <pthread.h>

static void test_names(void **state) {
    (void)state;
    assert_string_equal(tn_status_name(TN_OK), "TN_OK");
    assert_string_equal(tn_status_exception(TN_OK), "");
    assert_string_equal(tn_status_name(TN_ERROR_VALUE), "TN_ERROR_VALUE");
    assert_string_equal(tn_status_exception(TN_ERROR_VALUE), "ValueError");
    assert_string_equal(tn_status_exception(TN_ERROR_MEMORY), "OutOfMemoryError");
    for (int status = 0; status < TN_STATUS_COUNT; status++) {
        assert_int_equal(strncmp(tn_status_name((tn_status)status), "TN_", 3), 0);
        assert_non_null(tn_status_exception((tn_status)status));
        assert_true(strlen(tn_status_text((tn_status)status)) > 0);
    }
    assert_string_equal(tn_status_text(TN_ERROR_INDEX), "index out of range");
    assert_string_equal(tn_status_text((tn_status)-1), "unknown status");
    assert_string_equal(tn_status_name((tn_status)-1), "unknown status");
    assert_string_equal(tn_status_name(TN_STATUS_COUNT), "unknown status");
    assert_string_equal(tn_status_exception((tn_status)1000), "RuntimeError");
}

static void test_message(void **state) {
    (void)state;
    assert_int_equal(tni_fail(TN_ERROR_VALUE, "%d of %s", 3, "three"), TN_ERROR_VALUE);
    assert_string_equal(tn_error_message(), "3 of three");
    /* The last message may be part of the next. */
    tni_fail(TN_ERROR_VALUE, "again: %s", tn_error_message());
    assert_string_equal(tn_error_message(), "again: 3 of three");
    tn_error_set("from outside");
    assert_string_equal(tn_error_message(), "from outside");
    tn_error_set(NULL);
    assert_string_equal(tn_error_message(), "");

    char long_text[4000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    tni_fail(TN_ERROR_VALUE, "%s", long_text);
    assert_in_range(strlen(tn_error_message()), 500, 1100);
}

static void test_memory_figures(void **state) {
    (void)state;
    int64_t requested, used, cached, limit;
    assert_int_equal(tni_fail_memory(100, 20, 3, 4000, "host:0"), TN_ERROR_MEMORY);
    tn_error_memory(&requested, &used, &cached, &limit);
    assert_int_equal(requested, 100);
    assert_int_equal(used, 20);
    assert_int_equal(cached, 3);
    assert_int_equal(limit, 4000);
    assert_non_null(strstr(tn_error_message(), "100 bytes on host:0"));
    assert_non_null(strstr(tn_error_message(), "limit: 4000 bytes"));
    tni_fail_memory(1, 0, 0, 0, "host:0");
    assert_non_null(strstr(tn_error_message(), "limit: none"));
    tn_error_memory(NULL, NULL, NULL, NULL);
}

static void *fail_elsewhere(void *unused) {
    assert_string_equal(tn_error_message(), "");
    tni_fail(TN_ERROR_TYPE, "another thread's");
    return unused;
}

static void test_threads_do_not_share(void **state) {
    (void)state;
    pthread_t thread;
    tni_fail(TN_ERROR_VALUE, "mine");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(tn_error_message(), "mine");
}

static void test_shape_text(void **state) {
    (void)state;
    char text[TNI_SHAPE_TEXT];
    int64_t shape[64] = {3, 4, 5};
    assert_string_equal(tni_shape_text(text, 0, shape), "()");
    assert_string_equal(tni_shape_text(text, 1, shape), "(3,)");
    assert_string_equal(tni_shape_text(text, 3, shape), "(3,4,5)");
    for (int axis = 0; axis < 64; axis++)
        shape[axis] = INT64_MIN;
    const char *cut = tni_shape_text(text, 64, shape);
    assert_in_range(strlen(cut), 100, TNI_SHAPE_TEXT - 1);
    assert_string_equal(cut + strlen(cut) - 4, "...)");
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_names),          REPLAY(test_message),
        REPLAY(test_memory_figures), REPLAY_NOT(test_threads_do_not_share),
        REPLAY(test_shape_text),
    };
    return REPLAY_RUN("status", tests);
}
