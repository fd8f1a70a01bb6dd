/* What stream_life.c gives to other files. */
#ifndef TNI_STREAM_LIFE_H
#define TNI_STREAM_LIFE_H

#include <tenorite/linalg.h>

/* The stream of a number, retained. NULL: it has ended, with all its work done and its memory in the
 * hands of the default stream (or the number is 0). Takes locks of streams and of pools. */
tn_stream *tni_stream_find(uint64_t number);
/* Whether it has not ended; needs no lock. */
bool tni_stream_is_living(uint64_t number);
/* A reference to a stream that may be about to end, false: it does. The caller sees to it that the
 * struct serves no other stream meanwhile. */
bool tni_stream_retain_living(tn_stream *stream);
/* A stream on the model's device without the backend's part, to which nothing leads yet; the backend's part is
 * made next, and then the stream begins, with one reference, or is given back. */
tn_status tni_stream_make(tn_stream **result, const tn_stream *model, bool non_blocking,
                          int priority);
tn_stream *tni_stream_begin(tn_stream *stream);
void tni_stream_unmake(tn_stream *stream);

#endif
