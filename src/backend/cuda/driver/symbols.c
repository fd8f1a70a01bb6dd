/* Functions of CUDA's libraries by their names, for programs that call them directly: tenorite.cuda
 * has tables of their names and arguments.
 *
 * Algorithm: in the calling conventions of the processors that CUDA runs on (System V on x86-64,
 * AAPCS64 on Arm) whole numbers and addresses travel in registers of one sort, then on the stack, a
 * word each; eight floating-point numbers travel in registers of another sort. So one type of
 * function serves for all that take no more of these, and words after a function's last argument
 * do no harm. */
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/library.h"
#include "core/base/forklock.h"
#include "core/base/waiting.h"

#include <dlfcn.h>
#include <string.h>
#include <tenorite/cuda.h>

static void *handles[TNI_CUDA_LIBRARIES];
static tni_fork_lock lock = TNI_FORK_LOCK;

static tn_status find_library(tni_library *which, const char *name) {
    for (int k = 0; k < TNI_CUDA_LIBRARIES; k++) {
        if (strcmp(tni_library_facts_of((tni_library)k)->name, name) != 0) continue;
        *which = (tni_library)k;
        return TN_OK;
    }
    return tni_fail(TN_ERROR_VALUE, "CUDA has no library %s", name);
}

/* A library that the backend uses already is opened once more from the same file. */
static tn_status open_library(void **handle, tni_library which) {
    char path[TNI_LIBRARY_PATH];
    const char *loaded = tni_cuda_library_loaded_path(which);
    *handle = loaded ? dlopen(loaded, RTLD_LAZY) : tni_library_open(which, path);
    if (*handle) return TN_OK;
    return tni_fail(TN_ERROR_DEVICE,
                    "cudaErrorSharedObjectInitFailed: the library %s was not found; %s",
                    tni_library_facts_of(which)->name, tni_cuda_library_advice(which));
}

tn_status tn_cuda_symbol(uintptr_t *address, const char *library, const char *name) {
    tni_library which = TNI_LIBRARY_DRIVER;
    tn_status status = TN_OK;
    TNI_TRY(find_library(&which, library));
    tni_driver_load(); /* prefers files of its version; NVRTC needs no driver */
    tni_fork_lock_take(&lock);
    if (!handles[which]) status = open_library(&handles[which], which);
    tni_fork_lock_give(&lock);
    TNI_TRY(status);
    *address = (uintptr_t)dlsym(handles[which], name);
    if (*address) return TN_OK;
    return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "the installed library %s has no function %s",
                    library, name);
}

typedef uint64_t word;
typedef word (*any_function)(word, word, word, word, word, word, word, word, word, word, word, word,
                             word, word, word, word, word, word, word, word, word, word, word, word,
                             word, word, word, word, word, word, word, word, double, double, double,
                             double);

static word call(uintptr_t address, const tn_cuda_arguments *arguments) {
    const word *w = arguments->words;
    const double *r = arguments->reals;
    any_function function;
    memcpy(&function, &address, sizeof function);
    return function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12],
                    w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23],
                    w[24], w[25], w[26], w[27], w[28], w[29], w[30], w[31], r[0], r[1], r[2], r[3]);
}

tn_status tn_cuda_call(uint64_t *result, uintptr_t function, const tn_cuda_arguments *arguments,
                       int number) {
    tni_cuda_scope scope;
    if (!function) return tni_fail(TN_ERROR_VALUE, "a function's address may not be 0");
    tni_look_all(TNI_LOOK_DRIVER_CALL);
    if (number >= 0) TNI_TRY(tni_cuda_enter(&scope, number));
    *result = call(function, arguments);
    if (number >= 0) tni_cuda_leave(&scope);
    return TN_OK;
}
