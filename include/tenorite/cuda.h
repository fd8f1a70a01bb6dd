/* What only the CUDA backend has. Numbers are device numbers; addresses and handles are the
 * driver's own. A failure of the driver is TN_ERROR_DEVICE (TN_ERROR_MEMORY where memory is out)
 * with its text, and tn_cuda_last_error() gives its number. Without a driver each call fails with
 * TN_ERROR_DEVICE. */
#ifndef TENORITE_CUDA_H
#define TENORITE_CUDA_H

#include <tenorite/graph.h>
#include <tenorite/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Libraries --- */

/* A folder in which PyPI's wheels put packages (site-packages); libraries are looked for below it.
 * The path is copied. */
TN_API tn_status tn_cuda_add_library_root(const char *path);

typedef struct tn_cuda_library_info {
    const char *name;   /* "nvrtc", as in TENORITE_NVRTC_PATH */
    const char *advice; /* how to install it */
    bool is_found;
    bool is_loaded;
    char path[1024]; /* "" where only the system's loader knows */
    int version;     /* the library's own, 1000 x major + 10 x minor; 0: unknown */
} tn_cuda_library_info;

/* The libraries that can be used, one by one; false after the last. `load`: opens the driver and
 * NVRTC, to know more. */
TN_API bool tn_cuda_library(tn_cuda_library_info *info, int number, bool load);

/* The driver's version and NVRTC's: 1000 x major + 10 x minor. */
TN_API tn_status tn_cuda_driver_version(int *version);
TN_API tn_status tn_cuda_compiler_version(int *version);

/* --- Errors --- */

/* The number of the calling thread's last driver failure; 0 if there was none. */
TN_API int tn_cuda_last_error(void);
/* "cudaErrorInvalidValue" and "CUDA_ERROR_INVALID_VALUE" for 1; the driver's text for both. Never
 * NULL. The driver's names need the driver. */
TN_API const char *tn_cuda_error_name(int error);
TN_API const char *tn_cuda_driver_error_name(int error);
TN_API const char *tn_cuda_error_text(int error);

/* The number of "cudaErrorInvalidValue", with or without text after it; 999 (unknown) for
 * others. */
TN_API int tn_cuda_error_find(const char *name);

/* --- Devices --- */

/* An attribute by the driver's number. */
TN_API tn_status tn_cuda_get_attribute(int *value, int attribute, int number);
/* The attributes that have names ("MaxThreadsPerBlock"), one by one; false after the last. */
TN_API bool tn_cuda_attribute(const char **name, int *attribute, int number);
/* major x 10 + minor, as 90. */
TN_API tn_status tn_cuda_get_compute_capability(int *capability, int number);
/* "0000:3B:00.0" in a buffer of `size` bytes, and the device of such a text. */
TN_API tn_status tn_cuda_get_pci_bus_id(char *text, size_t size, int number);
TN_API tn_status tn_cuda_find_pci_bus_id(int *number, const char *text);
TN_API tn_status tn_cuda_get_uuid(unsigned char uuid[16], int number);
TN_API tn_status tn_cuda_get_total_memory(int64_t *bytes, int number);
TN_API tn_status tn_cuda_get_limit(size_t *value, int limit, int number);
TN_API tn_status tn_cuda_set_limit(int limit, size_t value, int number);
TN_API tn_status tn_cuda_get_priority_range(int *least, int *greatest, int number);
TN_API tn_status tn_cuda_can_access_peer(bool *can, int number, int peer);
/* Whether `number` reaches memory of `peer` directly from now on. As in the runtime API what is so
 * already is a failure: 704 (cudaErrorPeerAccessAlreadyEnabled) and 705 (...NotEnabled). Copies of
 * the library need no peer access and never enable it. */
TN_API tn_status tn_cuda_enable_peer_access(int number, int peer);
TN_API tn_status tn_cuda_disable_peer_access(int number, int peer);
/* The primary context, a CUcontext. */
TN_API tn_status tn_cuda_get_context(uintptr_t *context, int number);

/* --- Streams and events --- */

/* A stream of another library, by its cudaStream_t (0, 1: the legacy default stream; 2: the one
 * of the thread that uses it). It must outlive the result. */
TN_API tn_status tn_cuda_stream_wrap(tn_stream **result, uintptr_t handle, int number);
/* Later work of the stream comes after the work that another library's stream has now. That is
 * given by its cudaStream_t, which is not used after the call. A stream of another device is waited
 * for, and any while `stream` captures. */
