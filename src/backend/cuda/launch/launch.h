/* Launches of kernels that are ready. */
#ifndef TNI_CUDA_LAUNCH_LAUNCH_H
#define TNI_CUDA_LAUNCH_LAUNCH_H

#include "backend/cuda/launch/kernel.h"

#include <tenorite/device.h>

/* Launches, and notes it for messages. `params` has a pointer to each argument. An empty grid is
 * nothing to do. `shared_bytes` are dynamic ones. */
tn_status tni_cuda_launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                          size_t shared_bytes, void **params, tn_stream *stream);

#endif
