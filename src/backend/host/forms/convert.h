/* Elements through a loop of one input: converted, or copied where they lie otherwise. */
#ifndef TNI_HOST_FORMS_CONVERT_H
#define TNI_HOST_FORMS_CONVERT_H

#include "backend/host/loops.h"

static inline void tni_convert(tni_loop loop, const void *from, int64_t from_stride, void *to,
                               int64_t to_stride, int64_t n) {
    char *const arguments[2] = {(char *)(uintptr_t)from, to};
    const int64_t strides[2] = {from_stride, to_stride};
    loop(arguments, strides, n);
}

#endif