TN_API tn_status tn_cuda_stream_wait_handle(tn_stream *stream, uintptr_t handle);
TN_API tn_status tn_cuda_stream_get_priority(int *priority, tn_stream *stream);
TN_API tn_status tn_cuda_stream_get_flags(unsigned *flags, tn_stream *stream);
/* The driver's own answer, which knows of captures that other libraries began, too. */
TN_API tn_status tn_cuda_stream_is_capturing(bool *capturing, tn_stream *stream);

/* A graph's cudaGraph_t and cudaGraphExec_t (some other numbers for one of the host), and its
 * description in the language of dot as a file (cudaGraphDebugDotFlags). */
TN_API void tn_cuda_graph_get_handles(uintptr_t *graph, uintptr_t *launchable, const tn_graph *of);
TN_API tn_status tn_cuda_graph_print(const tn_graph *graph, const char *path, unsigned flags);

enum { TN_CUDA_EVENT_BLOCKING = 1, TN_CUDA_EVENT_NO_TIMING = 2, TN_CUDA_EVENT_INTERPROCESS = 4 };
/* An event with flags; an interprocess one has no timing. */
TN_API tn_status tn_cuda_event_new(tn_event **result, int flags, int number);
/* The event's cudaEvent_t; some other number for an event of the host. */
TN_API uintptr_t tn_cuda_event_handle(const tn_event *event);
/* An event for another process and back. */
TN_API tn_status tn_cuda_event_export(unsigned char handle[64], tn_event *event);
TN_API tn_status tn_cuda_event_import(tn_event **result, const unsigned char handle[64],
                                      int number);

/* --- Raw memory: addresses, not buffers. `stream` is a cudaStream_t --- */

/* Any two addresses that the driver knows, or host memory. `kind` as cudaMemcpyKind: 0 host to
 * host, 1 host to device, 2 device to host, 3 device to device, 4 find out. Waits unless
 * `is_async`. */
TN_API tn_status tn_cuda_memcpy(uintptr_t to, uintptr_t from, int64_t bytes, int kind,
                                bool is_async, uintptr_t stream, int number);
/* `height` rows of `width` bytes, `to_pitch` and `from_pitch` bytes from row to row. */
TN_API tn_status tn_cuda_memcpy_2d(uintptr_t to, int64_t to_pitch, uintptr_t from,
                                   int64_t from_pitch, int64_t width, int64_t height, int kind,
                                   bool is_async, uintptr_t stream, int number);
TN_API tn_status tn_cuda_memcpy_peer(uintptr_t to, int to_number, uintptr_t from, int from_number,
                                     int64_t bytes, bool is_async, uintptr_t stream);
TN_API tn_status tn_cuda_memset(uintptr_t to, int value, int64_t bytes, bool is_async,
                                uintptr_t stream, int number);
TN_API tn_status tn_cuda_malloc(uintptr_t *address, int64_t bytes, int number);
TN_API tn_status tn_cuda_free(uintptr_t address, int number);
TN_API tn_status tn_cuda_malloc_managed(uintptr_t *address, int64_t bytes, int number);
TN_API tn_status tn_cuda_malloc_async(uintptr_t *address, int64_t bytes, uintptr_t stream,
                                      int number);
TN_API tn_status tn_cuda_free_async(uintptr_t address, uintptr_t stream, int number);
/* Moves managed memory to a device (-1: the host), or says how it will be used
 * (cudaMemoryAdvise). */
TN_API tn_status tn_cuda_prefetch(uintptr_t address, int64_t bytes, int to, uintptr_t stream,
                                  int number);
TN_API tn_status tn_cuda_advise(uintptr_t address, int64_t bytes, int advice, int about,
                                int number);

typedef struct tn_cuda_pointer {
    int kind; /* 0: unknown to the driver, 1: host, 2: device, 3: managed */
    int number;
    uintptr_t device_address, host_address; /* 0: none */
} tn_cuda_pointer;
TN_API tn_status tn_cuda_get_pointer(tn_cuda_pointer *facts, uintptr_t address);

/* Page-locked host memory, and making host memory of the program page-locked. */
TN_API tn_status tn_cuda_malloc_host(uintptr_t *address, int64_t bytes, unsigned flags);
TN_API tn_status tn_cuda_free_host(uintptr_t address);
TN_API tn_status tn_cuda_host_register(uintptr_t address, int64_t bytes, unsigned flags);
TN_API tn_status tn_cuda_host_unregister(uintptr_t address);

/* Device memory for another process and back. An imported address is given back with
 * tn_cuda_memory_close(). */
