/* Finding and opening libraries.
 *
 * Looked for in this order, for the CUDA version of the driver first and then for the others: the
 * path that tn_library_set_path() or TENORITE_<NAME>_PATH gives (then no other is tried); a
 * copy that the process has loaded already; the folders of PyPI's wheels below the roots that
 * tn_cuda_add_library_root() was told of; CONDA_PREFIX; the system's loader; CUDA_PATH, CUDA_HOME
 * and /usr/local/cuda. Files are opened by their versioned names only, because wheels have no
 * others. A library is never closed. The driver comes from the system alone. */
#include "backend/cuda/driver/library.h"
#include "core/base/alloc.h"
#include "core/base/forklock.h"
#include "core/base/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/cuda.h>
#include <unistd.h>

enum { VERSIONS = 2, PATH_BYTES = 1024 };

/* Of CUDA 13 and of CUDA 12, in this order. */
typedef struct description {
    const char *name;
    const char *files[VERSIONS];
    const char *folders[VERSIONS]; /* in site-packages */
    const char *packages[VERSIONS];
} description;

/* clang-format off */
static const description descriptions[TNI_LIBRARY_COUNT] = {
    [TNI_LIBRARY_DRIVER] = {"cuda", {"libcuda.so.1"}, {NULL}, {NULL}},
    [TNI_LIBRARY_NVRTC] = {"nvrtc", {"libnvrtc.so.13", "libnvrtc.so.12"},
        {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"}, {"nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12"}},
    [TNI_LIBRARY_NVTX] = {"nvtx", {"libnvtx3interop.so.1", "libnvToolsExt.so.1"},
        {"nvidia/cu13/lib", "nvidia/nvtx/lib"}, {"nvidia-nvtx", "nvidia-nvtx-cu12"}},
    [TNI_LIBRARY_CUBLAS] = {"cublas", {"libcublas.so.13", "libcublas.so.12"},
        {"nvidia/cu13/lib", "nvidia/cublas/lib"}, {"nvidia-cublas", "nvidia-cublas-cu12"}},
    [TNI_LIBRARY_CUBLASLT] = {"cublaslt", {"libcublasLt.so.13", "libcublasLt.so.12"},
        {"nvidia/cu13/lib", "nvidia/cublas/lib"}, {"nvidia-cublas", "nvidia-cublas-cu12"}},
    [TNI_LIBRARY_CUSOLVER] = {"cusolver", {"libcusolver.so.12", "libcusolver.so.11"},
        {"nvidia/cu13/lib", "nvidia/cusolver/lib"}, {"nvidia-cusolver", "nvidia-cusolver-cu12"}},
    [TNI_LIBRARY_CUSPARSE] = {"cusparse", {"libcusparse.so.12", "libcusparse.so.12"},
        {"nvidia/cu13/lib", "nvidia/cusparse/lib"}, {"nvidia-cusparse", "nvidia-cusparse-cu12"}},
    [TNI_LIBRARY_CUFFT] = {"cufft", {"libcufft.so.12", "libcufft.so.11"},
        {"nvidia/cu13/lib", "nvidia/cufft/lib"}, {"nvidia-cufft", "nvidia-cufft-cu12"}},
    [TNI_LIBRARY_CURAND] = {"curand", {"libcurand.so.10", "libcurand.so.10"},
        {"nvidia/cu13/lib", "nvidia/curand/lib"}, {"nvidia-curand", "nvidia-curand-cu12"}},
    [TNI_LIBRARY_NCCL] = {"nccl", {"libnccl.so.2", "libnccl.so.2"},
        {"nvidia/nccl/lib", "nvidia/nccl/lib"}, {"nvidia-nccl-cu13", "nvidia-nccl-cu12"}},
    [TNI_LIBRARY_CUDNN] = {"cudnn", {"libcudnn.so.9", "libcudnn.so.9"},
        {"nvidia/cudnn/lib", "nvidia/cudnn/lib"}, {"nvidia-cudnn-cu13", "nvidia-cudnn-cu12"}},
};
/* clang-format on */

static struct {
    atomic_bool is_loaded;
    char path[PATH_BYTES];
} states[TNI_LIBRARY_COUNT];
static tni_fork_lock lock = TNI_FORK_LOCK;

/* --- Roots of site-packages --- */

typedef struct root {
    struct root *next;
    char path[];
} root;
static root *roots, **last_root = &roots;
static tni_fork_lock roots_lock = TNI_FORK_LOCK;

tn_status tn_cuda_add_library_root(const char *path) {
    size_t bytes = strlen(path) + 1;
    tni_fork_lock_take(&roots_lock);
    root *known = roots;
    while (known && strcmp(known->path, path) != 0)
        known = known->next;
    root *made = known ? NULL : tni_malloc(sizeof *made + bytes);
    if (made) {
        made->next = NULL;
        memcpy(made->path, path, bytes);
        *last_root = made;
        last_root = &made->next;
    }
    tni_fork_lock_give(&roots_lock);
    return known || made ? TN_OK : tni_fail_no_memory((int64_t)(sizeof *made + bytes));
}

/* --- Places --- */

/* Looks at one place after the other: `visit` says whether it took one. `path` is a file, or a bare
 * name for the system's loader. */
typedef bool (*visitor)(const char *path, bool is_file, void *context);

static bool visit_file(const char *folder, const char *inner, const char *file, visitor visit,
                       void *context) {
    char path[PATH_BYTES];
    if (!folder || !*folder || !inner) return false;
    int length = snprintf(path, sizeof path, "%s/%s/%s", folder, inner, file);
    return length < (int)sizeof path && access(path, R_OK) == 0 && visit(path, true, context);
}

static bool is_loaded_already(const char *file) {
    void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) dlclose(handle); /* only the count goes down again */
    return handle != NULL;
}

static bool visit_places(const description *library, int version, visitor visit, void *context) {
    const char *file = library->files[version];
    if (!file) return false;
    if (is_loaded_already(file)) return visit(file, false, context);
    tni_fork_lock_take(&roots_lock);
    const root *first = roots;
    tni_fork_lock_give(&roots_lock);
    for (const root *root = first; root; root = root->next)
        if (visit_file(root->path, library->folders[version], file, visit, context)) return true;
    if (visit_file(getenv("CONDA_PREFIX"), "lib", file, visit, context)) return true;
    if (visit(file, false, context)) return true;
    const char *toolkits[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    for (size_t k = 0; k < sizeof toolkits / sizeof *toolkits; k++)
        if (visit_file(toolkits[k], "lib64", file, visit, context) ||
            visit_file(toolkits[k], "lib", file, visit, context))
            return true;
    return false;
}

/* Which CUDA version's files come first: the driver's, since it may refuse what is newer. */
static int first_version(void) {
    int version = 0;
    if (!atomic_load(&states[TNI_LIBRARY_DRIVER].is_loaded) ||
        tni_driver.cuDriverGetVersion(&version) != CUDA_SUCCESS)
        return 0;
    return version >= 13000 ? 0 : 1;
}

static bool visit_all(tni_library which, visitor visit, void *context) {
    const description *library = &descriptions[which];
    if (which == TNI_LIBRARY_DRIVER) {
#ifdef TNI_TEST_HOOKS
        const char *fake = getenv("TENORITE_FAKE_CUDA");
        if (fake) return visit(fake, true, context);
#endif
        return visit(library->files[0], false, context);
    }
    const char *given = tni_library_path(library->name);
    if (given) return visit(given, true, context);
    int first = first_version();
    for (int k = 0; k < VERSIONS; k++)
        if (visit_places(library, (first + k) % VERSIONS, visit, context)) return true;
    return false;
}

/* --- Opening --- */

/* Calls `visit` for a file's neighbour whose name begins with `prefix`. */
static bool find_neighbour(char *found, size_t bytes, const char *path, const char *prefix) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_BYTES];
    if (!slash || (size_t)(slash - path) >= sizeof folder) return false;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    DIR *directory = opendir(folder);
    if (!directory) return false;
    bool is_found = false;
    for (struct dirent *entry; !is_found && (entry = readdir(directory));)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            is_found = snprintf(found, bytes, "%s/%s", folder, entry->d_name) < (int)bytes;
    closedir(directory);
    return is_found;
}

