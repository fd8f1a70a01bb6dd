// cupy/atomics.cuh: what CUDA has not: extremes of floating-point numbers, and float16.
#ifndef TNI_ATOMICS
#define TNI_ATOMICS
#define TNI_ATOMIC_EXTREME(name, type, word, to_word, to_type, is_better)                          \
    __device__ inline type name(type *address, type value) {                                       \
        word *place = (word *)address, before = *place, expected;                                  \
        do {                                                                                       \
            expected = before;                                                                     \
            type old = to_type(expected);                                                          \
            if (!(value is_better old)) return old;                                                \
            before = atomicCAS(place, expected, to_word(value));                                   \
        } while (before != expected);                                                              \
        return to_type(before);                                                                    \
    }
TNI_ATOMIC_EXTREME(atomicMax, float, int, __float_as_int, __int_as_float, >)
TNI_ATOMIC_EXTREME(atomicMin, float, int, __float_as_int, __int_as_float, <)
TNI_ATOMIC_EXTREME(atomicMax, double, unsigned long long, __double_as_longlong,
                   __longlong_as_double, >)
TNI_ATOMIC_EXTREME(atomicMin, double, unsigned long long, __double_as_longlong,
                   __longlong_as_double, <)
#undef TNI_ATOMIC_EXTREME
// Sums of signed words are those of unsigned ones.
__device__ inline long long atomicAdd(long long *address, long long value) {
    return (long long)atomicAdd((unsigned long long *)address, (unsigned long long)value);
}
#endif
