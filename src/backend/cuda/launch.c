/* The table of kernels, modules, and launches.
 *
 * Kernels: one hash table per device with open addressing. Entries are never removed and never move;
 * a full table is copied into one twice as large, and the old one stays for those who still read it.
 * So a look-up takes no lock. An entry is IDLE, MAKING or READY; who finds it idle makes the kernel,
 * others wait, and after a failure it is idle again, so that a program can mend the cause and retry.
 * Modules: one per image and device, never unloaded, because programs may run on it at any time. */
#include "backend/cuda/launch.h"

#include "backend/cuda/archive.h"
#include "backend/cuda/cache.h"
#include "core/alloc.h"
#include "core/lock.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { IDLE, MAKING, READY };
enum { FIRST_SLOTS = 256, SMALL_SHARED = 48 << 10 };

typedef struct entry {
    tni_cuda_kernel kernel;
    CUmodule module;
    atomic_int state; /* a futex word */
    uint64_t hash;
    size_t key_bytes;
    char name[192];
    unsigned char key[];
} entry;

typedef struct table {
    struct table *older;
    size_t slots, used; /* `used` is guarded by the lock */
    _Atomic(entry *) entries[];
} table;

typedef struct module {
    struct module *next;
    tni_key key;
    CUmodule handle;
} module;

static struct {
    _Atomic(table *) table;
    pthread_mutex_t lock;
    pthread_mutex_t modules_lock;
    module *modules;
} tables[TNI_MAX_DEVICES];

static void init_locks(void) {
    for (int k = 0; k < TNI_MAX_DEVICES; k++) {
        pthread_mutex_init(&tables[k].lock, NULL);
        pthread_mutex_init(&tables[k].modules_lock, NULL);
    }
}

/* --- The table --- */

static uint64_t hash_of(const void *key, size_t bytes) {
    const unsigned char *from = key;
    uint64_t hash = bytes * UINT64_C(0x9e3779b97f4a7c15), word;
    for (; bytes >= 8; bytes -= 8, from += 8) {
        memcpy(&word, from, 8);
        hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, from, bytes);
    hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

static entry *look_up(const table *table, uint64_t hash, const void *key, size_t bytes) {
    if (!table) return NULL;
    for (size_t slot = hash & (table->slots - 1);; slot = (slot + 1) & (table->slots - 1)) {
        entry *found = atomic_load_explicit(&table->entries[slot], memory_order_acquire);
        if (!found) return NULL;
        if (found->hash == hash && found->key_bytes == bytes && memcmp(found->key, key, bytes) == 0)
            return found;
    }
}

static void put(table *table, entry *entry) {
    size_t slot = entry->hash & (table->slots - 1);
    while (atomic_load_explicit(&table->entries[slot], memory_order_relaxed))
        slot = (slot + 1) & (table->slots - 1);
    atomic_store_explicit(&table->entries[slot], entry, memory_order_release);
    table->used++;
}

/* A table with room for one more. Called with the lock held; NULL: out of memory. */
static table *roomy_table(int number) {
    table *old = atomic_load(&tables[number].table);
    if (old && 2 * (old->used + 1) <= old->slots) return old;
    size_t slots = old ? 2 * old->slots : FIRST_SLOTS;
    table *made = tni_calloc(1, sizeof *made + slots * sizeof made->entries[0]);
    if (!made) return NULL;
    made->slots = slots;
    made->older = old;
    for (size_t k = 0; old && k < old->slots; k++) {
        entry *entry = atomic_load(&old->entries[k]);
        if (entry) put(made, entry);
    }
    atomic_store_explicit(&tables[number].table, made, memory_order_release);
    return made;
}

/* The entry of a key, made if it is not there. */
static tn_status find_entry(entry **result, int number, uint64_t hash, const void *key,
                            size_t bytes) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_locks);
    pthread_mutex_lock(&tables[number].lock);
    entry *found = look_up(atomic_load(&tables[number].table), hash, key, bytes);
    if (!found) {
        table *table = roomy_table(number);
        found = table ? tni_calloc(1, sizeof *found + bytes) : NULL;
        if (found) {
            found->hash = hash;
            found->key_bytes = bytes;
            memcpy(found->key, key, bytes);
            found->kernel.number = number;
            found->kernel.name = found->name;
            put(table, found);
        }
    }
    pthread_mutex_unlock(&tables[number].lock);
    *result = found;
    return found ? TN_OK : tni_fail_no_memory((int64_t)(sizeof *found + bytes));
}

