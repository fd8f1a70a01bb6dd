/* The host's table. */
#include "backend/host/compiler/program.h"
#include "backend/host/device.h"
#include "backend/host/memory.h"
#include "backend/host/stream/event.h"
#include "backend/host/stream/graph.h"
#include "backend/host/stream/queue.h"
#include "backend/host/stream/stream.h"
#include "backend/host/stream/workers.h"
#include "backend/host/table.h"

static void count(tni_backend_counts *counts) {
    counts->queued_calls += tni_host_queued_count();
    counts->worker_threads += tni_host_worker_count();
}

/* clang-format off */
/* The host copies parts one by one. */
#define tni_host_join NULL

#define FAMILY(family) static const tni_##family##_forms family##_forms = {
#define FORM(family, name) .name = tni_host_##name,
#define FAMILY_END(family) };
#include "forms/forms.def"

const tni_backend tni_host_backend = {
    .name = "host",
    .moves_unaligned = true,
    .count = count,
#define FAMILY(family) .family = &family##_forms,
#include "forms/forms.def"
    .device_count = tni_host_device_count,
    .device_name = tni_host_device_name,
    .memory_info = tni_host_memory_info,
    .memory_allocate = tni_host_memory_allocate,
    .memory_free = tni_host_memory_free,
    .pinned_allocate = tni_host_pinned_allocate,
    .pinned_free = tni_host_pinned_free,
    .stream_init = tni_host_stream_init,
    .stream_deinit = tni_host_stream_deinit,
    .stream_handle = tni_host_stream_handle,
    .stream_synchronize = tni_host_stream_synchronize,
    .stream_is_done = tni_host_stream_is_done,
    .stream_add_callback = tni_host_stream_add_callback,
    .stream_add_cleanup = tni_host_stream_add_cleanup,
    .stream_wait_event = tni_host_stream_wait_event,
    .device_synchronize = tni_host_device_synchronize,
    .event_init = tni_host_event_init,
    .event_deinit = tni_host_event_deinit,
    .event_record = tni_host_event_record,
    .event_is_done = tni_host_event_is_done,
    .event_synchronize = tni_host_event_synchronize,
    .event_elapsed_ms = tni_host_event_elapsed_ms,
    .capture_begin = tni_host_capture_begin,
    .capture_end = tni_host_capture_end,
    .graph_launch = tni_host_graph_launch,
    .graph_upload = tni_host_graph_upload,
    .graph_deinit = tni_host_graph_deinit,
    .kernels = &tni_host_kernels,
    .copy = tni_host_copy,
    .fill = tni_host_fill,
};
/* clang-format on */
