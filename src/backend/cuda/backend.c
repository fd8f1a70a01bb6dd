/* CUDA's table, and what its upper files do at the gate of the driver. */
#include "backend/cuda/compile/prepare.h"
#include "backend/cuda/compile/workers.h"
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/facts.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/reduce.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/launch/user_kernels.h"
#include "backend/cuda/libraries/nccl.h"
#include "backend/cuda/memory/memory.h"
#include "backend/cuda/stream/callback.h"
#include "backend/cuda/stream/stream.h"
#include "backend/cuda/table.h"

void tni_cuda_count(tni_backend_counts *counts) {
    counts->queued_calls += tni_defer_count();
    counts->worker_threads += tni_cuda_workers_count() + tni_cuda_cleaner_count();
    counts->kernels += tni_cuda_kernel_count();
    counts->driver_handles += atomic_load(&tni_cuda_handles);
}

/* Entries whose work another function does already. */
#define tni_cuda_share_memory tni_defer_end
#define tni_cuda_raise_late tni_defer_raise

/* The traits of its forms. */
enum {
    tni_cuda_computes_unaligned = false,
    tni_cuda_compiles_ahead = true,
    tni_cuda_moves_unaligned = false,
    tni_cuda_takes_strided_bodies = true,
    tni_cuda_fuses_rows = true,
    tni_cuda_folds_vectors = true,
    tni_cuda_sorts_in_workspace = false,
    tni_cuda_takes_room = true,
};

/* The tables (backend/table.def). */
#define BACKEND cuda
#define OWN_NAME "cuda"
#define OWN(name) tni_cuda_##name
#include "backend/table.def"

/* When the library is loaded, before any thread of it. */
__attribute__((constructor)) static void offer(void) {
    tni_gate = (tni_gate_hooks){
        .flush = tni_defer_flush,
        .wait = tni_defer_wait,
        .end = tni_defer_end,
        .hand_on = tni_defer_hand_on,
        .prepare_begin = tni_prepare_begin,
        .prepare_end = tni_prepare_end,
    };
    tni_backend_offer(TN_BACKEND_CUDA, &table);
}
