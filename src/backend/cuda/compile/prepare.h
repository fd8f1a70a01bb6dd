/* The compiler made ready while the driver makes the first context. */
#ifndef TNI_CUDA_COMPILE_PREPARE_H
#define TNI_CUDA_COMPILE_PREPARE_H

#include <tenorite/status.h>

/* Begins to load the compiler, and to compile a kernel of no use, in a thread of its own, if
 * kernels will be compiled soon: nothing is in the caches. Once in a process; never fails. */
void tni_prepare_begin(void);
/* Waits until that thread is done. */
void tni_prepare_end(void);

#endif
