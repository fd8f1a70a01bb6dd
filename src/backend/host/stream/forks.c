/* The count of forks. */
#include "backend/host/stream/forks.h"

#include <stdatomic.h>

static atomic_uint forks;

unsigned tni_host_forks(void) {
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

void tni_host_forks_add(void) {
    atomic_fetch_add(&forks, 1);
}
