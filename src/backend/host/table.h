/* The entries of the host's table that are not forms, for backend.c. */
#ifndef TNI_HOST_TABLE_H
#define TNI_HOST_TABLE_H

#include "backend/host/host.h"

/* device.c */
int tni_host_device_count(void);
tn_status tni_host_device_name(int number, char *name, size_t size);
tn_status tni_host_memory_info(int number, int64_t *free_bytes, int64_t *total_bytes);

/* memory.c */
tn_status tni_host_memory_allocate(void **address, int64_t bytes, int number);
void tni_host_memory_free(void *address, int64_t bytes, int number);
tn_status tni_host_pinned_allocate(void **address, int64_t bytes);
void tni_host_pinned_free(void *address, int64_t bytes);
tn_status tni_host_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                        tn_stream *stream);
tn_status tni_host_fill(void *to, int value, int64_t bytes, tn_stream *stream);

/* stream.c */
tn_status tni_host_stream_init(tn_stream *stream);
void tni_host_stream_deinit(tn_stream *stream);
uintptr_t tni_host_stream_handle(const tn_stream *stream);
tn_status tni_host_stream_synchronize(tn_stream *stream, int64_t timeout_ns);
tn_status tni_host_stream_is_done(tn_stream *stream, bool *done);
tn_status tni_host_stream_add_callback(tn_stream *stream, void (*function)(void *), void *context);
tn_status tni_host_stream_add_cleanup(tn_stream *stream, void (*function)(void *), void *context);
tn_status tni_host_device_synchronize(int number, int64_t timeout_ns);
/* Whether all that was queued is done, and it is neither immediate nor captured nor of a parent process. */
bool tni_host_stream_is_idle(const tn_stream *stream);

/* queue.c */
/* How many forks lie between the first process and this one; queues and events of another count
 * belong to a parent. */
unsigned tni_host_forks(void);

/* graph.c */
tn_status tni_host_capture_begin(struct tn_graph *graph, tn_stream *stream, int mode);
tn_status tni_host_capture_end(struct tn_graph *graph, tn_stream *stream, bool *ended);
tn_status tni_host_graph_launch(struct tn_graph *graph, tn_stream *stream);
tn_status tni_host_graph_upload(struct tn_graph *graph, tn_stream *stream);
void tni_host_graph_deinit(struct tn_graph *graph);

/* event.c */
tn_status tni_host_event_init(tn_event *event);
void tni_host_event_deinit(tn_event *event);
tn_status tni_host_event_record(tn_event *event, tn_stream *stream);
tn_status tni_host_event_is_done(tn_event *event, bool *done);
tn_status tni_host_event_synchronize(tn_event *event, int64_t timeout_ns);
tn_status tni_host_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop);
tn_status tni_host_stream_wait_event(tn_stream *stream, tn_event *event);

#endif
