/* Failures of NVIDIA's libraries. */
#ifndef TNI_CUDA_LIBRARIES_FAILURE_H
#define TNI_CUDA_LIBRARIES_FAILURE_H

#include <tenorite/device.h>
#include <tenorite/status.h>

#include <stdbool.h>

/* `text` names the function and the answer. A failure of an earlier kernel on the stream is raised
 * in its place. is_memory: the device's memory is out. */
tn_status tni_library_fail(const char *library, const char *text, int answer, bool is_memory,
                           const tn_stream *stream) __attribute__((cold));

#endif
