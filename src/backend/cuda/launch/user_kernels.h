/* Kernels of programs on GPUs. */
#ifndef TNI_CUDA_LAUNCH_USER_KERNELS_H
#define TNI_CUDA_LAUNCH_USER_KERNELS_H

#include "backend/backend.h"
#include "forms/kernel.h"

/* What GPUs do with kernels that programs write. */
/* clang-format off */
#define KERNELS(result, name, parameters) result tni_cuda_kernels_##name parameters;
#include "forms/kernel.def"
/* clang-format on */

#endif