TN_API tn_status tn_cuda_memory_export(unsigned char handle[64], uintptr_t address, int number);
TN_API tn_status tn_cuda_memory_import(uintptr_t *address, const unsigned char handle[64],
                                       int number);
TN_API tn_status tn_cuda_memory_close(uintptr_t address, int number);

/* --- Allocators for tn_allocator_set() and tn_pool_new() --- */

/* Managed memory, which host and devices share. */
TN_API const tn_allocator *tn_cuda_allocator_managed(void);
/* The driver's stream-ordered pool: the one that is current on each device. */
TN_API const tn_allocator *tn_cuda_allocator_async(void);

/* Memory of the library's default pool for another library that asks by two functions of this
 * shape, as torch.cuda.memory.CUDAPluggableAllocator does. `stream` is a cudaStream_t that lives as
 * long as the process; a block that was taken back serves the same stream again, after its work.
 * NULL: there is no such memory, and tn_error_message() says why. Taking back needs the address and
 * the device's number alone; NULL does nothing. */
TN_API void *tn_cuda_pool_lend(size_t bytes, int number, void *stream);
TN_API void tn_cuda_pool_take_back(void *address, size_t bytes, int number, void *stream);

/* Memory of a pool that is not the current one. */
TN_API tn_status tn_cuda_malloc_from_pool(uintptr_t *address, int64_t bytes, uintptr_t pool,
                                          uintptr_t stream, int number);

enum { TN_CUDA_POOL_THRESHOLD = 4, TN_CUDA_POOL_RESERVED = 5, TN_CUDA_POOL_USED = 7 };
/* A number of a pool, setting one, and giving memory above `keep` bytes back; pool 0 is the
 * device's current one. */
TN_API tn_status tn_cuda_pool_get(int64_t *value, int attribute, uintptr_t pool, int number);
TN_API tn_status tn_cuda_pool_set(int attribute, int64_t value, uintptr_t pool, int number);
TN_API tn_status tn_cuda_pool_trim(int64_t keep, uintptr_t pool, int number);
/* A new pool of device memory; `handle_types` is a cudaMemAllocationHandleType (0: none). */
TN_API tn_status tn_cuda_pool_new(uintptr_t *pool, int handle_types, int number);
TN_API tn_status tn_cuda_pool_release(uintptr_t pool);
/* The device's default and current pool (cudaMemPool_t). */
TN_API tn_status tn_cuda_pool_default(uintptr_t *pool, int number);
TN_API tn_status tn_cuda_pool_current(uintptr_t *pool, int number);
TN_API tn_status tn_cuda_pool_set_current(uintptr_t pool, int number);

/* --- Contexts, modules and functions, for programs that launch their own kernels --- */

/* All by the driver's own handles; modules and functions belong to the primary context of device
 * `number`. */

/* The calling thread's context: the primary one of its current device, unless the program made
 * another one current, which calls of this library leave so. */
TN_API tn_status tn_cuda_context_get(uintptr_t *context);
/* Makes a context current (0: none), puts one on top of the thread's stack, takes the top away. The
 * device of a primary context that gets current that way becomes the current device. */
TN_API tn_status tn_cuda_context_set(uintptr_t context);
TN_API tn_status tn_cuda_context_push(uintptr_t context);
TN_API tn_status tn_cuda_context_pop(uintptr_t *context);
/* The device of the thread's context, and the context of a cudaStream_t. */
TN_API tn_status tn_cuda_context_get_device(int *number);
TN_API tn_status tn_cuda_context_of_stream(uintptr_t *context, uintptr_t stream, int number);

/* A new module of an image in memory (cubin, fatbin or PTX with a NUL after it), or in a file. */
TN_API tn_status tn_cuda_module_new(uintptr_t *module, const void *image, int number);
TN_API tn_status tn_cuda_module_open(uintptr_t *module, const char *path, int number);
TN_API tn_status tn_cuda_module_release(uintptr_t module, int number);
/* A kernel of a module by its name, and a variable's address and bytes. */
TN_API tn_status tn_cuda_module_get_function(uintptr_t *function, uintptr_t module,
                                             const char *name, int number);
TN_API tn_status tn_cuda_module_get_variable(uintptr_t *address, int64_t *bytes, uintptr_t module,
                                             const char *name, int number);
/* An attribute of a kernel, by the driver's number (CUfunction_attribute). */
TN_API tn_status tn_cuda_function_get_attribute(int *value, int attribute, uintptr_t function,
                                                int number);
TN_API tn_status tn_cuda_function_set_attribute(uintptr_t function, int attribute, int value,
                                                int number);
