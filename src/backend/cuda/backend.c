/* CUDA's table. */
#include "backend/cuda/driver/device.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/launch/graph.h"
#include "backend/cuda/memory/memory.h"
#include "backend/cuda/stream/callback.h"
#include "backend/cuda/stream/stream.h"
#include "backend/cuda/table.h"

void tni_cuda_count(tni_backend_counts *counts) {
    counts->queued_calls += tni_defer_count();
    counts->worker_threads += tni_defer_thread_count() + tni_cuda_cleaner_count();
    counts->kernels += tni_cuda_kernel_count();
    counts->driver_handles += atomic_load(&tni_cuda_handles);
}

/* Entries whose work another function does already. */
#define tni_cuda_share_memory tni_defer_end
#define tni_cuda_raise_late tni_defer_raise

/* clang-format off */
#define FAMILY(family) static const tni_##family##_forms family##_forms = {
#define FORM(family, name) .name = tni_cuda_##name,
#define FAMILY_END(family) };
#include "forms/forms.def"

const tni_backend tni_cuda_backend = {
    .name = "cuda",
#define FAMILY(family) .family = &family##_forms,
#include "forms/forms.def"
#define ENTRY(result, name, parameters) .name = tni_cuda_##name,
#include "backend/entries.def"
};
/* clang-format on */
