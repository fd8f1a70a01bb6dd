/* What the tests of the CUDA backend's launches share: the launches that the test double of the
 * driver saw, and whether the real NVRTC is there.
 *
 * The calls are made up: addresses that nothing reads, because the double runs no kernels. */
#ifndef TESTS_CUDA_FORMS_H
#define TESTS_CUDA_FORMS_H

#include "replay.h"

#include "backend/cuda/driver/library.h"
#include "backend/cuda/forms/forms.h"
#include "fake_cuda.h"

#include <tenorite/tenorite.h>

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};
static char *const somewhere = (char *)(uintptr_t)0x7000000;

enum { MULTIPROCESSORS = 132 /* of the double */ };

#define L(...)                                                                                     \
    (const int64_t[]) {                                                                            \
        __VA_ARGS__                                                                                \
    }

static inline void check_ok(tn_status status) {
    if (status != TN_OK) fail_msg("%s", tn_error_message());
}

/* A launch's kernel is of this form: its name begins with the form's and a `_`. Its blocks. */
static inline unsigned check_launch(const char *form, long number) {
    fake_launch launch;
    assert_true(fake_cuda_get_launch(&launch, number));
    char wanted[64];
    snprintf(wanted, sizeof wanted, "tn_%s_", form);
    if (strncmp(launch.name, wanted, strlen(wanted)) != 0)
        fail_msg("the kernel %s, not one of the form %s", launch.name, form);
    assert_int_equal(launch.shared_bytes, 0);
    return launch.grid[0];
}

static inline unsigned check_form(const char *form) {
    return check_launch(form, fake_cuda_launches() - 1);
}

/* The launches since there were `before` are of these forms, in this order ("own take"), and no
 * others. The blocks of the last. */
static inline unsigned check_forms(const char *forms, long before) {
    char names[128], *rest = names;
    unsigned blocks = 0;
    long number = before;
    snprintf(names, sizeof names, "%s", forms);
    for (char *form; (form = strtok_r(rest, " ", &rest));)
        blocks = check_launch(form, number++);
    assert_int_equal(fake_cuda_launches(), number);
    return blocks;
}

static inline bool has_nvrtc(void) {
    const char *root = getenv("TENORITE_LIBRARY_ROOT");
    if (root) tn_cuda_add_library_root(root);
    return tni_driver_load() == TN_OK && tni_nvrtc_load() == TN_OK;
}

/* Meson counts 77 as skipped. */
static inline int run_with_nvrtc(const char *name, const replay_test *tests, size_t count) {
    if (has_nvrtc()) return replay_run(name, tests, count);
    fprintf(stderr, "skipped: %s\n", tn_error_message());
    return 77;
}
#define RUN_WITH_NVRTC(name, tests) run_with_nvrtc(name, tests, sizeof(tests) / sizeof((tests)[0]))

#endif