/* How many blocks of so many threads run on a multiprocessor at a time. */
TN_API tn_status tn_cuda_function_get_occupancy(int *blocks, uintptr_t function, int threads,
                                                int64_t shared_bytes, int number);
/* The threads of a block (threads_max at most, 0: any number) with which most of the device works,
 * and the fewest blocks that fill it so. */
TN_API tn_status tn_cuda_function_find_block(int *blocks, int *threads, uintptr_t function,
                                             int64_t shared_bytes, int threads_max, int number);

typedef struct tn_cuda_launch {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    bool is_cooperative;
    uintptr_t stream; /* a cudaStream_t */
    void **params;    /* the address of each argument, or NULL and */
    void **extra;     /* the driver's other way to give them; not for cooperative launches */
} tn_cuda_launch;
TN_API tn_status tn_cuda_function_launch(uintptr_t function, const tn_cuda_launch *launch,
                                         int number);

/* --- Functions of CUDA's libraries that this API has none of its own for --- */

/* The address of a function of a library that tn_cuda_library() names, which is opened for it. */
TN_API tn_status tn_cuda_symbol(uintptr_t *address, const char *library, const char *name);

enum { TN_CUDA_WORDS = 32, TN_CUDA_REALS = 4 };
/* Arguments of such a function: whole numbers and addresses apart from floating-point ones, each
 * sort in its order. A float lies in the first half of its place. */
typedef struct tn_cuda_arguments {
    uint64_t words[TN_CUDA_WORDS];
    double reals[TN_CUDA_REALS];
} tn_cuda_arguments;
/* Calls it with the primary context of a device current, after what was launched before; -1: with
 * none, for functions that need no device. */
TN_API tn_status tn_cuda_call(uint64_t *result, uintptr_t function,
                              const tn_cuda_arguments *arguments, int number);

/* --- Profilers --- */

TN_API tn_status tn_cuda_profiler_start(void);
TN_API tn_status tn_cuda_profiler_stop(void);
/* Ranges and marks for a profiler; nothing where NVTX is not installed. */
TN_API void tn_cuda_range_push(const char *text);
TN_API void tn_cuda_range_pop(void);
TN_API void tn_cuda_mark(const char *text);
/* A range that any thread may end; 0 where NVTX is not installed. */
TN_API uint64_t tn_cuda_range_start(const char *text);
TN_API void tn_cuda_range_end(uint64_t range);
/* Whether NVTX is installed. */
TN_API bool tn_cuda_has_ranges(void);

/* --- Compiled kernels --- */

typedef struct tn_cuda_cache_info {
    char folder[1024]; /* "" if there is none that can be used */
    char reason[256];  /* why, or why nothing is written; "" if all is well */
    bool is_writeable;
    int64_t files, bytes, limit_bytes;      /* on disk */
    int64_t archived;                       /* kernels in archives that were added */
    int64_t hits, misses, compiled, loaded; /* of this process */
    double compile_seconds;
} tn_cuda_cache_info;

TN_API tn_status tn_cuda_cache_info_get(tn_cuda_cache_info *info);
/* Deletes the files of the cache. */
TN_API tn_status tn_cuda_cache_clear(void);
/* A packed, read-only cache: tn_cuda_cache_pack() writes one with all that was compiled into the
 * cache for these architectures (90; 0: host; count 0: all GPUs'), TN_ERROR_VALUE if that is more
 * than limit_bytes (0: no limit). Kernels of an archive serve with any compiler and with none, and
 * later GPUs of the same generation, too; the host's should be compiled for any processor. */
TN_API tn_status tn_cuda_cache_add_archive(const char *path);
TN_API tn_status tn_cuda_cache_pack(const char *path, int count, const int *archs,
                                    int64_t limit_bytes);
/* Compiles the kernels that programs use most, for architectures (count 0: those of the devices
 * here), on all cores; needs NVRTC and no GPU. TN_ERROR_RUNTIME if what is compiled can't be kept:
 * before anything is compiled where the cache can't be written. `progress` (may be NULL) is called
 * from the calling thread and ends the work by returning false. */
TN_API tn_status tn_cuda_cache_warm(int count, const int *archs,
                                    bool (*progress)(void *context, int done, int total),
                                    void *context);

/* cuFFT's version, 1000 x major + 100 x minor + patch; loads cuFFT. TN_ERROR_DEVICE: it is
 * missing. */
TN_API tn_status tn_cuda_cufft_version(int *version);

/* Waits for the threads that compile kernels while the program goes on, and lets no more begin. It
 * is called by exit(), too. */
TN_API void tn_cuda_end_compiling(void);

#ifdef __cplusplus
}
#endif
#endif
