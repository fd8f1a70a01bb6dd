/* Traces by the C API: what is kept, summed up and written. */
#include "replay.h"

#include "core/trace/record.h"
#include "core/trace/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

/* What a failing allocation makes untrue. */
#define REQUIRE(truth) REQUIRE_STATUS((truth) ? TN_OK : TN_ERROR_MEMORY, TN_OK)

static tn_array *make(tn_dtype dtype, int64_t rows, int64_t columns) {
    tn_array *made = NULL;
    int64_t shape[] = {rows, columns};
    return tn_array_new(&made, dtype, 2, shape, TN_ORDER_C, NULL) == TN_OK ? made : NULL;
}

static int64_t events_of(tn_trace_kind kind, const char *name) {
    tn_trace_sum rows[64];
    int64_t count = 0, found = 0;
    if (tn_trace_sum_up(rows, 64, &count, 0, false) != TN_OK) return -1;
    for (int64_t k = 0; k < count && k < 64; k++)
        if (rows[k].kind == kind && strcmp(rows[k].name, name) == 0) found += rows[k].events;
    return found;
}

static void test_calls(void **state) {
    (void)state;
    tn_array *a = NULL, *made = NULL;
    bool is_on = false;
    a = make(TN_F32, 30, 50);
    REQUIRE(a != NULL);
    REQUIRE_OK(tn_array_fill(a, tn_scalar_bool(true), NULL));
    REQUIRE_OK(tn_trace_start(1000, false));
    is_on = true;
    REQUIRE_STATUS(tn_trace_start(10, false), TN_ERROR_RUNTIME);
    tn_trace_push("mine");
    int64_t begun = tn_trace_begin();
    assert_true(begun != 0);
    tn_operand operands[2] = {{a, {0}}, {a, {0}}};
    tn_status status = tn_elementwise(&made, TN_OP_ADD, operands, NULL, NULL);
    tn_trace_end(begun, "my_add", (const tn_array *const[]){a, a, made}, 3);
    REQUIRE_OK(status);
    tn_trace_pop();
    tn_trace_mark("here");
    REQUIRE_OK(tn_trace_stop());
    is_on = false;
    tn_trace_counts counts = tn_trace_get_counts();
    assert_false(counts.is_on);
    REQUIRE(counts.dropped == 0);
    REQUIRE(events_of(TN_TRACE_CALL, "my_add") == 1);
    REQUIRE(events_of(TN_TRACE_WORK, "add") == 1);
    REQUIRE(events_of(TN_TRACE_MALLOC, "malloc") == 1);
    REQUIRE(events_of(TN_TRACE_RANGE, "mine") == 1);
    REQUIRE(events_of(TN_TRACE_MARK, "here") == 1);
cleanup:
    if (is_on) assert_int_equal(tn_trace_stop(), TN_OK);
    assert_int_equal(tn_trace_stop(), TN_ERROR_RUNTIME);
    assert_int_equal(tn_trace_begin(), 0);
    tn_trace_clear();
    tn_array_release(a);
    tn_array_release(made);
}

static void write_marks(int count) {
    char name[32];
    for (int k = 0; k < count; k++) {
        snprintf(name, sizeof name, "m%d", k);
        tn_trace_mark(name);
    }
}

static void test_bounds(void **state) {
    (void)state;
    assert_int_equal(tn_trace_start(0, false), TN_ERROR_VALUE);
    for (int is_ring = 0; is_ring < 2; is_ring++) {
        REQUIRE_OK(tn_trace_start(10, is_ring));
        write_marks(25);
        tn_status status = tn_trace_stop();
        tn_trace_counts counts = tn_trace_get_counts();
        assert_int_equal(counts.recorded, 25);
        REQUIRE_OK(status);
        REQUIRE(counts.dropped == 15);
        REQUIRE(events_of(TN_TRACE_MARK, "m9") == !is_ring);
        REQUIRE(events_of(TN_TRACE_MARK, "m24") == is_ring);
        REQUIRE(events_of(TN_TRACE_MARK, "m15") == is_ring);
        REQUIRE(events_of(TN_TRACE_MARK, "m0") == !is_ring);
    }
cleanup:
    tn_trace_clear();
    assert_int_equal(tn_trace_get_counts().recorded, 0);
}

static void test_shapes(void **state) {
    (void)state;
    tni_traced event = {0};
    int64_t shape[] = {1, 200, INT64_C(1) << 40};
    tni_trace_shape(&event, TN_F64, 3, shape);
    assert_int_equal(event.shape_bytes, 2 + 1 + 2 + 6);
    tni_trace_shape(&event, TN_B8, 0, NULL);
    assert_int_equal(event.shape_bytes, 13);
    for (int k = 0; k < 10; k++) /* what has no room is left out, whole */
        tni_trace_shape(&event, TN_F64, 3, shape);
    assert_int_equal(event.shape_bytes, 13 + 2 * 11);
}

