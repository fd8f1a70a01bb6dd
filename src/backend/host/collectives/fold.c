/* The reduction of what ranks have sent: one loop of the library for each rank after the first, in
 * the order of ranks, so that all ranks get the same bits however the work was cut. A mean is the
 * sum divided by the number of ranks; of integers towards zero. */
#include "backend/host/collectives/fold.h"

#include "backend/host/loops.h"

#include <string.h>
#include <tenorite/operations.h>

static const tn_op operations[] = {
    [TN_SUM] = TN_OP_ADD,     [TN_PROD] = TN_OP_MULTIPLY, [TN_MAX] = TN_OP_MAXIMUM,
    [TN_MIN] = TN_OP_MINIMUM, [TN_AVG] = TN_OP_ADD,
};

/* --- Means --- */

#define DIVIDE(dtype, type)                                                                        \
    case dtype:                                                                                    \
        for (int64_t k = 0; k < elements; k++)                                                     \
            ((type *)(void *)out)[k] = (type)(((type *)(void *)out)[k] / (type)count);             \
        return;

/* Integers of 8 bits may hold no count of ranks: they are divided as wider ones. */
#define DIVIDE_WIDE(dtype, type)                                                                   \
    case dtype:                                                                                    \
        for (int64_t k = 0; k < elements; k++)                                                     \
            ((type *)(void *)out)[k] = (type)((int)((type *)(void *)out)[k] / count);              \
        return;

/* The halves, through floats. */
static void divide_halves(char *out, int count, int64_t elements, tn_dtype dtype) {
    enum { FEW = 256 };
    float wide[FEW];
    tni_loop widen = tni_cast_find(dtype, TN_F32), narrow = tni_cast_find(TN_F32, dtype);
    const int64_t up[] = {2, sizeof(float)}, down[] = {sizeof(float), 2};
    for (int64_t done = 0; done < elements; done += FEW) {
        int64_t n = elements - done < FEW ? elements - done : FEW;
        char *at = out + done * 2;
        widen((char *[]){at, (char *)wide}, up, n);
        for (int64_t k = 0; k < n; k++)
            wide[k] /= (float)count;
        narrow((char *[]){(char *)wide, at}, down, n);
    }
}

void tni_collective_divide(char *out, int count, int64_t elements, tn_dtype dtype) {
    switch ((int)dtype) {
        DIVIDE_WIDE(TN_I8, int8_t)
        DIVIDE_WIDE(TN_U8, uint8_t)
        DIVIDE(TN_I32, int32_t)
        DIVIDE(TN_U32, uint32_t)
        DIVIDE(TN_I64, int64_t)
        DIVIDE(TN_U64, uint64_t)
        DIVIDE(TN_F32, float)
        DIVIDE(TN_F64, double)
    default: divide_halves(out, count, elements, dtype);
    }
}

/* --- Folds --- */

void tni_collective_fold(char *out, const char *const *parts, int count, int64_t elements,
                         tn_dtype dtype, tn_collective_op op) {
    int64_t item = tn_dtype_size(dtype);
    const int64_t strides[] = {item, item, item};
    tni_loop loop = tni_loop_find(operations[op], dtype);
    if (elements == 0) return;
    if (count == 1) memcpy(out, parts[0], (size_t)(elements * item));
    for (int k = 1; k < count; k++) {
        const char *first = k == 1 ? parts[0] : out;
        loop((char *[]){(char *)(uintptr_t)first, (char *)(uintptr_t)parts[k], out}, strides,
             elements);
    }
    if (op == TN_AVG) tni_collective_divide(out, count, elements, dtype);
}