/* libnvrtc opens its builtins by a bare name, and some versions would find another copy's. */
static void open_builtins(const char *path) {
    char builtins[PATH_BYTES];
    if (find_neighbour(builtins, sizeof builtins, path, "libnvrtc-builtins.so."))
        dlopen(builtins, RTLD_NOW | RTLD_LOCAL);
}

typedef struct opening {
    tni_library which;
    void *handle;
} opening;

static bool open_one(const char *path, bool is_file, void *context) {
    opening *opening = context;
    if (is_file && opening->which == TNI_LIBRARY_NVRTC) open_builtins(path);
    opening->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opening->handle) return false;
    struct link_map *map = NULL;
    if (dlinfo(opening->handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0]) path = map->l_name;
    if (!is_file && opening->which == TNI_LIBRARY_NVRTC) open_builtins(path);
    snprintf(states[opening->which].path, PATH_BYTES, "%s", path);
    return true;
}

static tn_status fail_missing(tni_library which) {
    const description *library = &descriptions[which];
    if (which == TNI_LIBRARY_DRIVER)
        return tni_fail(TN_ERROR_DEVICE,
                        "cudaErrorInsufficientDriver: the CUDA driver (libcuda.so.1) is not "
                        "installed, or no GPU is passed to this system");
    return tni_fail(TN_ERROR_DEVICE,
                    "cudaErrorSharedObjectInitFailed: %s was not found; %s, or name the file in "
                    "TENORITE_<NAME>_PATH, <NAME> being %s in capitals",
                    library->files[first_version()], tni_library_advice(which), library->name);
}