/* The text of a file, of tni_malloc(); NULL: it can't be read. */
static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = file ? calloc(1, 1 << 16) : NULL;
    if (text) (void)!fread(text, 1, (1 << 16) - 1, file);
    if (file) fclose(file);
    return text;
}

static void test_write(void **state) {
    (void)state;
    char path[] = "/tmp/trace-XXXXXX", *text = NULL;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(tn_trace_write(path), TN_ERROR_RUNTIME);
    REQUIRE_OK(tn_trace_start(100, false));
    tn_trace_push("a \"quoted\" \\ name\n\xff\xc3\xa9\xe2\x82");
    REQUIRE_OK(tn_trace_stop()); /* an open range ends here */
    REQUIRE_OK(tn_trace_write(path));
    REQUIRE_STATUS(tn_trace_write("/nonexistent/folder/x"), TN_ERROR_VALUE);
    text = read_text(path);
    assert_non_null(text);
    REQUIRE(tn_trace_get_counts().dropped == 0);
    REQUIRE(strstr(text, "\"name\":\"a \\\"quoted\\\" \\\\ name\\u000a?\xc3\xa9??\"") != NULL);
    assert_non_null(strstr(text, "\"traceEvents\":["));
cleanup:
    tn_trace_pop();
    tn_trace_clear();
    free(text);
    unlink(path);
}

enum { WRITERS = 4, EACH = 20000 };

static void *mark_many(void *unused) {
    for (int k = 0; k < EACH; k++)
        tn_trace_mark("many");
    return unused;
}

/* Threads note events while others start and stop traces; what is kept is whole. */
static void test_threads(void **state) {
    (void)state;
    pthread_t threads[WRITERS];
    assert_int_equal(tn_trace_start(1000, true), TN_OK);
    for (int k = 0; k < WRITERS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, mark_many, NULL), 0);
    for (int turn = 0; turn < 20; turn++) {
        assert_int_equal(tn_trace_stop(), TN_OK);
        tn_trace_counts counts = tn_trace_get_counts();
        assert_int_equal(events_of(TN_TRACE_MARK, "many"), counts.recorded - counts.dropped);
        assert_int_equal(tn_trace_start(1000, true), TN_OK);
    }
    for (int k = 0; k < WRITERS; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(tn_trace_stop(), TN_OK);
    tn_trace_clear();
}

static atomic_int asked;

static tn_status refuse(void) {
    atomic_fetch_add(&asked, 1);
    tn_error_set("no");
    return TN_ERROR_CALLBACK;
}

/* A mask as an index waits for the number of its true elements. */
static void test_watcher(void **state) {
    (void)state;
    tn_array *a = make(TN_F32, 3, 4), *mask = make(TN_B8, 3, 4), *made = NULL;
    REQUIRE(a && mask);
    REQUIRE_OK(tn_array_fill(mask, tn_scalar_bool(true), NULL));
    REQUIRE_OK(tn_array_fill(a, tn_scalar_bool(true), NULL));
    atomic_store(&asked, 0);
    tn_wait_set_watcher(refuse);
    tn_status status = tn_array_compress(&made, a, mask, 0, NULL);
    tn_wait_set_watcher(NULL);
    REQUIRE_STATUS(status, TN_ERROR_CALLBACK);
    assert_int_equal(atomic_load(&asked), 1);
    assert_null(made);
    REQUIRE_OK(tn_array_compress(&made, a, mask, 0, NULL));
cleanup:
    tn_array_release(a);
    tn_array_release(mask);
    tn_array_release(made);
}

static void test_log(void **state) {
    (void)state;
    assert_int_equal(tn_log_set("compile, wait"), TN_OK);
    assert_true(tn_log_is_on("wait"));
    assert_false(tn_log_is_on("pool"));
    assert_int_equal(tn_log_set("nothing"), TN_ERROR_VALUE);
    assert_non_null(strstr(tn_error_message(), "'nothing'"));
    assert_true(tn_log_is_on("compile"));
    assert_int_equal(tn_log_set(""), TN_OK);
    assert_false(tn_log_is_on("compile"));
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY(test_calls),       REPLAY(test_bounds),  REPLAY(test_shapes), REPLAY(test_write),
        REPLAY_NOT(test_threads), REPLAY(test_watcher), REPLAY_NOT(test_log)};
    return REPLAY_RUN("trace", tests);
}
