/* The frame of a C test: every test is replayed with its n-th allocation failing.
 *
 * Decides: what a test looks like and how a failing allocation reaches it.
 * Invariant: a body runs with allocation 1 failing, then 2, ... until a run in which none failed;
 * that last run is the ordinary one. Because a failing run comes first, even what is set up only
 * once per process is replayed.
 * Algorithm: tni_alloc_fail_at(n) arms the counter of core/base/alloc.c; what fails in the body
 * arrives as TN_ERROR_MEMORY at a REQUIRE macro, which leaves for the body's `cleanup:` label.
 * Leaks show under `make asan`, where every replay counts.
 *
 *     static void test_reshape(void **state) {
 *         tn_array *a = NULL;
 *         REQUIRE_OK(tn_array_new(&a, ...));
 *         assert_int_equal(tn_array_ndim(a), 2);
 *     cleanup:
 *         tn_array_release(a);
 *     }
 *
 *     int main(void) {
 *         static const replay_test tests[] = {REPLAY(test_reshape), REPLAY_NOT(test_threads)};
 *         return REPLAY_RUN("array", tests);
 *     }
 *
 * TENORITE_REPLAY=0 in the environment runs each body once, for a debugger. */
#ifndef TESTS_REPLAY_H
#define TESTS_REPLAY_H

/* cmocka.h wants these four before it. */
/* clang-format off */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include <tenorite/status.h>

typedef struct replay_test {
    const char *name;
    CMUnitTestFunction body;
    bool is_replayed;
} replay_test;

/* clang-format off */
#define REPLAY(test) {#test, test, true}
/* For a test of other matters than allocation whose body is slow or starts threads. */
#define REPLAY_NOT(test) {#test, test, false}
/* clang-format on */
#define REPLAY_RUN(name, tests) replay_run(name, tests, sizeof(tests) / sizeof((tests)[0]))

enum { REPLAY_TESTS_MAX = 256, REPLAY_ALLOCATIONS_MAX = 100000 };

/* The allocation that fails in this run (0: none), and whether a REQUIRE saw it fail. */
static long replay_failing;
static bool replay_was_seen;

/* True where the body has to leave for its cleanup because the armed allocation failed. Any other
 * difference from `expected` fails the test here. */
static inline bool replay_leaves(tn_status status, tn_status expected, const char *text,
                                 const char *file, int line) {
    if (status == expected) return false;
    if (status == TN_ERROR_MEMORY && replay_failing != 0 && !tni_alloc_fail_pending()) {
        replay_was_seen = true;
        return true;
    }
    print_error("%s gave %s, not %s: %s\n", text, tn_status_name(status), tn_status_name(expected),
                tn_error_message());
    _fail(file, line);
    return true;
}

#define REQUIRE_STATUS(expr, expected)                                                             \
    do {                                                                                           \
        if (replay_leaves((expr), (expected), #expr, __FILE__, __LINE__)) goto cleanup;            \
    } while (0)
#define REQUIRE_OK(expr) REQUIRE_STATUS(expr, TN_OK)

/* For what reports a failing allocation by NULL alone. */
#define REQUIRE_POINTER(expr) REQUIRE_STATUS((expr) != NULL ? TN_OK : TN_ERROR_MEMORY, TN_OK)

static inline void replay_body(void **state) {
    const replay_test *test = *state;
    const char *wish = getenv("TENORITE_REPLAY");
    bool is_replayed = test->is_replayed && !(wish != NULL && strcmp(wish, "0") == 0);
    long absorbed = 0;
    for (replay_failing = is_replayed ? 1 : 0;; replay_failing++) {
        void *body_state = NULL;
        replay_was_seen = false;
        tni_alloc_fail_at(replay_failing);
        test->body(&body_state);
        if (replay_failing == 0 || tni_alloc_fail_pending()) break;
        absorbed += !replay_was_seen;
        assert_true(replay_failing < REPLAY_ALLOCATIONS_MAX);
    }
    if (is_replayed)
        print_message("[  REPLAY  ] %s: %ld allocations failed in turn, %ld made no difference\n",
                      test->name, replay_failing - 1, absorbed);
    replay_failing = 0;
}

/* Runs after a failed body too, which leaves by a long jump. */
static inline int replay_teardown(void **state) {
    const replay_test *test = *state;
    tni_alloc_fail_at(0);
    if (replay_failing != 0)
        print_error("%s failed in the run whose allocation %ld fails\n", test->name,
                    replay_failing);
    replay_failing = 0;
    return 0;
}

static inline int replay_run(const char *name, const replay_test *tests, size_t count) {
    static struct CMUnitTest units[REPLAY_TESTS_MAX];
    if (count > REPLAY_TESTS_MAX) {
        fprintf(stderr, "%s: more than %d tests\n", name, REPLAY_TESTS_MAX);
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        units[i] = (struct CMUnitTest){.name = tests[i].name,
                                       .test_func = replay_body,
                                       .teardown_func = replay_teardown,
                                       .initial_state = (void *)(uintptr_t)&tests[i]};
    return _cmocka_run_group_tests(name, units, count, NULL, NULL);
}

#endif
