/* The compiler made ready while the driver makes the first context.
 *
 * Decides: when that is worth a thread. A context takes 100 ms, and so do the loading of NVRTC and the first
 * program that it compiles; a program whose caches are empty needs both before its first result. Who waits
 * for the context waits for this, too, so that no thread of ours compiles at a process's end (defer.h). */
#include "backend/cuda/prepare.h"

#include "backend/cuda/cache.h"
#include "backend/cuda/compile.h"
#include "backend/cuda/defer.h"

#include <signal.h>

static void *prepare(void *context) {
    (void)context;
    tni_cuda_compile_prepare();
    return NULL;
}

void tni_prepare_begin(tni_preparation *preparation) {
    sigset_t all, before;
    preparation->is_begun = false;
    if (!tni_defer_is_on() || !tni_cache_is_empty()) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's business */
    preparation->is_begun = pthread_create(&preparation->thread, NULL, prepare, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tni_prepare_end(tni_preparation *preparation) {
    if (preparation->is_begun) pthread_join(preparation->thread, NULL);
}
