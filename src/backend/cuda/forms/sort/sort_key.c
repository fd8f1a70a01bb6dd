#include "backend/cuda/forms/sort/sort_key.h"

int16_t tni_sort_kind(tn_dtype dtype) {
    static const int16_t kinds[] = {[TN_KIND_BOOL] = 0,
                                    [TN_KIND_UNSIGNED] = 0,
                                    [TN_KIND_SIGNED] = 1,
                                    [TN_KIND_FLOAT] = 2,
                                    [TN_KIND_COMPLEX] = 3};
    return kinds[tn_dtype_kind(dtype)];
}

int16_t tni_sort_mantissa(tn_dtype dtype) {
    static const int16_t mantissas[TN_DTYPE_COUNT] = {
        [TN_F16] = 10, [TN_BF16] = 7, [TN_F32] = 23, [TN_F64] = 52, [TN_C64] = 23, [TN_C128] = 52};
    return mantissas[dtype];
}

bool tni_sort_ties(tn_dtype dtype, bool has_ties) {
    const tn_kind kind = tn_dtype_kind(dtype);
    return kind == TN_KIND_COMPLEX || (kind == TN_KIND_FLOAT && has_ties);
}
