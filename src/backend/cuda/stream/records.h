/* Records of failures, which kernels write, and the areas of memory that the records stand in. */
#ifndef TNI_CUDA_STREAM_RECORDS_H
#define TNI_CUDA_STREAM_RECORDS_H

#include <tenorite/status.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <tenorite/device.h>

struct tn_graph;

/* As in kernels/base/bounds.cuh, which says what writes it when. */
typedef struct tni_failure_record {
    _Atomic(int64_t) is_set;
    volatile int64_t kind, axis, index, size; /* tn_failure of ops/failures.h */
    _Atomic(uint64_t) epoch;
} tni_failure_record;

/* What a stream, or one recorded part of a graph, keeps for its kernels; launch/workspace.c makes
 * it. */
typedef struct tni_area {
    struct tni_area *next;
    _Atomic(const tn_stream *) stream;      /* NULL: it ended */
    _Atomic(const struct tn_graph *) graph; /* that was recorded on the stream; NULL: none */
    bool is_idle; /* with nothing running: another stream of the device may take over */
    int number;   /* of the device */
    char *device; /* its memory there */
    tni_failure_record *record;
    atomic_uint_least64_t calls;
} tni_area;

/* Takes the lock of the list, and gives its first area. */
tni_area *tni_areas_lock(void);
void tni_areas_unlock(void);
/* Called with the lock held. */
void tni_areas_add(tni_area *area);

/* Called when work of a device was waited for: TN_ERROR_INDEX if a kernel, on any stream of it, met
 * an index out of bounds that was not raised yet; TN_ERROR_LINALG for a matrix. */
tn_status tni_records_check(int number);
/* Forgets a stream that ends; `is_done`: it has no work left. A graph ends with nothing running. */
void tni_records_drop_stream(const tn_stream *stream, bool is_done);
void tni_records_drop_graph(const struct tn_graph *graph);

#endif
