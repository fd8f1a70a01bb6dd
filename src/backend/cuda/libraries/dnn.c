/* cuDNN's execution plans.
 *
 * Decides: a plan takes its workspace from our pool, which has it back in stream order.
 * Invariant: a plan has a lock for the time of a call that queues work. It lives until no program
 * keeps it and no graph into which it was recorded, since its kernels may be compiled for it alone.
 * Algorithm: a variant pack, which names the addresses of a run, can't be changed once it is
 * finalized. The last one is kept, so that a run at the same addresses needs no new one. */
#include <tenorite/cudnn.h>

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/library.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/launch/scratch.h"
#include "core/array/array.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "core/stream/stream.h"

#include <tenorite/graph.h>

#include <pthread.h>
#include <string.h>

enum { ARRAYS = 3, ADDRESSES = ARRAYS + 1 /* and the workspace */ };
/* Of cudnnBackendDescriptorType_t, cudnnBackendAttributeName_t and cudnnBackendAttributeType_t. */
enum { VARIANT_PACK = 16, UNIQUE_IDS = 1000, DATA_POINTERS = 1001, WORKSPACE = 1003 };
enum { TYPE_INT64 = 3, TYPE_VOID_PTR = 6 };

typedef struct functions {
#define FN(name, params) int(*name) params;
#include "backend/cuda/libraries/cudnn.fn"
} functions;

static functions cudnn;
static const tni_symbol symbols[] = {
#define FN(name, params) {#name, offsetof(functions, name), false},
#include "backend/cuda/libraries/cudnn.fn"
};

struct tn_cudnn_plan {
    tn_cudnn_plan_facts facts;
    atomic_int users;
    pthread_mutex_t lock;
    uintptr_t *parts; /* descriptors that end after the plan's */
    int part_count;
    void *pack;                 /* NULL: none is kept */
    void *addresses[ADDRESSES]; /* of the pack */
};

/* --- Life --- */

tn_status tn_cudnn_plan_new(tn_cudnn_plan **result, const tn_cudnn_plan_facts *facts) {
    TNI_TRY(tni_cuda_library_load(TNI_LIBRARY_CUDNN, symbols, sizeof symbols / sizeof *symbols,
                                  &cudnn));
    tn_cudnn_plan *plan = tni_calloc(1, sizeof *plan);
    if (!plan) return tni_fail_no_memory(sizeof *plan);
    plan->facts = *facts;
    atomic_init(&plan->users, 1);
    pthread_mutex_init(&plan->lock, NULL);
    *result = plan;
    return TN_OK;
}

tn_status tn_cudnn_plan_adopt(tn_cudnn_plan *plan, const uintptr_t *descriptors, int count) {
    const size_t bytes = sizeof *descriptors * (size_t)count;
    if (plan->parts) TNI_FAIL(TN_ERROR_VALUE, "a plan of cuDNN has its descriptors already");
    uintptr_t *parts = tni_malloc(bytes);
    if (!parts) return tni_fail_no_memory((int64_t)bytes);
    memcpy(parts, descriptors, bytes);
    plan->parts = parts;
    plan->part_count = count;
    return TN_OK;
}

/* A child of fork has none of the parent's device. */
void tn_cudnn_plan_release(tn_cudnn_plan *plan) {
    tni_cuda_scope scope;
    if (!plan || atomic_fetch_sub(&plan->users, 1) != 1) return;
    if (!tni_cuda_is_forked() && tni_cuda_enter_quietly(&scope, plan->facts.device) == TN_OK) {
        if (plan->pack) cudnn.cudnnBackendDestroyDescriptor(plan->pack);
        cudnn.cudnnBackendDestroyDescriptor((void *)plan->facts.descriptor);
        for (int k = 0; k < plan->part_count; k++)
            cudnn.cudnnBackendDestroyDescriptor((void *)plan->parts[k]);
        tni_cuda_leave(&scope);
    }
    pthread_mutex_destroy(&plan->lock);
    tni_free(plan->parts);
    tni_free(plan);
}

static void release(void *context) {
    tn_cudnn_plan_release(context);
}

/* A recorded run keeps its plan. */
static tn_status keep(tn_cudnn_plan *plan, tn_stream *stream) {
    if (!tni_stream_capture(stream)) return TN_OK;
    atomic_fetch_add(&plan->users, 1);
    const tn_status status = tn_capture_keep(stream, release, plan);
    if (status != TN_OK) tn_cudnn_plan_release(plan);
    return status;
}

/* --- Runs --- */

