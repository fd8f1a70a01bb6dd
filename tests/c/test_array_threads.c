/* Arrays that several threads hold, view, use and let go of, while others put new ones in their
 * places.
 *
 * What the library promises: an array that a thread holds a reference of stays as it is; retaining,
 * releasing, looking at it, viewing it and reading its elements need no lock, on whatever streams;
 * disjoint parts may be written at once. The places themselves are the program's, and have its
 * lock. Races show under `make tsan`; here the values are checked, which are the same in every
 * array. */
#include "replay.h"

#include <pthread.h>
#include <stdatomic.h>
#include <tenorite/tenorite.h>

#ifdef __SANITIZE_THREAD__ /* which is slow */
enum { TURNS = 150 };
#else
enum { TURNS = 1000 };
#endif
enum { THREADS = 4, PLACES = 3, SIZE = 3600 };

static const tn_device host = {TN_BACKEND_HOST, 0};

/* --- Places that threads share --- */

static struct place {
    pthread_mutex_t lock;
    tn_array *array;
} places[PLACES];
static atomic_int wrong, failed;

static tn_array *hold(struct place *place) {
    pthread_mutex_lock(&place->lock);
    tn_array *held = tn_array_retain(place->array);
    pthread_mutex_unlock(&place->lock);
    return held;
}

/* Takes over the reference. */
static void replace(struct place *place, tn_array *array) {
    pthread_mutex_lock(&place->lock);
    tn_array *before = place->array;
    place->array = array;
    pthread_mutex_unlock(&place->lock);
    tn_array_release(before);
}

/* Elements 0 to 9 in turns, SIZE in all. */
static tn_status new_array(tn_array **result) {
    int32_t values[SIZE];
    for (int k = 0; k < SIZE; k++)
        values[k] = k % 10;
    return tn_array_new_from_host(result, values, TN_I32, 1, (int64_t[]){SIZE}, NULL, TN_ORDER_C,
                                  NULL);
}

static bool is_ok(tn_status status) {
    if (status) atomic_fetch_add(&failed, 1);
    return status == TN_OK;
}

static void expect(bool condition) {
    if (!condition) atomic_fetch_add(&wrong, 1);
}

/* The sum of all elements is `times` that of the usual ones. */
static void check_sum(const tn_array *array, int64_t times, tn_stream *stream) {
    tn_array *sum = NULL;
    tn_scalar value;
    if (is_ok(tn_reduce(&sum, TN_REDUCE_SUM, array, NULL, stream)) &&
        is_ok(tn_array_item(&value, sum, stream)))
        expect(value.value.i64 == times * SIZE / 10 * 45);
    tn_array_release(sum);
}

/* --- What threads do --- */

typedef struct worker {
    unsigned seed;
    tn_stream *stream; /* its own; NULL is the default one, which works in the caller */
} worker;

static int draw(worker *own, int limit) {
    return (int)(rand_r(&own->seed) % (unsigned)limit);
}

static void look(worker *own, tn_array *array) {
    int64_t size = 1;
    for (int axis = 0; axis < tn_array_ndim(array); axis++)
        size *= tn_array_shape(array)[axis];
    expect(size == SIZE && tn_array_size(array) == SIZE && tn_array_bytes(array) == 4 * SIZE);
    expect(tn_array_dtype(array) == TN_I32 && tn_array_is_c_contiguous(array));
    (void)own;
}

static void add_up(worker *own, tn_array *array) {
    check_sum(array, 1, own->stream);
}

static void add(worker *own, tn_array *array) {
    tn_array *sum = NULL;
    if (is_ok(tn_binary(&sum, TN_OP_ADD, array, array, own->stream)))
        check_sum(sum, 2, own->stream);
    tn_array_release(sum);
}

/* Views outlive the array, and go in any order. */
static void view(worker *own, tn_array *array) {
    tn_array *flat = NULL, *bytes = NULL, *transposed = NULL, *part = NULL;
    tn_index half = {.kind = TN_INDEX_SLICE, .start = SIZE / 2, .step = 1, .has_start = true};
    if (is_ok(
            tn_array_reshape(&flat, array, 1, (int64_t[]){-1}, TN_ORDER_C, TN_COPY_NEVER, NULL)) &&
        is_ok(tn_array_view_as(&bytes, flat, TN_U8)) &&
        is_ok(tn_array_transpose(&transposed, array, 0, NULL)) &&
        is_ok(tn_array_slice(&part, flat, 1, &half))) {
        expect(tn_array_size(bytes) == 4 * SIZE && tn_array_size(part) == SIZE / 2);
        expect(tn_array_may_overlap(bytes, part));
        tn_array_release(flat);
        flat = NULL;
        check_sum(transposed, 1, own->stream);
    }
    tn_array_release(bytes);
    tn_array_release(flat);
    tn_array_release(part);
    tn_array_release(transposed);
}

