/* The host's table. A form that is listed in TNI_HOST_FORMS is there; the others are NULL, which core
 * reports by name. */
#include "backend/host/table.h"

/* One line per form as its file comes into being. */
/* clang-format off */
#define TNI_HOST_FORMS(FORM) \
    FORM(elementwise) FORM(take) FORM(put) FORM(places) FORM(compress) FORM(expand) FORM(nonzero) \
    FORM(arange) FORM(matmul) FORM(reduce) FORM(argreduce) FORM(scan) FORM(reduceat) FORM(ufunc_at)
/* clang-format on */

static void count(tni_backend_counts *counts) {
    counts->queued_calls += tni_host_queued_count();
    counts->worker_threads += tni_host_worker_count();
}

/* clang-format off */
const tni_backend tni_host_backend = {
    .name = "host",
    .moves_unaligned = true,
    .count = count,
#define FORM(form) .form = tni_host_##form,
    TNI_HOST_FORMS(FORM)
#undef FORM
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
    .copy = tni_host_copy,
    .fill = tni_host_fill,
};
/* clang-format on */
