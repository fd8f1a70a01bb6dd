/* The functions that CUDA's table of communicators holds (forms/collective.def). */
#ifndef TNI_CUDA_LIBRARIES_NCCL_H
#define TNI_CUDA_LIBRARIES_NCCL_H

#include "forms/collective.h"

#define COLLECTIVE(result, name, parameters) result tni_cuda_collective_##name parameters;
#include "forms/collective.def"

#endif
