/* Facts of dtypes for code that is called often. */
#ifndef TNI_DTYPE_H
#define TNI_DTYPE_H

#include <tenorite/dtype.h>

/* tn_dtype_size() of a valid dtype. */
static inline int64_t tni_dtype_size(int dtype) {
    static const int8_t sizes[TN_DTYPE_COUNT] = {
#define DTYPE(suffix, storage, working, kind, bytes, character, name) bytes,
#include "ops/dtypes.def"
    };
    return sizes[dtype];
}

#endif
