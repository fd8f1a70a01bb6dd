/* Memory of the double: host memory between guard bytes, filled with poison, in one list.
 *
 * A copy to memory that is not page-locked is done when its call returns; one from such memory has
 * read it by then, and if it is no small one the stream has come that far, too.
 *
 * Copies look at both ends when they are queued and again when they run, so that work on memory
 * that was freed meanwhile is found. Freeing waits for the device, as the driver's does. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5, GUARD_BYTE = 0x5a, ALIGNMENT = 256, STAGED_BYTES = 64 << 10 };
typedef enum kind { DEVICE, MANAGED, PINNED, REGISTERED, POOLED, IMPORTED } kind;

typedef struct block {
    struct block *next;
    kind kind;
    int device;
    size_t bytes;
    char *address, *raw;
    CUmemoryPool pool; /* of a POOLED one */
} block;

static block *blocks;
static size_t used[FAKE_DEVICES], capacity = (size_t)256 << 20;
static long block_count;

struct CUmemPoolHandle_st {
    int device;
    uint64_t values[16];
};
static struct CUmemPoolHandle_st default_pools[FAKE_DEVICES] = {{.device = 0}, {.device = 1}};
static CUmemoryPool current_pools[FAKE_DEVICES] = {&default_pools[0], &default_pools[1]};

/* --- Blocks. Called with the lock held. --- */

static block *find(CUdeviceptr address, size_t bytes) {
    for (block *block = blocks; block; block = block->next) {
        CUdeviceptr start = (CUdeviceptr)(uintptr_t)block->address;
        if (address >= start && address + bytes <= start + block->bytes) return block;
    }
    return NULL;
}

static bool are_guards_whole(const block *block) {
    if (block->kind == REGISTERED || block->kind == IMPORTED) return true;
    for (int k = 0; k < FAKE_GUARD; k++)
        if ((unsigned char)block->address[-1 - k] != GUARD_BYTE ||
            (unsigned char)block->address[block->bytes + (size_t)k] != GUARD_BYTE)
            return false;
    return true;
}

/* Pages of its own, so that other processes can be given them. */
static size_t raw_bytes(size_t bytes) {
    return (bytes + 2 * FAKE_GUARD + ALIGNMENT + FAKE_PAGE - 1) & ~(size_t)(FAKE_PAGE - 1);
}

static CUresult allocate(CUdeviceptr *address, size_t bytes, kind kind) {
    CUcontext context = fake_current();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&fake_lock);
    bool on_device = kind != PINNED;
    if (bytes > capacity || (on_device && used[context->device] + bytes > capacity)) {
        pthread_mutex_unlock(&fake_lock);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    block *made = calloc(1, sizeof *made);
    made->raw = aligned_alloc(FAKE_PAGE, raw_bytes(bytes));
    uintptr_t first = (uintptr_t)made->raw + FAKE_GUARD;
    made->address = (char *)((first + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    made->bytes = bytes;
    made->kind = kind;
    made->device = context->device;
    memset(made->address - FAKE_GUARD, GUARD_BYTE, FAKE_GUARD);
    memset(made->address, POISON, bytes);
    memset(made->address + bytes, GUARD_BYTE, FAKE_GUARD);
    made->next = blocks;
    blocks = made;
    block_count++;
    if (on_device) used[made->device] += bytes;
    pthread_mutex_unlock(&fake_lock);
    *address = (CUdeviceptr)(uintptr_t)made->address;
    return CUDA_SUCCESS;
}

/* Takes a block out and frees it. */
static CUresult drop(CUdeviceptr address, bool is_pinned) {
    pthread_mutex_lock(&fake_lock);
    block **place = &blocks, *gone;
    while ((gone = *place) && (CUdeviceptr)(uintptr_t)gone->address != address)
        place = &gone->next;
    bool fits = gone && (gone->kind == PINNED) == is_pinned && gone->kind != REGISTERED &&
                gone->kind != IMPORTED;
    if (fits) {
        *place = gone->next;
        block_count--;
        if (gone->kind != PINNED) used[gone->device] -= gone->bytes;
    }
    pthread_mutex_unlock(&fake_lock);
    if (!fits) {
        fake_complain("memory was freed that is not allocated");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!are_guards_whole(gone)) fake_complain("the bytes around a block were written");
    memset(gone->address, POISON, gone->bytes);
    fake_forget_export(gone->raw);
    free(gone->raw);
    free(gone);
    return CUDA_SUCCESS;
}

bool fake_is_valid(CUdeviceptr address, size_t bytes) {
    pthread_mutex_lock(&fake_lock);
    bool valid = find(address, bytes) != NULL;
    pthread_mutex_unlock(&fake_lock);
    return valid;
}

void fake_check_guards(void) {
    bool whole = true;
    pthread_mutex_lock(&fake_lock);
    for (block *block = blocks; block; block = block->next)
        whole = whole && are_guards_whole(block);
    pthread_mutex_unlock(&fake_lock);
    if (!whole) fake_complain("the bytes around a block were written");
}

void fake_cuda_set_memory(size_t bytes) {
    pthread_mutex_lock(&fake_lock);
    capacity = bytes;
    pthread_mutex_unlock(&fake_lock);
}

long fake_cuda_blocks(void) {
    pthread_mutex_lock(&fake_lock);
    long count = block_count;
    pthread_mutex_unlock(&fake_lock);
    return count;
}

size_t fake_cuda_bytes(int device) {
    pthread_mutex_lock(&fake_lock);
    size_t bytes = used[device];
    pthread_mutex_unlock(&fake_lock);
    return bytes;
}

/* --- Allocating --- */

CUresult fake_cuMemGetInfo_v2(size_t *free, size_t *total) {
    if (!fake_current()) return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&fake_lock);
    *total = capacity;
    *free = capacity - used[fake_current()->device];
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    (void)device;
    *bytes = capacity;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    return allocate(address, bytes, DEVICE);
}

static int device_of(CUdeviceptr address) {
    pthread_mutex_lock(&fake_lock);
    block *block = find(address, 1);
    int device = block ? block->device : -1;
    pthread_mutex_unlock(&fake_lock);
    return device;
}

CUresult fake_cuMemFree_v2(CUdeviceptr address) {
    int device = device_of(address);
    if (address == 0) return CUDA_SUCCESS;
    if (device >= 0) fake_wait_device(device);
    return drop(address, false);
}

CUresult fake_cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
    return flags == CU_MEM_ATTACH_GLOBAL ? allocate(address, bytes, MANAGED)
                                         : CUDA_ERROR_INVALID_VALUE;
}

