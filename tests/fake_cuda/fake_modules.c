/* Modules, kernels and launches of the double.
 *
 * An image is a cubin as NVRTC makes it, whose sections .nv.info.<kernel> describe each kernel's
 * parameters; PTX, whose kernels are taken to have none; or, from tests/fake_cuda/fake_nvrtc.c, the
 * line "FAKE" and a line per kernel: its name and the bytes of each parameter. */
#include "fake.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KERNELS = 512, PARAMS = 64, HANDLERS = 64 };

struct CUfunc_st {
    char name[192];
    int device;
    int param_count;
    size_t offsets[PARAMS], sizes[PARAMS];
    atomic_int dynamic_bytes; /* allowed */
};

struct CUmod_st {
    int count;
    bool is_open; /* any name is a kernel (PTX) */
    int device;
    struct CUfunc_st kernels[KERNELS];
};

static struct CUfunc_st *add_kernel(CUmodule module, const char *name) {
    if (module->count == KERNELS) abort();
    struct CUfunc_st *kernel = &module->kernels[module->count++];
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->device = module->device;
    return kernel;
}

/* --- Images --- */

/* Attributes of a kernel: a format byte, a kind, and a value of two bytes, or a length and so
 * many. */
static void read_info(struct CUfunc_st *kernel, const unsigned char *data, size_t bytes) {
    enum { BY_LENGTH = 4, PARAMETER = 0x17 };
    for (size_t at = 0; at + 4 <= bytes;) {
        uint16_t length;
        memcpy(&length, data + at + 2, 2);
        if (data[at] == BY_LENGTH && data[at + 1] == PARAMETER && length == 12) {
            uint16_t ordinal, offset;
            uint32_t facts;
            memcpy(&ordinal, data + at + 8, 2);
            memcpy(&offset, data + at + 10, 2);
            memcpy(&facts, data + at + 12, 4);
            if (ordinal < PARAMS) {
                kernel->offsets[ordinal] = offset;
                kernel->sizes[ordinal] = facts >> 18;
                if (ordinal >= kernel->param_count) kernel->param_count = ordinal + 1;
            }
        }
        at += 4 + (data[at] == BY_LENGTH ? length : 0u);
    }
}

static void read_cubin(CUmodule module, const unsigned char *image) {
    static const char prefix[] = ".nv.info.";
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    const Elf64_Shdr *sections = (const void *)(image + header.e_shoff);
    const char *names = (const char *)image + sections[header.e_shstrndx].sh_offset;
    for (int k = 0; k < header.e_shnum; k++) {
        const char *name = names + sections[k].sh_name;
        if (strncmp(name, prefix, sizeof prefix - 1) != 0) continue;
        read_info(add_kernel(module, name + sizeof prefix - 1), image + sections[k].sh_offset,
                  sections[k].sh_size);
    }
}

static void read_fake(CUmodule module, const char *text) {
    char line[512];
    while ((text = strchr(text, '\n')) && *++text) {
        char name[192];
        int used = 0, more;
        size_t size, end = 0;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        if (sscanf(line, "%191s%n", name, &used) != 1) continue;
        struct CUfunc_st *kernel = add_kernel(module, name);
        for (; sscanf(line + used, "%zu%n", &size, &more) == 1; used += more) {
            int number = kernel->param_count++;
            kernel->sizes[number] = size;
            kernel->offsets[number] = end = (end + size - 1) / size * size;
            end += size;
        }
    }
}

CUresult fake_cuModuleLoadData(CUmodule *result, const void *image) {
    if (!fake_current()) return CUDA_ERROR_INVALID_CONTEXT;
    CUmodule module = calloc(1, sizeof *module);
    module->device = fake_current()->device;
    if (memcmp(image, ELFMAG, SELFMAG) == 0) {
        read_cubin(module, image);
    } else if (memcmp(image, "FAKE", 4) == 0) {
        read_fake(module, image);
    } else if (strstr(image, ".version")) {
        module->is_open = true;
    } else {
        free(module);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *result = module;
    return CUDA_SUCCESS;
}

CUresult fake_cuModuleLoad(CUmodule *result, const char *path) {
    static char image[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    pthread_mutex_lock(&fake_lock);
    image[fread(image, 1, sizeof image - 1, file)] = '\0';
    CUresult answer = fake_cuModuleLoadData(result, image);
    pthread_mutex_unlock(&fake_lock);
    fclose(file);
    return answer;
}

CUresult fake_cuModuleUnload(CUmodule module) {
    free(module);
    return CUDA_SUCCESS;
}

CUresult fake_cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    for (int k = 0; k < module->count; k++)
        if (strcmp(module->kernels[k].name, name) == 0) {
            *function = &module->kernels[k];
            return CUDA_SUCCESS;
        }
    if (!module->is_open) return CUDA_ERROR_NOT_FOUND;
    *function = add_kernel(module, name);
    return CUDA_SUCCESS;
}

CUresult fake_cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                   const char *name) {
    static long long variable;
    (void)module, (void)name;
    *address = (CUdeviceptr)(uintptr_t)&variable;
    if (bytes) *bytes = sizeof variable;
    return CUDA_SUCCESS;
}

/* Kernels with the text FAKE_CUDA_FEW_THREADS in their names have many registers. */
CUresult fake_cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    const char *few = getenv("FAKE_CUDA_FEW_THREADS");
    const int threads = few && strstr(function->name, few) ? 64 : 1024;
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? threads
             : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                                  : 0;
    return CUDA_SUCCESS;
}

