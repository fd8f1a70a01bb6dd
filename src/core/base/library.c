/* The paths of libraries that backends load at run time: given by the program, given by the
 * environment, carried beside this library, found by a loader. Every path is set at most once, so
 * it stays valid for ever. */
#include "core/base/library.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct place {
    const char *name, *variable;
    _Atomic(const char *) given, found;
} place;

static place places[] = {
    {"openblas", "TENORITE_OPENBLAS_PATH", NULL, NULL},
    {"sleef", "TENORITE_SLEEF_PATH", NULL, NULL},
    {"nvrtc", "TENORITE_NVRTC_PATH", NULL, NULL},
    {"nvtx", "TENORITE_NVTX_PATH", NULL, NULL},
    {"cublas", "TENORITE_CUBLAS_PATH", NULL, NULL},
    {"cublaslt", "TENORITE_CUBLASLT_PATH", NULL, NULL},
    {"cusolver", "TENORITE_CUSOLVER_PATH", NULL, NULL},
    {"cusparse", "TENORITE_CUSPARSE_PATH", NULL, NULL},
    {"cufft", "TENORITE_CUFFT_PATH", NULL, NULL},
    {"curand", "TENORITE_CURAND_PATH", NULL, NULL},
    {"nccl", "TENORITE_NCCL_PATH", NULL, NULL},
    {"cudnn", "TENORITE_CUDNN_PATH", NULL, NULL},
};

static place *place_of(const char *name) {
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++)
        if (strcmp(places[k].name, name) == 0) return &places[k];
    return NULL;
}

tn_status tn_library_set_path(const char *name, const char *path) {
    place *place = place_of(name);
    if (!place) TNI_FAIL(TN_ERROR_VALUE, "no library is called '%s'", name);
    size_t bytes = strlen(path) + 1;
    char *copy = tni_malloc(bytes);
    if (!copy) return tni_fail_no_memory((int64_t)bytes);
    memcpy(copy, path, bytes);
    const char *none = NULL;
    if (!atomic_compare_exchange_strong(&place->given, &none, copy)) {
        bool same = strcmp(none, copy) == 0;
        tni_free(copy);
        if (!same) TNI_FAIL(TN_ERROR_VALUE, "the path of '%s' is set already", name);
    }
    return TN_OK;
}

const char *tn_library_get_path(const char *name) {
    place *place = place_of(name);
    return place ? atomic_load(&place->found) : NULL;
}

const char *tni_library_path(const char *name) {
    place *place = place_of(name);
    if (!place) return NULL;
    const char *given = atomic_load(&place->given);
    if (!given) given = getenv(place->variable);
    return given && *given ? given : NULL;
}

void tni_library_found(const char *name, const char *path) {
    place *place = place_of(name);
    if (place) atomic_store(&place->found, path);
}

bool tni_library_find_beside(char *path, size_t bytes, const char *relative) {
    Dl_info own;
    if (!dladdr((void *)(uintptr_t)tni_library_find_beside, &own) || !own.dli_fname) return false;
    const char *slash = strrchr(own.dli_fname, '/');
    int length = slash ? (int)(slash - own.dli_fname) : 1;
    int needed = snprintf(path, bytes, "%.*s/%s", length, slash ? own.dli_fname : ".", relative);
    return needed > 0 && (size_t)needed < bytes && access(path, R_OK) == 0;
}
