/* The driver's queue after each stream, and what ran on it last. */
#ifndef TNI_CUDA_DRIVER_QUEUES_H
#define TNI_CUDA_DRIVER_QUEUES_H

#include "backend/cuda/driver/driver_types.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <tenorite/device.h>

enum { TNI_CUDA_NOTES = 8 };

typedef struct tni_cuda_note {
    _Atomic(const char *) name;
    atomic_uint shape[6]; /* of the grid and of a block; 0: a graph's or a library's launch */
    atomic_int registers; /* of a thread; 0: not known */
} tni_cuda_note;

/* The implementation of a tn_stream. */
typedef struct tni_cuda_queue {
    CUstream handle;
    int number;    /* of the device */
    bool is_owned; /* the handle was made here and is destroyed here */
    atomic_bool was_used;
    struct tni_cuda_queue *previous, *next;
    atomic_uint noted; /* launches so far */
    tni_cuda_note notes[TNI_CUDA_NOTES];
} tni_cuda_queue;

/* Streams, events and graphs of the driver that this library has made and not destroyed. */
extern atomic_int tni_cuda_handles;
static inline void tni_cuda_count_handle(int change) {
    atomic_fetch_add_explicit(&tni_cuda_handles, change, memory_order_relaxed);
}

/* The queue of a device's default stream, zero before its first use. */
tni_cuda_queue *tni_cuda_default_queue(int number);
void tni_cuda_queue_link(tni_cuda_queue *queue);
void tni_cuda_queue_unlink(tni_cuda_queue *queue);
/* Whether all work is done of a device's default stream and of its queues that were used: the
 * driver's answer. */
CUresult tni_cuda_queues_ask(int number);

/* The handle, for a use of the stream, which is noted. */
CUstream tni_cuda_stream_handle(const tn_stream *stream);
/* Notes a launch, for messages. `name` stays valid for ever; `registers` of a thread, 0: not
 * known. */
void tni_cuda_stream_note(tn_stream *stream, const char *name, int registers,
                          const unsigned grid[3], const unsigned block[3]);
/* The last launches of a stream, the newest first ("tn_add_f32 (132,1,1)x(256,1,1), ..."). With
 * NULL: of all streams of a device. */
void tni_cuda_stream_describe(char *text, size_t size, const tn_stream *stream, int number);

#endif