CUresult fake_cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value > 232448)
        return CUDA_ERROR_INVALID_VALUE;
    atomic_store(&function->dynamic_bytes, value);
    nanosleep(&(struct timespec){0, 100000}, NULL); /* so that threads meet before they launch */
    return CUDA_SUCCESS;
}

CUresult fake_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                          int threads, size_t shared_bytes) {
    (void)function;
    int by_threads = 2048 / threads;
    int by_shared = shared_bytes ? (int)(233472 / shared_bytes) : 32;
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    return CUDA_SUCCESS;
}

CUresult fake_cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, CUfunction function,
                                               CUoccupancyB2DSize shared_bytes_of,
                                               size_t shared_bytes, int threads_max) {
    if (shared_bytes_of) return CUDA_ERROR_NOT_SUPPORTED;
    *threads = threads_max && threads_max < 1024 ? threads_max : 1024;
    fake_cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, *threads, shared_bytes);
    *blocks *= 132;
    return CUDA_SUCCESS;
}

/* --- Launches --- */

static struct handler {
    char name[192];
    void (*run)(const fake_launch *launch, void *context);
    void *context;
} handlers[HANDLERS];
static int handler_count;

static fake_launch *launches;
static long launch_count, launch_capacity;

void fake_cuda_set_kernel(const char *name, void (*run)(const fake_launch *launch, void *context),
                          void *context) {
    pthread_mutex_lock(&fake_lock);
    int k = 0;
    while (k < handler_count && strcmp(handlers[k].name, name) != 0)
        k++;
    if (k == HANDLERS) abort();
    if (k == handler_count) handler_count++;
    snprintf(handlers[k].name, sizeof handlers[k].name, "%s", name);
    handlers[k].run = run;
    handlers[k].context = context;
    pthread_mutex_unlock(&fake_lock);
}

_Atomic(const fake_watcher *) fake_cuda_watcher;

static void run_launch(void *params) {
    const fake_launch *launch = params;
    void *watched = launch->watched;
    struct handler handler = {.run = NULL};
    pthread_mutex_lock(&fake_lock);
    for (int k = 0; k < handler_count; k++)
        if (strcmp(handlers[k].name, launch->name) == 0) handler = handlers[k];
    pthread_mutex_unlock(&fake_lock);
    if (handler.run) handler.run(launch, handler.context);
    if (watched) atomic_load(&fake_cuda_watcher)->done(watched);
}

static void record(const fake_launch *launch) {
    pthread_mutex_lock(&fake_lock);
    if (launch_count == launch_capacity) {
        launch_capacity = launch_capacity ? 2 * launch_capacity : 64;
        launches = realloc(launches, (size_t)launch_capacity * sizeof *launches);
    }
    launches[launch_count++] = *launch;
    pthread_mutex_unlock(&fake_lock);
}

/* Of a graph: counts as a launch when it runs. */
static void run_again(void *params) {
    record(params);
    run_launch(params);
}

bool fake_is_captured(CUstream handle) {
    pthread_mutex_lock(&fake_lock);
    CUstream stream = fake_find_stream(handle);
    bool captured = stream && stream->capture;
    pthread_mutex_unlock(&fake_lock);
    return captured;
}

static CUresult launch_kernel(CUfunction function, const unsigned grid[3], const unsigned block[3],
                              unsigned shared_bytes, CUstream stream, void **params,
                              bool is_cooperative) {
    fake_launch launch = {
        .shared_bytes = shared_bytes, .stream = stream, .is_cooperative = is_cooperative};
    unsigned threads = block[0] * block[1] * block[2];
    if (!fake_current() || fake_current()->device != function->device)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!threads || threads > 1024 || !grid[0] || !grid[1] || !grid[2] || grid[1] > 65535 ||
        grid[2] > 65535 || grid[0] > 0x7fffffff ||
        (shared_bytes > 49152 && (int)shared_bytes > atomic_load(&function->dynamic_bytes)))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(launch.name, function->name, sizeof launch.name);
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, block, sizeof launch.block);
    for (int k = 0; k < function->param_count; k++) {
        size_t end = function->offsets[k] + function->sizes[k];
        if (end > sizeof launch.params) abort();
        memcpy(launch.params + function->offsets[k], params[k], function->sizes[k]);
        if (end > launch.param_bytes) launch.param_bytes = end;
    }
    if (fake_is_captured(stream)) return fake_submit(stream, run_again, &launch, sizeof launch);
    record(&launch);
    const fake_watcher *watcher = atomic_load(&fake_cuda_watcher);
    if (watcher) launch.watched = watcher->submitted(launch.name, 0, function->device, stream);
    return fake_submit(stream, run_launch, &launch, sizeof launch);
}

CUresult fake_cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, CUstream stream, void **params, void **extra) {
    if (extra) return CUDA_ERROR_NOT_SUPPORTED;
    return launch_kernel(function, (unsigned[]){grid_x, grid_y, grid_z},
                         (unsigned[]){block_x, block_y, block_z}, shared_bytes, stream, params,
                         false);
}

CUresult fake_cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned shared_bytes, CUstream stream,
                                        void **params) {
    return launch_kernel(function, (unsigned[]){grid_x, grid_y, grid_z},
                         (unsigned[]){block_x, block_y, block_z}, shared_bytes, stream, params,
                         true);
}

long fake_cuda_launches(void) {
    pthread_mutex_lock(&fake_lock);
    long count = launch_count;
    pthread_mutex_unlock(&fake_lock);
    return count;
}

bool fake_cuda_get_launch(fake_launch *launch, long number) {
    pthread_mutex_lock(&fake_lock);
    bool known = number >= 0 && number < launch_count;
    if (known) *launch = launches[number];
    pthread_mutex_unlock(&fake_lock);
    return known;
}
