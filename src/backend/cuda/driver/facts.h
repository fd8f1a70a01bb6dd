/* Facts of devices that the backend's table asks for; the others stand in tenorite/cuda.h. */
#ifndef TNI_CUDA_DRIVER_FACTS_H
#define TNI_CUDA_DRIVER_FACTS_H

#include <tenorite/status.h>

#include <stddef.h>
#include <stdint.h>
#include <tenorite/device.h>

tn_status tni_cuda_device_name(int number, char *name, size_t size);
tn_status tni_cuda_device_level(int number, char *level, size_t size);
tn_status tni_cuda_memory_info(int number, int64_t *free_bytes, int64_t *total_bytes);

#endif
