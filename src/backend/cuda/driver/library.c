/* The libraries of CUDA: loading them, with texts that say what to install, and what is known of
 * each without loading it. core/base/library.c finds and opens them. */
#include "backend/cuda/driver/library.h"

#include "core/base/alloc.h"
#include "core/base/forklock.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/cuda.h>
#include <unistd.h>

enum { VERSIONS = 2 }; /* of CUDA that a library has files of */

static struct {
    atomic_bool is_loaded;
    char path[TNI_LIBRARY_PATH];
} states[TNI_CUDA_LIBRARIES];
static tni_fork_lock lock = TNI_FORK_LOCK;

tn_status tn_cuda_add_library_root(const char *path) {
    return tni_library_add_root(path) ? TN_OK : tni_fail_no_memory((int64_t)strlen(path));
}

/* --- Loading --- */

static tn_status fail_missing(tni_library which) {
    const tni_library_facts *library = tni_library_facts_of(which);
    if (which == TNI_LIBRARY_DRIVER)
        return tni_fail(TN_ERROR_DEVICE,
                        "cudaErrorInsufficientDriver: the CUDA driver (libcuda.so.1) is not "
                        "installed, or no GPU is passed to this system; see errors/no-gpu in the "
                        "documentation");
    return tni_fail(TN_ERROR_DEVICE,
                    "cudaErrorSharedObjectInitFailed: %s was not found; %s, or name the file in "
                    "TENORITE_<NAME>_PATH, <NAME> being %s in capitals; see errors/missing-library "
                    "in the documentation",
                    library->files[tni_library_first_file()], tni_cuda_library_advice(which),
                    library->name);
}

static tn_status load(tni_library which, const tni_symbol *symbols, size_t count, void *table) {
    void *handle = tni_library_open(which, states[which].path);
    if (!handle) return fail_missing(which);
    const char *missing = tni_library_bind(handle, "", "", symbols, count, table);
    if (missing)
        TNI_FAIL(TN_ERROR_DEVICE,
                 "cudaErrorInsufficientDriver: %s has no function %s; a newer version is needed",
                 states[which].path, missing);
    tni_library_found(which, states[which].path);
    return TN_OK;
}

tn_status tni_cuda_library_load(tni_library which, const tni_symbol *symbols, size_t count,
                                void *table) {
    if (atomic_load_explicit(&states[which].is_loaded, memory_order_acquire)) return TN_OK;
    tn_status status = TN_OK;
    tni_fork_lock_take(&lock);
    if (!atomic_load(&states[which].is_loaded)) {
        status = load(which, symbols, count, table);
        if (status == TN_OK)
            atomic_store_explicit(&states[which].is_loaded, true, memory_order_release);
    }
    tni_fork_lock_give(&lock);
    return status;
}

/* --- Telling --- */

typedef struct location {
    char *path;
    size_t bytes;
} location;

/* Takes the first file; a bare name ends the search unless it is loaded already. */
static bool note_file(const char *path, bool is_file, void *context) {
    location *location = context;
    struct link_map *map = NULL;
    void *handle = NULL;
    if (!is_file && (handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD))) {
        if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) path = map->l_name;
        is_file = map && path[0] == '/';
    }
    if (is_file && access(path, R_OK) != 0) is_file = false; /* a path that was given */
    if (is_file) snprintf(location->path, location->bytes, "%s", path);
    if (handle) dlclose(handle);
    return is_file;
}

bool tni_cuda_library_locate(tni_library which, char *path, size_t bytes) {
    location location = {path, bytes};
    const char *loaded = tni_cuda_library_loaded_path(which);
    if (loaded) return note_file(loaded, true, &location);
    return tni_library_visit(which, note_file, &location);
}

const char *tni_cuda_library_loaded_path(tni_library which) {
    return atomic_load(&states[which].is_loaded) ? states[which].path : NULL;
}

const char *tni_cuda_library_advice(tni_library which) {
    static _Thread_local char text[96]; /* names of packages are short */
    const char *package = tni_library_facts_of(which)->packages[tni_library_first_file()];
    if (!package) return "install NVIDIA's driver for the GPU";
    snprintf(text, sizeof text, "install it with: pip install %s", package);
    return text;
}

/* The two numbers at the beginning of a text; 0 if there are none. */
static int read_version(const char *text) {
    int major, minor;
    return sscanf(text, "%d.%d", &major, &minor) == 2 ? 1000 * major + 10 * minor : 0;
}

/* Most libraries have a function that tells, cublasGetProperty(0 or 1, &number): of one that the
 * process has loaded. */
static int version_of_loaded(const tni_library_facts *library, const char *path) {
    char name[64];
    int major = 0, minor = 0;
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return 0;
    const char *stem = library->files[0] + strlen("lib");
    snprintf(name, sizeof name, "%.*sGetProperty", (int)strcspn(stem, "."), stem);
    int (*ask)(int, int *) = NULL;
    void *address = dlsym(handle, name);
    memcpy(&ask, &address, sizeof ask);
    bool knows = ask && ask(0, &major) == 0 && ask(1, &minor) == 0;
    dlclose(handle);
    return knows ? 1000 * major + 10 * minor : 0;
}

/* A toolkit's libcublas.so.13 is a link to libcublas.so.13.1.0.3. */
static int version_of_name(const char *path) {
    char target[PATH_MAX];
    if (!realpath(path, target)) return 0;
    const char *digits = strstr(strrchr(target, '/'), ".so.");
    return digits ? read_version(digits + 4) : 0;
}

