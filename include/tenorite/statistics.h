/* What the library holds at this moment, for programs that run for days. */
#ifndef TENORITE_STATISTICS_H
#define TENORITE_STATISTICS_H

#include <tenorite/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Objects count from when they are made until they are gone, which may be after their last release:
 * a stream or a graph lives on until its work is done. Default streams are not counted. */
typedef struct tn_statistics {
    int64_t arrays, buffers, streams, events, graphs;
    int64_t arenas;         /* of all pools: streams that have memory */
    int64_t chunks;         /* of all pools: pieces of their sources' memory */
    int64_t queued_calls;   /* on streams of the host, not done; on a GPU, waiting for a kernel */
    int64_t worker_threads; /* that work for streams or compile */
    int64_t kernels;        /* compiled ones in memory */
    int64_t driver_handles; /* streams, events and graphs of a GPU's driver, idle ones included */
    int64_t used_bytes;     /* handed out by all pools on all devices */
    int64_t total_bytes;    /* held by them */
    int64_t pinned_bytes;   /* held by all pools of page-locked memory */
} tn_statistics;

/* The figures of the process; exact while no other thread is in a call. Waits for nothing and opens
 * no driver. Costs nothing until it is called. */
TN_API void tn_statistics_get(tn_statistics *result);

#ifdef __cplusplus
}
#endif
#endif
