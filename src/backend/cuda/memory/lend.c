/* Memory of the default pool for libraries that ask by two functions of C, as PyTorch does.
 *
 * The pool keeps its blocks by stream, so a stream of another library must be the same one in each
 * call: it is wrapped when it is first seen, and stays so. Such libraries have few streams, and
 * these live as long as the process. The list only grows, so it is read without the lock. */
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/thread.h"

#include <stdatomic.h>
#include <tenorite/cuda.h>

typedef struct borrower {
    struct borrower *next;
    uintptr_t handle;
    int number;
    tn_stream *stream;
} borrower;

static _Atomic(borrower *) borrowers;
static tni_lock borrowers_lock;

static tn_stream *find(uintptr_t handle, int number) {
    borrower *one = atomic_load_explicit(&borrowers, memory_order_acquire);
    while (one && (one->handle != handle || one->number != number))
        one = one->next;
    return one ? one->stream : NULL;
}

static tn_status add(tn_stream **stream, uintptr_t handle, int number) {
    borrower *made = tni_malloc(sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    tn_status status = tn_cuda_stream_wrap(stream, handle, number);
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    *made =
        (borrower){atomic_load_explicit(&borrowers, memory_order_relaxed), handle, number, *stream};
    atomic_store_explicit(&borrowers, made, memory_order_release);
    return TN_OK;
}

static tn_status find_stream(tn_stream **stream, uintptr_t handle, int number) {
    if (handle == 2)
        TNI_FAIL(TN_ERROR_VALUE, "the default stream of each thread is many streams, which memory "
                                 "of a pool can't be kept for");
    if ((*stream = find(handle, number))) return TN_OK;
    tni_lock_take(&borrowers_lock);
    *stream = find(handle, number);
    tn_status status = *stream ? TN_OK : add(stream, handle, number);
    tni_lock_give(&borrowers_lock);
    return status;
}

void *tn_cuda_pool_lend(size_t bytes, int number, void *stream) {
    tn_allocator pool = tn_pool_allocator(tn_pool_default());
    tn_device device = {TN_BACKEND_CUDA, (int16_t)number};
    tn_stream *known;
    void *address;
    if (bytes == 0 || number != (int16_t)number) {
        tni_fail(TN_ERROR_VALUE, "%zu bytes on device %d can't be lent", bytes, number);
        return NULL;
    }
    if (find_stream(&known, (uintptr_t)stream, number) != TN_OK ||
        pool.allocate(pool.context, &address, (int64_t)bytes, device, known) != TN_OK)
        return NULL;
    return address;
}

/* The pool finds a block by its address. */
void tn_cuda_pool_take_back(void *address, size_t bytes, int number, void *stream) {
    (void)stream;
    tn_allocator pool = tn_pool_allocator(tn_pool_default());
    if ((unsigned)number < TNI_MAX_DEVICES)
        pool.free(pool.context, address, (int64_t)bytes,
                  (tn_device){TN_BACKEND_CUDA, (int16_t)number}, NULL);
}
