/* Times of kernels and copies by CUPTI, NVIDIA's library for profilers, where it is found. */
#ifndef TNI_CUDA_STREAM_CUPTI_H
#define TNI_CUDA_STREAM_CUPTI_H

#include <stdbool.h>
#include <stdint.h>
#include <tenorite/device.h>

/* What is known of work that is being queued: numbers of its name (0: CUPTI's own is taken) and
 * its place, and the low bits of its stream's number. */
static inline uint64_t tni_cupti_label(uint32_t name, uint32_t place, uint32_t stream) {
    return (uint64_t)(name & 0xffff) << 48 | (uint64_t)(place & 0xffff) << 32 | stream;
}

/* Has CUPTI record what devices do from now on. False: it is not there, of a version that is not
 * known, not asked for (TENORITE_CUPTI=1), or in use by a profiler that started the process. One at
 * a time. */
bool tni_cupti_begin(void);
/* Ends that: what was recorded becomes events of the trace. Devices that are still at work are the
 * caller's to wait for. */
void tni_cupti_end(void);

/* Around calls of the driver by this thread, of a device that has been entered: what they queue has
 * this label. These pairs lie within each other. */
void tni_cupti_push(const tn_stream *stream, uint64_t label);
void tni_cupti_pop(void);

#endif
