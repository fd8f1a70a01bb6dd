/* Kernels of modules, for what is built on them. */
#ifndef TNI_KERNEL_RAW_KERNEL_H
#define TNI_KERNEL_RAW_KERNEL_H

#include "core/base/error.h"
#include "forms/kernel.h"

/* A kernel's function on a device, compiled if it is not yet, and the backend's table. */
tn_status tni_kernel_open(void **function, const tni_kernels **kernels, tn_kernel *kernel,
                          tn_device device);

/* Whether kernels that are made now are checked while they run, which the host can do. */
bool tni_kernel_is_checked(void);

#endif
