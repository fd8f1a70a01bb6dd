#include "backend/cuda/forms/sort/sort_key.h"

void tni_sort_key_set(int16_t *numbers, tn_dtype dtype, bool is_descending, bool has_ties) {
    static const int16_t kinds[] = {[TN_KIND_BOOL] = 0,
                                    [TN_KIND_UNSIGNED] = 0,
                                    [TN_KIND_SIGNED] = 1,
                                    [TN_KIND_FLOAT] = 2,
                                    [TN_KIND_COMPLEX] = 3};
    static const int16_t mantissas[TN_DTYPE_COUNT] = {
        [TN_F16] = 10, [TN_BF16] = 7, [TN_F32] = 23, [TN_F64] = 52, [TN_C64] = 23, [TN_C128] = 52};
    numbers[0] = (int16_t)tn_dtype_size(dtype);
    numbers[1] = kinds[tn_dtype_kind(dtype)];
    numbers[2] = mantissas[dtype];
    numbers[3] = is_descending;
    numbers[4] = numbers[1] == 3 || (numbers[1] == 2 && has_ties);
}