/* What cuDNN answers; a failure leaves no pack. */
static int fill_pack(void *pack, void *const addresses[ADDRESSES]) {
    static const int64_t ids[ARRAYS] = {1, 2, 3};
    const struct {
        int name, type, count;
        const void *elements;
    } attributes[] = {{UNIQUE_IDS, TYPE_INT64, ARRAYS, ids},
                      {DATA_POINTERS, TYPE_VOID_PTR, ARRAYS, addresses},
                      {WORKSPACE, TYPE_VOID_PTR, 1, addresses + ARRAYS}};
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        const int answer =
            cudnn.cudnnBackendSetAttribute(pack, attributes[k].name, attributes[k].type,
                                           attributes[k].count, attributes[k].elements);
        if (answer) return answer;
    }
    return cudnn.cudnnBackendFinalize(pack);
}

static int prepare_pack(tn_cudnn_plan *plan, void *const addresses[ADDRESSES]) {
    void *pack;
    if (plan->pack && memcmp(plan->addresses, addresses, sizeof plan->addresses) == 0) return 0;
    int answer = cudnn.cudnnBackendCreateDescriptor(VARIANT_PACK, &pack);
    if (answer) return answer;
    answer = fill_pack(pack, addresses);
    if (answer) {
        cudnn.cudnnBackendDestroyDescriptor(pack);
        return answer;
    }
    if (plan->pack) cudnn.cudnnBackendDestroyDescriptor(plan->pack);
    plan->pack = pack;
    memcpy(plan->addresses, addresses, sizeof plan->addresses);
    return 0;
}

static int run_locked(tn_cudnn_plan *plan, void *const addresses[ADDRESSES], tn_stream *stream) {
    void *handle = (void *)plan->facts.handle;
    int answer = prepare_pack(plan, addresses);
    if (!answer) answer = cudnn.cudnnSetStream(handle, tni_cuda_stream_handle(stream));
    if (answer) return answer;
    tni_cuda_stream_note(stream, "cudnnBackendExecute", 0, (unsigned[3]){0}, (unsigned[3]){0});
    return cudnn.cudnnBackendExecute(handle, (void *)plan->facts.descriptor, plan->pack);
}

static tn_status run(int *answer, tn_cudnn_plan *plan, void *addresses[ADDRESSES],
                     tn_stream *stream) {
    tni_scratch workspace = {NULL, NULL};
    tni_cuda_scope scope;
    tn_status status;
    if (plan->facts.workspace > 0)
        TNI_TRY(tni_scratch_init(&workspace, plan->facts.workspace, -1, stream));
    addresses[ARRAYS] = workspace.address;
    TNI_TRY_OWNING(keep(plan, stream));
    TNI_TRY_OWNING(tni_cuda_enter(&scope, plan->facts.device));
    tni_wait_lock(&plan->lock);
    *answer = run_locked(plan, addresses, stream);
    pthread_mutex_unlock(&plan->lock);
    tni_cuda_leave(&scope);
cleanup:
    tni_scratch_deinit(&workspace);
    return status;
}

tn_status tn_cudnn_plan_run(int *answer, tn_cudnn_plan *plan, const tn_array *first,
                            const tn_array *second, tn_array *result, tn_stream *stream) {
    const tn_array *arrays[ARRAYS] = {first, second, result};
    void *addresses[ADDRESSES];
    uintptr_t bits = 0;
    tn_device device;
    TNI_TRY(tni_device_common(&device, ARRAYS, arrays));
    if (device.backend != TN_BACKEND_CUDA || device.number != plan->facts.device)
        TNI_FAIL(TN_ERROR_VALUE, "a plan of cuDNN for cuda:%d, and arrays of another device",
                 plan->facts.device);
    if (!(result->flags & TNI_WRITEABLE))
        TNI_FAIL(TN_ERROR_VALUE, "the result of a convolution is read-only");
    if (tni_array_overlap(result, first) != TNI_OVERLAP_NONE ||
        tni_array_overlap(result, second) != TNI_OVERLAP_NONE) {
        *answer = TN_CUDNN_OVERLAPS;
        return TN_OK;
    }
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    for (int k = 0; k < ARRAYS; k++) {
        TNI_TRY(tni_array_access(&addresses[k], arrays[k],
                                 arrays[k] == result ? TNI_WRITE : TNI_READ, stream));
        bits |= (uintptr_t)addresses[k];
    }
    if (bits % (uintptr_t)plan->facts.alignment) {
        *answer = TN_CUDNN_MISALIGNED;
        return TN_OK;
    }
    return run(answer, plan, addresses, stream);
}
