/* The kernels that programs use most, for compiling ahead. */
#ifndef TNI_CUDA_USUAL_H
#define TNI_CUDA_USUAL_H

#include "backend/cuda/source.h"

int tni_usual_count(void);
/* The program of one of them. */
void tni_usual_write(tni_source *source, int number);

#endif