/* --- Making a kernel --- */

/* What a driver says to an image that a compiler too new for it has made. */
static bool is_foreign(CUresult result) {
    static const CUresult known[] = {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                     CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k] == result) return true;
    return false;
}

/* An archive whose image can't be loaded here is not searched again. */
static tn_status load_image(CUmodule *module, const tni_image *image) {
    CUresult result = tni_driver.cuModuleLoadData(module, image->data);
    if (image->is_packed && is_foreign(result)) tni_archive_refuse(image->data);
    return tni_cuda_check(result, "cuModuleLoadData");
}

/* The module of an image in the current context. */
static tn_status find_module(CUmodule *result, int number, const tni_image *image) {
    tn_status status = TN_OK;
    module *known;
    pthread_mutex_lock(&tables[number].modules_lock);
    for (known = tables[number].modules; known; known = known->next)
        if (memcmp(&known->key, &image->key, sizeof known->key) == 0) break;
    if (!known) {
        known = tni_calloc(1, sizeof *known);
        status = known ? load_image(&known->handle, image) : tni_fail_no_memory(sizeof *known);
        if (status == TN_OK) {
            known->key = image->key;
            known->next = tables[number].modules;
            tables[number].modules = known;
        } else {
            tni_free(known);
        }
    }
    if (status == TN_OK) *result = known->handle;
    pthread_mutex_unlock(&tables[number].modules_lock);
    return status;
}

static tn_status ask(int *value, CUfunction_attribute attribute, CUfunction function) {
    return TNI_DRIVER(cuFuncGetAttribute, value, attribute, function);
}

static tn_status load_kernel(entry *entry, const tni_image *image) {
    tni_cuda_kernel *kernel = &entry->kernel;
    TNI_TRY(find_module(&entry->module, kernel->number, image));
    TNI_TRY(TNI_DRIVER(cuModuleGetFunction, &kernel->function, entry->module, entry->name));
    TNI_TRY(ask(&kernel->threads_max, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->function));
    TNI_TRY(ask(&kernel->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel->function));
    TNI_TRY(ask(&kernel->shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function));
    return ask(&kernel->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel->function);
}

static tn_status make(entry *entry, const char *name, tni_cuda_writer write, const void *context) {
    tni_cuda_device *device;
    tni_source source = {0};
    tni_image image = {0};
    tn_status status;
    if (name) tni_source_set_name(&source, "%s", name);
    write(&source, context);
    TNI_TRY_OWNING(tni_cuda_device_get(&device, entry->kernel.number));
    memcpy(entry->name, source.name, sizeof entry->name);
    do {
        tni_image_deinit(&image);
        TNI_TRY_OWNING(tni_cache_get(&image, &source, device->arch));
        status = load_kernel(entry, &image);
    } while (status != TN_OK && image.is_packed && tni_archive_is_refused(image.data));
cleanup:
    tni_image_deinit(&image);
    tni_source_deinit(&source);
    return status;
}

static tn_status make_once(entry *entry, const char *name, tni_cuda_writer write,
                           const void *context) {
    for (;;) {
        int state = IDLE;
        if (atomic_compare_exchange_strong(&entry->state, &state, MAKING)) {
            tni_cuda_scope scope;
            tn_status status = tni_cuda_enter(&scope, entry->kernel.number);
            if (status == TN_OK) {
                status = make(entry, name, write, context);
                tni_cuda_leave(&scope);
            }
            atomic_store_explicit(&entry->state, status == TN_OK ? READY : IDLE,
                                  memory_order_release);
            tni_futex_wake(&entry->state, INT_MAX);
            return status;
        }
        if (state == READY) return TN_OK;
        tni_futex_wait(&entry->state, MAKING, -1);
    }
}

tn_status tni_cuda_kernel_get(tni_cuda_kernel **kernel, int number, const char *name,
                              tni_cuda_writer write, const void *context, const void *key,
                              size_t key_bytes) {
    if (number < 0 || number >= TNI_MAX_DEVICES || key_bytes > TNI_CUDA_KEY_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "no kernel is found for device %d by %zu bytes", number,
                 key_bytes);
    uint64_t hash = hash_of(key, key_bytes);
    entry *entry = look_up(atomic_load_explicit(&tables[number].table, memory_order_acquire), hash,
                           key, key_bytes);
    if (__builtin_expect(!entry, 0)) TNI_TRY(find_entry(&entry, number, hash, key, key_bytes));
    if (__builtin_expect(atomic_load_explicit(&entry->state, memory_order_acquire) != READY, 0))
        TNI_TRY(make_once(entry, name, write, context));
    *kernel = &entry->kernel;
    return TN_OK;
}

