/* What a stream keeps for its forms on the device. */
#ifndef TNI_CUDA_LAUNCH_WORKSPACE_H
#define TNI_CUDA_LAUNCH_WORKSPACE_H

#include <tenorite/status.h>

#include <stdbool.h>
#include <stdint.h>
#include <tenorite/device.h>

/* Counters that are zero between launches, and locks that are free. */
enum { TNI_WORKSPACE_COUNTERS = 1 << 16, TNI_WORKSPACE_LOCKS = 8192 };
typedef struct tni_workspace {
    unsigned *counters; /* TNI_WORKSPACE_COUNTERS of them, on the device */
    unsigned *locks;    /* TNI_WORKSPACE_LOCKS */
} tni_workspace;
tn_status tni_workspace_get(tni_workspace *workspace, tn_stream *stream);

/* `struct Bounds` of the kernels, for one call; all launches of the call take the same. */
typedef struct tni_bounds {
    uint64_t words[4];
} tni_bounds;
tn_status tni_bounds_begin(tni_bounds *bounds, tn_stream *stream);

#endif
