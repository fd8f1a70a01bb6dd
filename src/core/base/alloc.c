/* malloc and friends after a counter that tests set: the n-th call fails. */
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_long countdown; /* 0: off; 1: the next allocation fails */

static int must_fail(void) {
    if (__builtin_expect(atomic_load_explicit(&countdown, memory_order_relaxed) <= 0, 1)) return 0;
    return atomic_fetch_sub(&countdown, 1) == 1;
}

void *tni_malloc(size_t bytes) {
    return must_fail() ? NULL : malloc(bytes ? bytes : 1);
}

void *tni_calloc(size_t count, size_t bytes) {
    return must_fail() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1);
}

void *tni_realloc(void *memory, size_t bytes) {
    return must_fail() ? NULL : realloc(memory, bytes ? bytes : 1);
}

void tni_free(void *memory) {
    free(memory);
}

void tni_alloc_fail_at(long n) {
    atomic_store(&countdown, n);
}

int tni_alloc_fail_pending(void) {
    return atomic_load(&countdown) > 0;
}
