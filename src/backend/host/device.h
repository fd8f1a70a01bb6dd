/* What device.c gives to other files. */
#ifndef TNI_HOST_DEVICE_H
#define TNI_HOST_DEVICE_H

#include <tenorite/linalg.h>

/* device.c */
int tni_host_device_count(void);
tn_status tni_host_device_name(int number, char *name, size_t size);
tn_status tni_host_memory_info(int number, int64_t *free_bytes, int64_t *total_bytes);

#endif