/* Functions that take a number: -1 is the host. */
CUresult fake_cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device,
                                 CUstream stream) {
    (void)stream;
    if (device < -1 || device >= FAKE_DEVICES) return CUDA_ERROR_INVALID_DEVICE;
    return fake_is_valid(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult fake_cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
    (void)advice;
    if (device < -1 || device >= FAKE_DEVICES) return CUDA_ERROR_INVALID_DEVICE;
    return fake_is_valid(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult fake_cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                    unsigned flags, CUstream stream) {
    (void)location, (void)flags, (void)stream;
    return fake_is_valid(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult fake_cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                             CUmemLocation location) {
    (void)advice, (void)location;
    return fake_is_valid(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult fake_cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    CUdeviceptr given;
    (void)flags;
    CUresult result = allocate(&given, bytes, PINNED);
    if (result == CUDA_SUCCESS) *address = (void *)(uintptr_t)given;
    return result;
}

CUresult fake_cuMemFreeHost(void *address) {
    return drop((CUdeviceptr)(uintptr_t)address, true);
}

CUresult fake_cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    (void)flags;
    pthread_mutex_lock(&fake_lock);
    bool known = find((CUdeviceptr)(uintptr_t)address, 1) != NULL;
    if (!known) {
        block *made = calloc(1, sizeof *made);
        *made = (block){.next = blocks, .kind = REGISTERED, .bytes = bytes, .address = address};
        blocks = made;
    }
    pthread_mutex_unlock(&fake_lock);
    return known ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_SUCCESS;
}

CUresult fake_cuMemHostUnregister(void *address) {
    pthread_mutex_lock(&fake_lock);
    block **place = &blocks, *gone;
    while ((gone = *place) && !(gone->kind == REGISTERED && gone->address == address))
        place = &gone->next;
    if (gone) *place = gone->next;
    pthread_mutex_unlock(&fake_lock);
    free(gone);
    return gone ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult fake_cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
    (void)flags;
    *device = (CUdeviceptr)(uintptr_t)host;
    return fake_is_valid(*device, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- Moving bytes --- */

typedef struct transfer {
    CUdeviceptr to, from;
    size_t bytes;
    unsigned char value;
    bool check_to, check_from;
    void *watched; /* by CUPTI's double */
} transfer;

static bool are_ends_valid(const transfer *t) {
    return (!t->check_to || fake_is_valid(t->to, t->bytes)) &&
           (!t->check_from || fake_is_valid(t->from, t->bytes));
}

static void watch(transfer *t, const char *what, CUstream stream) {
    const fake_watcher *watcher = atomic_load(&fake_cuda_watcher);
    if (!watcher || !fake_current() || fake_is_captured(stream)) return;
    t->watched = watcher->submitted(what, t->bytes, fake_current()->device, stream);
}

static void is_done(const transfer *t) {
    if (t->watched) atomic_load(&fake_cuda_watcher)->done(t->watched);
}

static void move(void *params) {
    transfer *t = params;
    if (are_ends_valid(t))
        memmove((void *)(uintptr_t)t->to, (const void *)(uintptr_t)t->from, t->bytes);
    else
        fake_complain("a queued copy of %zu bytes found its memory gone", t->bytes);
    is_done(t);
}

static void set(void *params) {
    transfer *t = params;
    if (are_ends_valid(t))
        memset((void *)(uintptr_t)t->to, t->value, t->bytes);
    else
        fake_complain("a queued fill of %zu bytes found its memory gone", t->bytes);
    is_done(t);
}

static const char *kind_of(const transfer *t) {
    return t->check_to == t->check_from ? "copy" : t->check_to ? "to device" : "to host";
}

static CUresult queue(CUstream stream, void (*run)(void *), const transfer *t) {
    if (!are_ends_valid(t)) return CUDA_ERROR_INVALID_VALUE;
    transfer watched = *t;
    watch(&watched, run == set ? "fill" : kind_of(t), stream);
    return fake_submit(stream, run, &watched, sizeof watched);
}

/* Whether the driver knows memory. */
static bool is_pageable(CUdeviceptr address) {
    pthread_mutex_lock(&fake_lock);
    bool is_known = find(address, 1) != NULL;
    pthread_mutex_unlock(&fake_lock);
    return !is_known;
}

static void move_staged(void *params) {
    transfer *t = params;
    t->from = (CUdeviceptr)(uintptr_t)(t + 1);
    move(t);
}

/* The bytes go with the task. */
static CUresult queue_staged(CUstream stream, const transfer *t) {
    if (!are_ends_valid(t)) return CUDA_ERROR_INVALID_VALUE;
    transfer *staged = malloc(sizeof *staged + t->bytes);
    *staged = *t;
    watch(staged, kind_of(t), stream);
    memcpy(staged + 1, (const void *)(uintptr_t)t->from, t->bytes);
    CUresult result = fake_submit(stream, move_staged, staged, sizeof *staged + t->bytes);
    free(staged);
    return result;
}

static CUresult queue_move(CUstream stream, const transfer *t) {
    bool is_from_pageable = is_pageable(t->from);
    if (is_from_pageable && t->bytes <= STAGED_BYTES && !is_pageable(t->to))
        return queue_staged(stream, t);
    CUresult result = queue(stream, move, t);
    return result || !(is_from_pageable || is_pageable(t->to)) ? result : fake_wait_stream(stream);
}

CUresult fake_cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    transfer t = {to, from, bytes, 0, false, false, NULL};
    return queue_move(stream, &t);
}

CUresult fake_cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                   CUstream stream) {
    transfer t = {to, (CUdeviceptr)(uintptr_t)from, bytes, 0, true, false, NULL};
    return queue_move(stream, &t);
}

CUresult fake_cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    transfer t = {(CUdeviceptr)(uintptr_t)to, from, bytes, 0, false, true, NULL};
    return queue_move(stream, &t);
}

static CUresult queue_row(const CUDA_MEMCPY2D *copy, size_t row, CUstream stream) {
    bool from_host = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
    bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST;
    CUdeviceptr from = from_host ? (CUdeviceptr)(uintptr_t)copy->srcHost : copy->srcDevice;
    CUdeviceptr to = to_host ? (CUdeviceptr)(uintptr_t)copy->dstHost : copy->dstDevice;
    transfer t = {to + row * copy->dstPitch,
                  from + row * copy->srcPitch,
                  copy->WidthInBytes,
                  0,
                  false,
                  false,
                  NULL};
    return queue_move(stream, &t);
}

CUresult fake_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
    if (copy->WidthInBytes > copy->srcPitch || copy->WidthInBytes > copy->dstPitch)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (size_t row = 0; row < copy->Height && !result; row++)
        result = queue_row(copy, row, stream);
    return result;
}

CUresult fake_cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                CUcontext from_context, size_t bytes, CUstream stream) {
    transfer t = {to, from, bytes, 0, true, true, NULL};
    if (device_of(to) != to_context->device || device_of(from) != from_context->device)
        return CUDA_ERROR_INVALID_VALUE;
    return queue(stream, move, &t);
}