/* --- Launching --- */

/* Blocks that want much shared memory need a permission, once. */
static tn_status allow_shared(tni_cuda_kernel *kernel, size_t shared_bytes) {
    if (shared_bytes + (size_t)kernel->shared_bytes <= SMALL_SHARED ||
        shared_bytes <= (size_t)atomic_load(&kernel->dynamic_bytes))
        return TN_OK;
    TNI_TRY(TNI_DRIVER(cuFuncSetAttribute, kernel->function,
                       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes));
    atomic_store(&kernel->dynamic_bytes, (int)shared_bytes);
    return TN_OK;
}

static tn_status launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                        size_t shared_bytes, void **params, tn_stream *stream,
                        bool is_cooperative) {
    CUstream handle = tni_cuda_stream_handle(stream);
    unsigned shared = (unsigned)shared_bytes;
    TNI_TRY(allow_shared(kernel, shared_bytes));
    tni_cuda_stream_note(stream, kernel->name, grid, block);
    CUresult result =
        is_cooperative
            ? tni_driver.cuLaunchCooperativeKernel(kernel->function, grid[0], grid[1], grid[2],
                                                   block[0], block[1], block[2], shared, handle,
                                                   params)
            : tni_driver.cuLaunchKernel(kernel->function, grid[0], grid[1], grid[2], block[0],
                                        block[1], block[2], shared, handle, params, NULL);
    if (__builtin_expect(result == CUDA_SUCCESS, 1)) return TN_OK;
    char function[384];
    snprintf(function, sizeof function,
             "cuLaunchKernel of %s (%u,%u,%u)x(%u,%u,%u), %u bytes shared", kernel->name, grid[0],
             grid[1], grid[2], block[0], block[1], block[2], shared);
    return tni_cuda_fail(result, function, stream);
}

tn_status tni_cuda_launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                          size_t shared_bytes, void **params, tn_stream *stream) {
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return TN_OK;
    TNI_CUDA_ON(kernel->number, launch(kernel, grid, block, shared_bytes, params, stream, false));
    return TN_OK;
}

tn_status tni_cuda_launch_cooperative(tni_cuda_kernel *kernel, const unsigned grid[3],
                                      const unsigned block[3], size_t shared_bytes, void **params,
                                      tn_stream *stream) {
    TNI_CUDA_ON(kernel->number, launch(kernel, grid, block, shared_bytes, params, stream, true));
    return TN_OK;
}

/* The answer is kept with its question: 11 bits of threads, 20 of bytes, 32 of blocks, and a one. */
tn_status tni_cuda_resident_blocks(int *blocks, tni_cuda_kernel *kernel, int threads,
                                   size_t shared_bytes) {
    uint64_t question = (uint64_t)1 << 63 | (uint64_t)(threads & 0x7ff) << 52 |
                        (uint64_t)(shared_bytes & 0xfffff) << 32;
    uint64_t known = atomic_load_explicit(&kernel->blocks_answer, memory_order_relaxed);
    if ((known & ~UINT64_C(0xffffffff)) == question) {
        *blocks = (int)(uint32_t)known;
        return TN_OK;
    }
    tni_cuda_device *device;
    int per_multiprocessor = 0;
    TNI_TRY(tni_cuda_device_get(&device, kernel->number));
    TNI_CUDA_ON(kernel->number, allow_shared(kernel, shared_bytes));
    TNI_CUDA_ON(kernel->number,
                TNI_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, &per_multiprocessor,
                           kernel->function, threads, shared_bytes));
    int count = per_multiprocessor * device->multiprocessors;
    *blocks = count > 0 ? count : 1;
    atomic_store_explicit(&kernel->blocks_answer, question | (uint32_t)*blocks,
                          memory_order_relaxed);
    return TN_OK;
}

tn_status tni_cuda_kernel_global(uintptr_t *address, size_t *bytes, tni_cuda_kernel *kernel,
                                 const char *name) {
    CUdeviceptr found;
    CUmodule module =
        ((entry *)(void *)kernel)->module; /* the kernel is the entry's first member */
    TNI_CUDA_ON(kernel->number, TNI_DRIVER(cuModuleGetGlobal_v2, &found, bytes, module, name));
    *address = found;
    return TN_OK;
}