static void read_out(worker *own, tn_array *array) {
    int32_t values[SIZE];
    if (!is_ok(tn_array_read(values, NULL, array, own->stream)) ||
        !is_ok(tn_stream_synchronize(own->stream ? own->stream : tn_stream_default(host), -1)))
        return;
    for (int k = 0; k < SIZE; k++)
        expect(values[k] == k % 10);
}

/* As a.shape = ... does. */
static void reshape(worker *own, tn_array *array) {
    static const int64_t shapes[][2] = {{60, 60}, {36, 100}, {SIZE, 1}, {1, SIZE}};
    tn_array *made;
    if (is_ok(tn_array_reshape(&made, array, 2, shapes[draw(own, 4)], TN_ORDER_C, TN_COPY_NEVER,
                               NULL)))
        replace(&places[draw(own, PLACES)], made);
}

static void renew(worker *own, tn_array *array) {
    tn_array *made;
    if (is_ok(tn_array_astype(&made, array, TN_I32, TN_ORDER_C, TN_CASTING_SAFE, TN_COPY_ALWAYS,
                              own->stream)))
        replace(&places[draw(own, PLACES)], made);
}

static void *work(void *context) {
    static void (*const steps[])(worker *, tn_array *) = {look, add_up,   add,     view,
                                                          view, read_out, reshape, renew};
    worker *own = context;
    for (int turn = 0; turn < TURNS; turn++) {
        tn_array *array = hold(&places[draw(own, PLACES)]);
        steps[draw(own, sizeof steps / sizeof *steps)](own, array);
        tn_array_release(array);
    }
    return NULL;
}

static void run_threads(void *(*body)(void *), void *contexts, size_t bytes) {
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(
            pthread_create(&threads[k], NULL, body, (char *)contexts + bytes * (size_t)k), 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(failed, 0);
    assert_int_equal(wrong, 0);
}

static int64_t used_bytes(void) {
    return tn_pool_get_statistics(tn_pool_default(), host).used_bytes;
}

static void check_shared(bool has_streams) {
    int64_t before = used_bytes();
    worker workers[THREADS] = {{0}};
    for (int k = 0; k < PLACES; k++) {
        pthread_mutex_init(&places[k].lock, NULL);
        assert_int_equal(new_array(&places[k].array), TN_OK);
    }
    for (int k = 0; k < THREADS; k++) {
        workers[k].seed = (unsigned)k + 1;
        if (has_streams && k % 2)
            assert_int_equal(tn_stream_new(&workers[k].stream, host, true, 0), TN_OK);
    }
    run_threads(work, workers, sizeof *workers);
    for (int k = 0; k < PLACES; k++) {
        tn_array_release(places[k].array);
        pthread_mutex_destroy(&places[k].lock);
    }
    for (int k = 0; k < THREADS; k++)
        tn_stream_release(workers[k].stream);
    assert_int_equal(tn_device_synchronize(host, -1), TN_OK);
    assert_int_equal(used_bytes(), before);
}

static void test_shared(void **state) {
    (void)state;
    check_shared(false);
}

static void test_shared_on_streams(void **state) {
    (void)state;
    check_shared(true);
}

/* --- Disjoint parts of one array --- */

typedef struct part {
    tn_array *whole; /* held by the thread */
    int64_t at;
} part;

static void *write_part(void *context) {
    part *own = context;
    tn_index row = {.kind = TN_INDEX_INTEGER, .start = own->at};
    for (int turn = 0; turn < TURNS; turn++) {
        tn_array *view = NULL, *sum = NULL;
        if (is_ok(tn_array_slice(&view, own->whole, 1, &row)) &&
            is_ok(tn_array_fill(view, tn_scalar_weak_int(turn), NULL)) &&
            is_ok(tn_binary(&sum, TN_OP_ADD, view, view, NULL)) &&
            is_ok(tn_array_assign(view, sum, TN_CASTING_SAFE, NULL))) {
            tn_scalar value;
            tn_array *most = NULL;
            if (is_ok(tn_reduce(&most, TN_REDUCE_MIN, view, NULL, NULL)) &&
                is_ok(tn_array_item(&value, most, NULL)))
                expect(value.value.i64 == 2 * turn);
            tn_array_release(most);
        }
        tn_array_release(sum);
        tn_array_release(view);
    }
    tn_array_release(own->whole);
    return NULL;
}

static void test_parts(void **state) {
    (void)state;
    int64_t before = used_bytes();
    tn_array *whole;
    part parts[THREADS];
    assert_int_equal(tn_array_new(&whole, TN_I32, 2, (int64_t[]){THREADS, SIZE}, TN_ORDER_C, NULL),
                     TN_OK);
    for (int k = 0; k < THREADS; k++)
        parts[k] = (part){tn_array_retain(whole), k};
    tn_array_release(whole); /* the last thread frees it */
    run_threads(write_part, parts, sizeof *parts);
    assert_int_equal(used_bytes(), before);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_shared),
        REPLAY_NOT(test_shared_on_streams),
        REPLAY_NOT(test_parts),
    };
    return REPLAY_RUN("array_threads", tests);
}
