/* The lists of kernels that programs use most, which can be compiled before they are needed. */
#ifndef TNI_CUDA_WARM_H
#define TNI_CUDA_WARM_H

#include "kernel/source.h"

#include <tenorite/status.h>

/* A form lists its usual kernels: how many there are, and the program of each, exactly as
 * tni_cuda_kernel_get() would be given it. */
typedef struct tni_warm_list {
    const char *form;
    int (*count)(void);
    void (*write)(tni_source *source, int number);
} tni_warm_list;

/* The lists, ended by one without a form; warm.c has them. */
extern const tni_warm_list tni_warm_lists[];

#endif
