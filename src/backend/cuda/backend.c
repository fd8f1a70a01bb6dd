/* CUDA's table. */
#include "backend/cuda/driver/device.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/launch/defer.h"
#include "backend/cuda/launch/graph.h"
#include "backend/cuda/launch/user_kernels.h"
#include "backend/cuda/memory/memory.h"
#include "backend/cuda/stream/callback.h"
#include "backend/cuda/stream/event.h"
#include "backend/cuda/stream/stream.h"

static void count(tni_backend_counts *counts) {
    counts->queued_calls += tni_defer_count();
    counts->worker_threads += tni_defer_thread_count() + tni_cuda_cleaner_count();
    counts->kernels += tni_cuda_kernel_count();
    counts->driver_handles += atomic_load(&tni_cuda_handles);
}

/* clang-format off */
#define FAMILY(family) static const tni_##family##_forms family##_forms = {
#define FORM(family, name) .name = tni_cuda_##name,
#define FAMILY_END(family) };
#include "forms/forms.def"
/* clang-format on */

const tni_backend tni_cuda_backend = {
    .name = "cuda",
    .device_count = tni_cuda_device_count,
    .count = count,
    .device_name = tni_cuda_device_name,
    .memory_info = tni_cuda_memory_info,
    .share_memory = tni_defer_end,
    .raise_late = tni_defer_raise,
    .is_page_locked = tni_cuda_is_page_locked,
    .memory_allocate = tni_cuda_memory_allocate,
    .memory_free = tni_cuda_memory_free,
    .pinned_allocate = tni_cuda_pinned_allocate,
    .pinned_free = tni_cuda_pinned_free,
    .stream_init = tni_cuda_stream_init,
    .stream_deinit = tni_cuda_stream_deinit,
    .stream_handle = tni_cuda_stream_number,
    .stream_synchronize = tni_cuda_stream_synchronize,
    .stream_is_done = tni_cuda_stream_is_done,
    .stream_add_callback = tni_cuda_stream_add_callback,
    .stream_add_cleanup = tni_cuda_stream_add_cleanup,
    .stream_wait_event = tni_cuda_stream_wait_event,
    .device_synchronize = tni_cuda_device_synchronize,
    .event_init = tni_cuda_event_init,
    .event_deinit = tni_cuda_event_deinit,
    .event_record = tni_cuda_event_record,
    .event_is_done = tni_cuda_event_is_done,
    .event_synchronize = tni_cuda_event_synchronize,
    .event_elapsed_ms = tni_cuda_event_elapsed_ms,
    .capture_begin = tni_cuda_capture_begin,
    .capture_end = tni_cuda_capture_end,
    .graph_launch = tni_cuda_graph_launch,
    .graph_upload = tni_cuda_graph_upload,
    .graph_deinit = tni_cuda_graph_deinit,
    .copy = tni_cuda_copy,
    .kernels = &tni_cuda_kernels,
    .fill = tni_cuda_fill,
#define FAMILY(family) .family = &family##_forms,
#include "forms/forms.def"
};
