/* The programs of made-up calls. */
#ifndef TNI_CUDA_PRECOMPILE_WHEEL_CALLS_H
#define TNI_CUDA_PRECOMPILE_WHEEL_CALLS_H

#include "backend/cuda/precompile/wheel_kernels.h"

/* Writes the program of one kernel of a usual call; nothing, if the call has not so many. */
void tni_usual_write_call(tni_source *source, const tni_usual *usual);

#endif
