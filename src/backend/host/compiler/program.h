/* Programs of the host: compiled, cached, loaded. */
#ifndef TNI_HOST_COMPILER_PROGRAM_H
#define TNI_HOST_COMPILER_PROGRAM_H

#include "backend/host/compiler/launch.h"

/* What the host does with kernels that programs write. */
extern const tni_kernels tni_host_kernels;

#endif
