/* Facts of dtypes for code that is called often. */
#ifndef TNI_DTYPE_H
#define TNI_DTYPE_H

#include "core/array/stored.h"

#include <string.h>

/* tn_dtype_size() of a valid dtype. */
static inline int64_t tni_dtype_size(int dtype) {
    static const int8_t sizes[TN_DTYPE_COUNT] = {
#define DTYPE(suffix, storage, working, kind, bytes, character, name) bytes,
#include "ops/dtypes.def"
    };
    if (__builtin_expect(tn_dtype_is_stored(dtype), 0)) return tni_stored_find(dtype)->bytes;
    return sizes[dtype];
}

/* Moves one element of a valid dtype, at any address. (A copy of so few bytes whose number the
 * compiler does not know takes longer than all else that is done for an element.) */
static inline void tni_element_move(void *to, const void *from, int dtype) {
    const int64_t bytes = tni_dtype_size(dtype);
    switch (bytes) {
    case 8: memcpy(to, from, 8); break;
    case 4: memcpy(to, from, 4); break;
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 16: memcpy(to, from, 16); break;
    default: memcpy(to, from, (size_t)bytes); break;
    }
}

#endif
