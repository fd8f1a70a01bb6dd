/* Loops over operands whose elements lie apart. */
#ifndef TNI_HOST_STEPS_H
#define TNI_HOST_STEPS_H

#include "backend/host/loops.h"

enum { TNI_STEPS_LEAST = 32 }; /* elements that are worth bringing together */

/* Whether `count` elements at this stride are worth bringing together for the vectors of a loop
 * with so many inputs. Elements of 16 bytes are one load or store each anyway; a loop of several
 * inputs of 8 far apart waits for memory, and is better at that with all of them at once. */
static inline bool tni_steps_are_apart(int64_t stride, int64_t size, int inputs, int64_t count) {
    if (stride == size || stride == 0 || size >= 16 || count < TNI_STEPS_LEAST) return false;
    return inputs == 1 || size < 8 || stride == -size || stride == 2 * size;
}

/* As loop(args, strides, count), where the loop has `inputs` inputs and `operands` arguments in
 * all, of sizes[k] bytes an element. Not for a reduction or an accumulation. */
void tni_steps_run(tni_loop loop, int inputs, int operands, const int64_t *sizes, char *const *args,
                   const int64_t *strides, int64_t count);

#endif
