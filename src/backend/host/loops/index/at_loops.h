/* Inner loops of ufunc.at, for operations that take and give one dtype. */
#ifndef TNI_AT_LOOPS_H
#define TNI_AT_LOOPS_H

#include <stdint.h>

/* For each i in order: x = array[index[i] x stride], an index below 0 counting from `size`;
 * x = op(x, b[i x b_stride]). */
typedef void (*tni_at_loop)(char *array, int64_t stride, int64_t size, const int64_t *index,
                            const char *b, int64_t b_stride, int64_t n);

#endif
