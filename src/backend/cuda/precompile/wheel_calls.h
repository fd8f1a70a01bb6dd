/* What wheel_calls.c gives to other files. */
#ifndef TNI_CUDA_PRECOMPILE_WHEEL_CALLS_H
#define TNI_CUDA_PRECOMPILE_WHEEL_CALLS_H

#include "backend/cuda/precompile/wheel_kernels.h"

#include <tenorite/status.h>

void tni_usual_write_call(tni_source *source, const tni_usual *usual);

#endif