CUresult fake_cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
    transfer t = {to, 0, bytes, value, true, false, NULL};
    return queue(stream, set, &t);
}

/* --- Facts --- */

/* What is not known, and what has no answer, stays or becomes zero. */
static void get_attribute(void *value, CUpointer_attribute attribute, const block *block,
                          CUdeviceptr address) {
    bool on_host = block && (block->kind == PINNED || block->kind == REGISTERED);
    bool is_managed = block && block->kind == MANAGED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = !block ? 0 : on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)value = is_managed; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = block ? block->device : -2; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)value = block ? address : 0; break;
    default: *(void **)value = on_host || is_managed ? (void *)(uintptr_t)address : NULL;
    }
}

CUresult fake_cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                     CUdeviceptr address) {
    pthread_mutex_lock(&fake_lock);
    for (unsigned k = 0; k < count; k++)
        get_attribute(values[k], attributes[k], find(address, 1), address);
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
    pthread_mutex_lock(&fake_lock);
    block *block = find(address, 1);
    if (block && base) *base = (CUdeviceptr)(uintptr_t)block->address;
    if (block && bytes) *bytes = block->bytes;
    pthread_mutex_unlock(&fake_lock);
    return block ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* --- For other processes (fake_ipc.c) --- */

bool fake_get_pages(CUdeviceptr address, char **pages, size_t *bytes, CUdeviceptr *start) {
    pthread_mutex_lock(&fake_lock);
    block *block = find(address, 1);
    if (block) {
        *pages = block->raw;
        *bytes = raw_bytes(block->bytes);
        *start = (CUdeviceptr)(uintptr_t)block->address;
    }
    pthread_mutex_unlock(&fake_lock);
    return block && block->kind == DEVICE;
}

void fake_add_imported(char *address, size_t bytes, char *raw) {
    block *made = calloc(1, sizeof *made);
    *made = (block){.kind = IMPORTED, .bytes = bytes, .address = address, .raw = raw};
    pthread_mutex_lock(&fake_lock);
    made->device = fake_current()->device;
    made->next = blocks;
    blocks = made;
    pthread_mutex_unlock(&fake_lock);
}

char *fake_take_imported(CUdeviceptr address, size_t *bytes) {
    char *raw = NULL;
    pthread_mutex_lock(&fake_lock);
    block **place = &blocks, *gone;
    while ((gone = *place) &&
           !(gone->kind == IMPORTED && (CUdeviceptr)(uintptr_t)gone->address == address))
        place = &gone->next;
    if (gone) {
        *place = gone->next;
        raw = gone->raw;
        *bytes = gone->bytes;
        free(gone);
    }
    pthread_mutex_unlock(&fake_lock);
    return raw;
}

/* --- Pools --- */

CUresult fake_cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
    (void)stream;
    CUresult result = allocate(address, bytes, POOLED);
    pthread_mutex_lock(&fake_lock);
    if (result == CUDA_SUCCESS) {
        find(*address, 1)->pool = pool;
        pool->values[CU_MEMPOOL_ATTR_USED_MEM_CURRENT] += bytes;
        pool->values[CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT] += bytes;
    }
    pthread_mutex_unlock(&fake_lock);
    return result;
}

