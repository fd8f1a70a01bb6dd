/* Order between streams, and their work as core waits for it: captured streams included. */
#ifndef TNI_ORDER_H
#define TNI_ORDER_H

#include "core/stream/stream.h"

/* Later work of `later` waits for what `earlier` has now (both may be of any device). On an
 * immediate `later` the caller waits. Does nothing if they are the same or `earlier` is done, nor
 * where `later` alone is captured: its work waits when the graph is launched. */
tn_status tni_stream_order(tn_stream *later, tn_stream *earlier);

/* The backend's entries for any stream. One that is captured is done when the work is that was
 * queued before; a cleanup is put off to the end of the capture. */
tn_status tni_stream_is_done(tn_stream *stream, bool *done);
tn_status tni_stream_add_cleanup(tn_stream *stream, void (*function)(void *context), void *context);

/* Waits until a stream has done its work, and leaves its failure to the program that
 * synchronizes. */
void tni_stream_drain(tn_stream *stream);

#endif
