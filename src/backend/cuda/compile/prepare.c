/* The compiler made ready while the driver makes the first context.
 *
 * Decides: when that is worth a thread. A context takes 100 ms, and so do the loading of NVRTC and
 * the first program that it compiles; a program whose caches are empty needs both before its first
 * result. The thread that waits for the context waits for this, too, so that no thread compiles at
 * a process's end (workers.c). */
#include "backend/cuda/compile/prepare.h"

#include "backend/cuda/compile/cache.h"
#include "backend/cuda/compile/compile.h"
#include "backend/cuda/compile/workers.h"
#include "core/base/lock.h"
#include "core/base/threadstart.h"

#include <limits.h>

static atomic_int is_running; /* a futex word */

static void *prepare(void *unused) {
    (void)unused;
    tni_cuda_compile_prepare();
    atomic_store(&is_running, 0);
    tni_futex_wake(&is_running, INT_MAX);
    return NULL;
}

void tni_prepare_begin(void) {
    static atomic_bool has_begun;
    if (atomic_exchange(&has_begun, true) || !tni_cuda_workers_are_on() || !tni_cache_is_empty())
        return;
    atomic_store(&is_running, 1);
    if (tni_thread_start(prepare, NULL) != 0) atomic_store(&is_running, 0);
}

void tni_prepare_end(void) {
    while (atomic_load(&is_running))
        tni_futex_wait(&is_running, 1, -1);
}