static void free_pooled(void *params) {
    CUdeviceptr address = *(CUdeviceptr *)params;
    pthread_mutex_lock(&fake_lock);
    block *block = find(address, 1);
    if (block && block->pool) {
        CUmemoryPool pool = block->pool;
        pool->values[CU_MEMPOOL_ATTR_USED_MEM_CURRENT] -= block->bytes;
        pool->values[CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT] -= block->bytes;
    }
    pthread_mutex_unlock(&fake_lock);
    drop(address, false);
}

CUresult fake_cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    return fake_submit(stream, free_pooled, &address, sizeof address);
}

CUresult fake_cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
    *pool = &default_pools[device];
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
    pthread_mutex_lock(&fake_lock);
    *pool = current_pools[device];
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    pthread_mutex_lock(&fake_lock);
    current_pools[device] = pool;
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    *pool = calloc(1, sizeof **pool);
    (*pool)->device = properties->location.id;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolDestroy(CUmemoryPool pool) {
    free(pool);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
    (void)pool, (void)bytes;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    if (attribute < 1 || attribute > 8) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&fake_lock);
    if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        *(int *)value = (int)pool->values[attribute];
    else
        *(uint64_t *)value = pool->values[attribute];
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    if (attribute < 1 || attribute > 8) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&fake_lock);
    pool->values[attribute] = attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
                                  ? (uint64_t) * (int *)value
                                  : *(uint64_t *)value;
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}
