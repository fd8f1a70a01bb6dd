/* The compiler made ready while the driver makes the first context. */
#ifndef TNI_CUDA_PREPARE_H
#define TNI_CUDA_PREPARE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct tni_preparation {
    pthread_t thread;
    bool is_begun;
} tni_preparation;

/* Begins to load the compiler, and to compile a kernel of no use, in a thread of its own, if kernels will
 * be compiled soon: nothing is in the caches. Never fails. */
void tni_prepare_begin(tni_preparation *preparation);
/* Waits for it. */
void tni_prepare_end(tni_preparation *preparation);

#endif
