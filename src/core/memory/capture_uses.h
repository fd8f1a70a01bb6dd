/* The buffers that recorded work uses, as its graph notes them. */
#ifndef TNI_CAPTURE_USES_H
#define TNI_CAPTURE_USES_H

#include "core/stream/capture.h"

#include <tenorite/memory.h>

typedef struct tni_capture_use {
    tn_buffer *buffer;  /* retained */
    const void *source; /* where its memory is from if it was made for this capture, else NULL */
    bool wrote;
    bool is_private; /* only the graph held it when the capture ended */
} tni_capture_use;

/* Notes that recorded work uses a buffer, which the graph holds from now on. `source` as above. As
 * if the stream had not captured where another thread has ended the capture meanwhile. */
tn_status tni_capture_note(tn_stream *stream, tn_buffer *buffer, bool writes, const void *source);

/* A buffer made for this capture on this stream that only the graph holds by now, retained; NULL if
 * there is none of `bytes` from `source`. */
tn_buffer *tni_capture_take(tn_stream *stream, const void *source, int64_t bytes);

/* The capture has ended: marks the buffers that only the graph holds. */
void tni_capture_end_uses(tn_graph *graph);

#endif