/* A wheel has no more than libcublas.so.13 in nvidia/cu13/lib, and beside nvidia the folder
 * nvidia_cublas-13.1.0.3.dist-info. */
static int version_of_wheel(const tni_library_facts *library, const char *path) {
    char prefix[128], beside[TNI_LIBRARY_PATH], found[TNI_LIBRARY_PATH];
    for (int k = 0; k < VERSIONS; k++) {
        if (!library->folders[k]) continue;
        int length = snprintf(prefix, sizeof prefix, "%s-", library->packages[k]);
        for (int c = 0; c < length - 1; c++)
            if (prefix[c] == '-') prefix[c] = '_';
        const char *inner = strstr(path, library->folders[k]);
        if (!inner || inner == path) continue;
        snprintf(beside, sizeof beside, "%.*s", (int)(inner - path), path);
        if (tni_library_find_neighbour(found, sizeof found, beside, prefix))
            return read_version(strrchr(found, '/') + length + 1);
    }
    return 0;
}

/* NVRTC's number is in its files' names, the driver's is asked for, and so are those of others if
 * they are loaded; else they are read where they lie: nothing is loaded to be asked. */
static int find_version(tni_library which, const tn_cuda_library_info *info) {
    int version = 0;
    if (which == TNI_LIBRARY_NVRTC)
        return info->is_found && tni_nvrtc_version(&version) == TN_OK ? version : 0;
    if (which == TNI_LIBRARY_DRIVER) {
        if (info->is_loaded) tni_driver.cuDriverGetVersion(&version);
        return version;
    }
    if (!info->path[0]) return 0;
    version = version_of_loaded(tni_library_facts_of(which), info->path);
    if (!version) version = version_of_name(info->path);
    return version ? version : version_of_wheel(tni_library_facts_of(which), info->path);
}

bool tn_cuda_library(tn_cuda_library_info *info, int number, bool load) {
    if (number < 0 || number >= TNI_CUDA_LIBRARIES) return false;
    tni_library which = (tni_library)number;
    memset(info, 0, sizeof *info);
    if (load && which == TNI_LIBRARY_DRIVER) tni_driver_load();
    if (load && which == TNI_LIBRARY_NVRTC) tni_nvrtc_load();
    info->name = tni_library_facts_of(which)->name;
    info->advice = tni_cuda_library_advice(which);
    info->is_loaded = tni_cuda_library_loaded_path(which) != NULL;
    info->is_found =
        tni_cuda_library_locate(which, info->path, sizeof info->path) || info->is_loaded;
    info->version = find_version(which, info);
    return true;
}

tn_status tn_cuda_compiler_version(int *version) {
    return tni_nvrtc_version(version);
}

/* --- The lists --- */

tni_driver_functions tni_driver;
static const tni_symbol driver_symbols[] = {
#define FN(name, params, args) {#name, offsetof(tni_driver_functions, name), false},
#define OPTIONAL(name, params, args) {#name, offsetof(tni_driver_functions, name), true},
#include "backend/cuda/driver/driver.fn"
};

/* The files that come first are those of the driver's version of CUDA, for it may refuse newer
 * ones. */
static int preferred_file(void) {
    int version = 0;
    if (!atomic_load(&states[TNI_LIBRARY_DRIVER].is_loaded) ||
        tni_driver.cuDriverGetVersion(&version) != CUDA_SUCCESS)
        return 0;
    return version >= 13000 ? 0 : 1;
}

tn_status tni_driver_load(void) {
    tni_library_set_preference(preferred_file);
    return tni_cuda_library_load(TNI_LIBRARY_DRIVER, driver_symbols,
                                 sizeof driver_symbols / sizeof *driver_symbols, &tni_driver);
}

tni_nvrtc_functions tni_nvrtc;
static const tni_symbol nvrtc_symbols[] = {
#define FN(result, name, params) {#name, offsetof(tni_nvrtc_functions, name), false},
#include "backend/cuda/driver/nvrtc.fn"
};

tn_status tni_nvrtc_load(void) {
    return tni_cuda_library_load(TNI_LIBRARY_NVRTC, nvrtc_symbols,
                                 sizeof nvrtc_symbols / sizeof *nvrtc_symbols, &tni_nvrtc);
}

tn_status tni_nvrtc_version(int *version) {
    static atomic_int known;
    char path[TNI_LIBRARY_PATH], builtins[TNI_LIBRARY_PATH];
    int major = 0, minor = 0;
    *version = atomic_load(&known);
    if (*version) return TN_OK;
    if (tni_cuda_library_locate(TNI_LIBRARY_NVRTC, path, sizeof path) &&
        tni_library_find_neighbour(builtins, sizeof builtins, path, "libnvrtc-builtins.so.")) {
        const char *digits = strstr(strrchr(builtins, '/'), ".so.") + 4;
        if (sscanf(digits, "%d.%d", &major, &minor) != 2) major = 0;
    }
    if (!major) {
        TNI_TRY(tni_nvrtc_load());
        tni_nvrtc.nvrtcVersion(&major, &minor);
    }
    atomic_store(&known, *version = 1000 * major + 10 * minor);
    return TN_OK;
}

tni_nvtx_functions tni_nvtx;
static const tni_symbol nvtx_symbols[] = {
#define FN(result, name, params) {#name, offsetof(tni_nvtx_functions, name), false},
#include "backend/cuda/driver/nvtx.fn"
};

tn_status tni_nvtx_load(void) {
    return tni_cuda_library_load(TNI_LIBRARY_NVTX, nvtx_symbols,
                                 sizeof nvtx_symbols / sizeof *nvtx_symbols, &tni_nvtx);
}
