/* Times of kernels by the device's clock, for a trace. */
#ifndef TNI_CUDA_STREAM_TIMING_H
#define TNI_CUDA_STREAM_TIMING_H

#include <tenorite/device.h>

typedef struct tni_cuda_timing tni_cuda_timing;

/* Before and after what is timed, of a device that has been entered, by the thread that began it.
 * NULL: it is not timed. `name` lives as long as the process; NULL: a graph, whose kernels have
 * names of their own. */
tni_cuda_timing *tni_cuda_timing_begin(tn_stream *stream, const char *name);
void tni_cuda_timing_end(tni_cuda_timing *timing, tn_stream *stream);

#endif
