/* The kernels that programs use most, which can be compiled before they are needed: what
 * record_kernels.c recorded when the library was built, the likeliest first. */
#ifndef TNI_CUDA_WARM_H
#define TNI_CUDA_WARM_H

#include <stddef.h>
#include <stdint.h>

typedef struct tni_usual_kernel {
    const char *name;
    int first; /* of the numbers of its lines, which end where the next kernel's begin */
} tni_usual_kernel;

/* Weak, since the program that records them is linked without. */
#define TNI_WEAK __attribute__((weak))
extern const tni_usual_kernel tni_usual_kernels[] TNI_WEAK;
extern const int tni_usual_count TNI_WEAK; /* of kernels; one more without a name ends them */
extern const uint16_t tni_usual_texts[] TNI_WEAK;
extern const char *const tni_usual_lines[] TNI_WEAK; /* @: the kernel's name */

#endif
