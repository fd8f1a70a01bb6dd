/* The driver's queues, one after each stream: their list, and the last launches of each.
 *
 * All queues that exist are in a list, so that waiting for a device can be interrupted and a
 * failure can name what ran. Each queue keeps its last launches in a ring that is written without a
 * lock: a message may mix two launches when another thread writes at that moment, which is better
 * than a lock in each launch. */
#include "backend/cuda/driver/queues.h"

#include "backend/cuda/driver/library.h"
#include "backend/cuda/table.h"
#include "core/base/thread.h"
#include "core/base/wait.h"
#include "core/stream/stream.h"

#include <pthread.h>
#include <stdio.h>

enum { NOTES_SHOWN = 4 };

typedef tni_cuda_queue queue;
typedef tni_cuda_note note;

static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static queue *queues;
static queue default_queues[TNI_MAX_DEVICES]; /* made without an allocation that could fail */
atomic_int tni_cuda_handles;

/* The child of a fork inherits queues that it can only forget. */
static void after_fork_child(void) {
    pthread_mutex_init(&queues_lock, NULL);
    queues = NULL;
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, after_fork_child);
}

/* --- The list --- */

tni_cuda_queue *tni_cuda_default_queue(int number) {
    return &default_queues[number];
}

/* A default stream is made under a lock of core, under which no thread may wait for the
 * interpreter. */
void tni_cuda_queue_link(tni_cuda_queue *queue) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (queue->is_owned)
        tni_wait_lock(&queues_lock);
    else
        pthread_mutex_lock(&queues_lock);
    queue->next = queues;
    if (queues) queues->previous = queue;
    queues = queue;
    pthread_mutex_unlock(&queues_lock);
}

void tni_cuda_queue_unlink(tni_cuda_queue *queue) {
    tni_wait_lock(&queues_lock);
    if (queue->previous)
        queue->previous->next = queue->next;
    else if (queues == queue)
        queues = queue->next;
    if (queue->next) queue->next->previous = queue->previous;
    pthread_mutex_unlock(&queues_lock);
}

CUresult tni_cuda_queues_ask(int number) {
    CUresult answer = tni_driver.cuStreamQuery(NULL);
    tni_wait_lock(&queues_lock);
    for (queue *queue = queues; queue && answer == CUDA_SUCCESS; queue = queue->next)
        if (queue->number == number && queue->handle && atomic_load(&queue->was_used))
            answer = tni_driver.cuStreamQuery(queue->handle);
    pthread_mutex_unlock(&queues_lock);
    return answer;
}

CUstream tni_cuda_stream_handle(const tn_stream *stream) {
    queue *queue = stream->implementation;
    if (!atomic_load_explicit(&queue->was_used, memory_order_relaxed))
        atomic_store_explicit(&queue->was_used, true, memory_order_relaxed);
    return queue->handle;
}

/* --- What ran --- */

void tni_cuda_stream_note(tn_stream *stream, const char *name, int registers,
                          const unsigned grid[3], const unsigned block[3]) {
    queue *queue = stream->implementation;
    unsigned number = atomic_load_explicit(&queue->noted, memory_order_relaxed);
    note *note = &queue->notes[number % TNI_CUDA_NOTES];
    for (int k = 0; k < 3; k++) {
        atomic_store_explicit(&note->shape[k], grid[k], memory_order_relaxed);
        atomic_store_explicit(&note->shape[k + 3], block[k], memory_order_relaxed);
    }
    atomic_store_explicit(&note->registers, registers, memory_order_relaxed);
    atomic_store_explicit(&note->name, name, memory_order_relaxed);
    atomic_store_explicit(&queue->noted, number + 1, memory_order_relaxed);
}

void tni_cuda_stream_launches(const tn_stream *stream, unsigned since, unsigned *count,
                              int *registers) {
    const queue *queue = stream->implementation;
    *count = atomic_load(&queue->noted);
    *registers = 0;
    for (unsigned k = 1; k <= TNI_CUDA_NOTES && k <= *count - since; k++) {
        int own = atomic_load(&queue->notes[(*count - k) % TNI_CUDA_NOTES].registers);
        if (own > *registers) *registers = own;
    }
}

static size_t describe_queue(char *text, size_t size, const queue *queue) {
    unsigned count = atomic_load(&queue->noted);
    size_t used = 0;
    for (unsigned k = 1; k <= NOTES_SHOWN && k <= count && used + 1 < size; k++) {
        const note *note = &queue->notes[(count - k) % TNI_CUDA_NOTES];
        unsigned s[6];
        for (int i = 0; i < 6; i++)
            s[i] = atomic_load(&note->shape[i]);
        int written = s[0] ? snprintf(text + used, size - used, "%s%s (%u,%u,%u)x(%u,%u,%u)",
                                      k > 1 ? ", " : "", atomic_load(&note->name), s[0], s[1], s[2],
                                      s[3], s[4], s[5])
                           : snprintf(text + used, size - used, "%s%s", k > 1 ? ", " : "",
                                      atomic_load(&note->name));
        used += (size_t)written;
    }
    return used < size ? used : size - 1;
}

void tni_cuda_stream_describe(char *text, size_t size, const tn_stream *stream, int number) {
    text[0] = '\0';
    if (stream && atomic_load(&((const queue *)stream->implementation)->noted)) {
        describe_queue(text, size, stream->implementation);
        return;
    }
    size_t used = 0;
    tni_wait_lock(&queues_lock);
    for (queue *queue = queues; queue && used + 16 < size; queue = queue->next) {
        if (queue->number != number || !atomic_load(&queue->noted)) continue;
        if (used) used += (size_t)snprintf(text + used, size - used, "; ");
        used += describe_queue(text + used, size - used, queue);
    }
    pthread_mutex_unlock(&queues_lock);
}
