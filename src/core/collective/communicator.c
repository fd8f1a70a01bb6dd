/* The life of communicators. */
#include "core/collective/communicator.h"

#include "backend/backend.h"
#include "core/base/alloc.h"

static tn_status find_backend(const tni_collectives **result, tn_backend backend) {
    const tni_backend *found = tni_backend_get(backend);
    if (!found) return tni_fail_device(TNI_DEVICE_NO_DEVICE);
    *result = found->collectives;
    return TN_OK;
}

tn_status tn_collective_version(int *version, tn_backend backend) {
    const tni_collectives *functions = NULL;
    TNI_TRY(find_backend(&functions, backend));
    return functions->version(version);
}

tn_status tn_communicator_key_new(tn_communicator_key *key, tn_backend backend) {
    const tni_collectives *functions = NULL;
    TNI_TRY(find_backend(&functions, backend));
    return functions->key_make(key);
}

tn_status tn_collective_group_begin(tn_backend backend) {
    const tni_collectives *functions = NULL;
    TNI_TRY(find_backend(&functions, backend));
    return functions->group_begin();
}

tn_status tn_collective_group_end(tn_backend backend) {
    const tni_collectives *functions = NULL;
    TNI_TRY(find_backend(&functions, backend));
    return functions->group_end();
}

/* --- Life --- */

static tn_status make(tn_communicator **result, tn_device device) {
    const tni_collectives *functions = NULL;
    if (!tn_stream_default(device)) return TN_ERROR_DEVICE;
    TNI_TRY(find_backend(&functions, (tn_backend)device.backend));
    tn_communicator *made = tni_malloc(sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->device = device;
    made->backend = functions;
    atomic_init(&made->implementation, NULL);
    *result = made;
    return TN_OK;
}

static tn_status deliver(tn_communicator **result, tn_communicator *made, void *implementation,
                         tn_status status) {
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    atomic_store(&made->implementation, implementation);
    *result = made;
    return TN_OK;
}

tn_status tn_communicator_new(tn_communicator **result, tn_device device, int count,
                              const tn_communicator_key *key, int rank,
                              const tn_communicator_config *config) {
    tn_communicator *made = NULL;
    void *implementation = NULL;
    if (count < 1 || rank < 0 || rank >= count)
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "rank %d of %d ranks", rank, count);
    TNI_TRY(make(&made, device));
    tn_status status =
        made->backend->join(&implementation, count, key, rank, config, device.number);
    return deliver(result, made, implementation, status);
}

tn_status tn_communicator_new_all(tn_communicator **results, tn_backend backend, int count,
                                  const int *numbers) {
    enum { MOST = TNI_MAX_DEVICES };
    int chosen[MOST];
    void *implementations[MOST];
    tn_communicator *made[MOST];
    int prepared = 0;
    tn_status status = TN_OK;
    if (count < 1 || count > MOST)
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "%d devices; there may be 1 to %d", count,
                                   MOST);
    for (; prepared < count && status == TN_OK; prepared += status == TN_OK) {
        chosen[prepared] = numbers ? numbers[prepared] : prepared;
        tn_device device = {(int16_t)backend, (int16_t)chosen[prepared]};
        status = make(&made[prepared], device);
    }
    if (status == TN_OK) status = made[0]->backend->join_all(implementations, count, chosen);
    for (int k = 0; k < prepared; k++)
        deliver(&results[k], made[k], status == TN_OK ? implementations[k] : NULL, status);
    return status;
}

tn_status tni_communicator_open(void **implementation, tn_communicator *communicator) {
    *implementation = atomic_load(&communicator->implementation);
    if (*implementation) return TN_OK;
    return tni_fail_collective(TNI_NCCL_ARGUMENT, "the communicator is destroyed or aborted");
}

tn_status tn_communicator_split(tn_communicator **result, tn_communicator *communicator, int color,
                                int order, const tn_communicator_config *config) {
    tn_communicator *made = NULL;
    void *of, *implementation = NULL;
    if (color < -1)
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "color %d; NCCL_SPLIT_NOCOLOR is -1", color);
    TNI_TRY(tni_communicator_open(&of, communicator));
    TNI_TRY(make(&made, communicator->device));
    tn_status status = made->backend->split(&implementation, of, color, order, config,
                                            communicator->device.number);
    bool is_none = status == TN_OK && !implementation;
    if (!is_none) return deliver(result, made, implementation, status);
    tni_free(made);
    *result = NULL;
    return TN_OK;
}

tn_status tn_communicator_check(tn_communicator *communicator) {
    void *of;
    TNI_TRY(tni_communicator_open(&of, communicator));
    return communicator->backend->check(of, communicator->device.number);
}

tn_status tn_communicator_finish(tn_communicator *communicator, bool aborts) {
    void *gone = atomic_exchange(&communicator->implementation, NULL);
    if (!gone) return TN_OK;
    return communicator->backend->leave(gone, aborts, communicator->device.number);
}

void tn_communicator_release(tn_communicator *communicator) {
    if (!communicator) return;
    (void)tn_communicator_finish(communicator, false);
    tni_free(communicator);
}

tn_status tn_communicator_get(tn_communicator_facts *facts, tn_communicator *communicator) {
    void *of;
    tn_communicator_facts found = {.device = communicator->device};
    TNI_TRY(tni_communicator_open(&of, communicator));
    TNI_TRY(communicator->backend->facts(&found.count, &found.rank, of));
    found.handle = (uintptr_t)of;
    *facts = found;
    return TN_OK;
}
