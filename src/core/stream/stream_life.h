/* How streams come and go; the numbers by which they are found. */
#ifndef TNI_STREAM_LIFE_H
#define TNI_STREAM_LIFE_H

#include <tenorite/device.h>

/* tn_stream_default(), and why there is none. */
tn_status tni_stream_default(tn_stream **result, tn_device device);
/* The stream of a number, retained. NULL: it has ended, with all its work done and its memory in
 * the hands of the default stream (or the number is 0). Takes locks of streams and of pools. */
tn_stream *tni_stream_find(uint64_t number);
/* Whether the stream of a number has not ended; needs no lock. */
bool tni_stream_is_living(uint64_t number);
/* A reference to a stream that may be about to end; false: it has. The caller makes sure that the
 * struct serves no other stream meanwhile. */
bool tni_stream_retain_living(tn_stream *stream);
/* A stream on the model's device without the backend's part, to which nothing leads yet; the
 * backend's part is made next, and then the stream begins, with one reference, or is given back. */
tn_status tni_stream_make(tn_stream **result, const tn_stream *model, bool non_blocking,
                          int priority);
tn_stream *tni_stream_begin(tn_stream *stream);
void tni_stream_unmake(tn_stream *stream);

/* Functions of a higher file for the end of a stream, which has no work left then. `stream_ends`
 * calls no backend, and is called with the lock of streams' lives held. The locks that it takes are
 * taken around a fork by the other two, so that they come after that lock there, too. */
typedef struct tni_stream_watcher {
    void (*stream_ends)(tn_stream *stream);
    void (*before_fork)(void);
    void (*after_fork)(void);
} tni_stream_watcher;
/* Adds a static watcher, for ever; four at most. */
void tni_stream_watch(const tni_stream_watcher *watcher);

#endif
