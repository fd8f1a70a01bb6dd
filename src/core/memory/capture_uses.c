/* The buffers that recorded work uses.
 *
 * Decides: recorded work uses memory when the graph is launched, not when it is recorded. So
 * nothing is waited for while a stream records: the door (core/memory/buffer.c) only notes buffers
 * here, and a launch goes through the door with each of them, for its own stream. Invariants: the
 * graph holds every buffer that recorded work touches, so no memory goes to others before the graph
 * ends. A buffer that only the graph holds when the capture ends can never be reached again:
 * launches need not order it, for the driver orders launches of one graph. Algorithm: while
 * recording, a buffer that was made for the capture and let go serves the next request of its size
 * on the same stream; so a loop needs no more memory in a graph than outside. */
#include "core/memory/capture_uses.h"

#include "core/base/alloc.h"
#include "core/memory/buffer.h"

typedef tni_capture_use use;

static use *find_use(const tn_graph *graph, const tn_buffer *buffer) {
    for (int k = graph->use_count; k-- > 0;)
        if (graph->uses[k].buffer == buffer) return &graph->uses[k];
    return NULL;
}

tn_status tni_capture_note(tn_stream *stream, tn_buffer *buffer, bool writes, const void *source) {
    tn_status status = TN_OK;
    tni_lock_take(&tni_captures_lock);
    tn_graph *graph = tni_stream_capture(stream);
    use *known = graph ? find_use(graph, buffer) : NULL;
    if (known) {
        known->wrote |= writes;
    } else if (graph) {
        status = tni_capture_need_room((void **)&graph->uses, graph->use_count,
                                       &graph->use_capacity, sizeof(use));
        if (status == TN_OK)
            graph->uses[graph->use_count++] =
                (use){tni_buffer_retain(buffer), source, writes, false};
    }
    tni_lock_give(&tni_captures_lock);
    return status;
}

static bool is_only_mine(const tn_buffer *buffer) {
    return atomic_load_explicit(&buffer->references, memory_order_acquire) == 1;
}

tn_buffer *tni_capture_take(tn_stream *stream, const void *source, int64_t bytes) {
    tn_buffer *found = NULL;
    tni_lock_take(&tni_captures_lock);
    const tn_graph *graph = tni_stream_capture(stream);
    for (int k = graph ? graph->use_count : 0; k-- > 0 && !found;) {
        const use *use = &graph->uses[k];
        if (use->source == source && tni_buffer_home(use->buffer) == tni_stream_number(stream) &&
            use->buffer->bytes == bytes && is_only_mine(use->buffer))
            found = tni_buffer_retain(use->buffer);
    }
    tni_lock_give(&tni_captures_lock);
    return found;
}

void tni_capture_end_uses(tn_graph *graph) {
    for (int k = 0; k < graph->use_count; k++)
        graph->uses[k].is_private = is_only_mine(graph->uses[k].buffer);
}