static tn_status load(tni_library which, const tni_symbol *symbols, size_t count, void *table) {
    opening opening = {which, NULL};
    if (!visit_all(which, open_one, &opening)) return fail_missing(which);
    for (size_t k = 0; k < count; k++) {
        void *address = dlsym(opening.handle, symbols[k].name);
        if (!address && !symbols[k].is_optional)
            TNI_FAIL(TN_ERROR_DEVICE,
                     "cudaErrorInsufficientDriver: %s has no function %s; a newer version is "
                     "needed",
                     states[which].path, symbols[k].name);
        memcpy((char *)table + symbols[k].offset, &address, sizeof address);
    }
    tni_library_found(descriptions[which].name, states[which].path);
    return TN_OK;
}

tn_status tni_library_load(tni_library which, const tni_symbol *symbols, size_t count,
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

bool tni_library_locate(tni_library which, char *path, size_t bytes) {
    location location = {path, bytes};
    const char *loaded = tni_library_loaded_path(which);
    if (loaded) return note_file(loaded, true, &location);
    return visit_all(which, note_file, &location);
}

const char *tni_library_name(tni_library which) {
    return descriptions[which].name;
}

const char *tni_library_loaded_path(tni_library which) {
    return atomic_load(&states[which].is_loaded) ? states[which].path : NULL;
}

const char *tni_library_advice(tni_library which) {
    static _Thread_local char text[128];
    const char *package = descriptions[which].packages[first_version()];
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
static int version_of_loaded(const description *library, const char *path) {
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
static int version_of_wheel(const description *library, const char *path) {
    char prefix[128], beside[PATH_BYTES], found[PATH_BYTES];
    for (int k = 0; k < VERSIONS; k++) {
        if (!library->folders[k]) continue;
        int length = snprintf(prefix, sizeof prefix, "%s-", library->packages[k]);
        for (int c = 0; c < length - 1; c++)
            if (prefix[c] == '-') prefix[c] = '_';
        const char *inner = strstr(path, library->folders[k]);
        if (!inner || inner == path) continue;
        snprintf(beside, sizeof beside, "%.*s", (int)(inner - path), path);
        if (find_neighbour(found, sizeof found, beside, prefix))
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
    version = version_of_loaded(&descriptions[which], info->path);
    if (!version) version = version_of_name(info->path);
    return version ? version : version_of_wheel(&descriptions[which], info->path);
}

bool tn_cuda_library(tn_cuda_library_info *info, int number, bool load) {
    if (number < 0 || number >= TNI_LIBRARY_COUNT) return false;
    tni_library which = (tni_library)number;
    memset(info, 0, sizeof *info);
    if (load && which == TNI_LIBRARY_DRIVER) tni_driver_load();
    if (load && which == TNI_LIBRARY_NVRTC) tni_nvrtc_load();
    info->name = descriptions[which].name;
    info->advice = tni_library_advice(which);
    info->is_loaded = tni_library_loaded_path(which) != NULL;
    info->is_found = tni_library_locate(which, info->path, sizeof info->path) || info->is_loaded;
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

tn_status tni_driver_load(void) {
    return tni_library_load(TNI_LIBRARY_DRIVER, driver_symbols,
                            sizeof driver_symbols / sizeof *driver_symbols, &tni_driver);
}

tni_nvrtc_functions tni_nvrtc;
static const tni_symbol nvrtc_symbols[] = {
#define FN(result, name, params) {#name, offsetof(tni_nvrtc_functions, name), false},
#include "backend/cuda/driver/nvrtc.fn"
};

tn_status tni_nvrtc_load(void) {
    return tni_library_load(TNI_LIBRARY_NVRTC, nvrtc_symbols,
                            sizeof nvrtc_symbols / sizeof *nvrtc_symbols, &tni_nvrtc);
}

tn_status tni_nvrtc_version(int *version) {
    static atomic_int known;
    char path[PATH_BYTES], builtins[PATH_BYTES];
    int major = 0, minor = 0;
    *version = atomic_load(&known);
    if (*version) return TN_OK;
    if (tni_library_locate(TNI_LIBRARY_NVRTC, path, sizeof path) &&
        find_neighbour(builtins, sizeof builtins, path, "libnvrtc-builtins.so.")) {
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
    return tni_library_load(TNI_LIBRARY_NVTX, nvtx_symbols,
                            sizeof nvtx_symbols / sizeof *nvtx_symbols, &tni_nvtx);
}
