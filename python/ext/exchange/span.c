/* The bytes that elements of another library's memory span. */
#include "exchange/span.h"

/* Every size and stride is another library's, so nothing is multiplied unchecked. */
static int find_span(const ext_span *memory, int64_t item, int ndim, const int64_t *shape,
                     int64_t *strides, bool has_strides, int64_t *low, int64_t *high) {
    int64_t expected = item, reach, count = 1;
    bool overflow = false, empty = false;
    *low = 0;
    *high = item;
    for (int axis = ndim - 1; axis >= 0; axis--) {
        if (shape[axis] < 0) {
            PyErr_Format(memory->error, "negative dimensions in %s", memory->name);
            return -1;
        }
        if (!has_strides || shape[axis] <= 1) strides[axis] = expected;
        empty |= shape[axis] == 0;
        if (shape[axis] == 0) continue;
        overflow |= __builtin_mul_overflow(strides[axis], shape[axis] - 1, &reach);
        overflow |=
            __builtin_add_overflow(*(reach < 0 ? low : high), reach, reach < 0 ? low : high);
        overflow |= __builtin_mul_overflow(expected, shape[axis], &expected);
        overflow |= __builtin_mul_overflow(count, shape[axis], &count);
    }
    if (overflow) {
        PyErr_Format(memory->error, "sizes or strides of %s are out of range", memory->name);
        return -1;
    }
    if (empty) *low = *high = 0;
    return 0;
}

int ext_check_span(ext_span *memory, int64_t item, int ndim, const int64_t *shape, int64_t *strides,
                   bool has_strides) {
    uintptr_t data = (uintptr_t)memory->data, first, end;
    int64_t low, high;
    if (find_span(memory, item, ndim, shape, strides, has_strides, &low, &high)) return -1;
    memory->data = NULL;
    memory->bytes = high - low;
    memory->offset = -low;
    if (low == high) return 0;
    bool bad = !data || __builtin_add_overflow(data, memory->byte_offset, &first);
    bad = bad || __builtin_add_overflow(first, (uintptr_t)high, &end) || first < (uintptr_t)-low;
    if (bad) {
        PyErr_Format(memory->error, data ? "the address of %s is out of range" : "%s has no data",
                     memory->name);
        return -1;
    }
    memory->data = (void *)(first - (uintptr_t)-low);
    return 0;
}
