// cupy/atomics.cuh: what CUDA has not: extremes of floating-point numbers, sums of signed words.
#ifndef TNI_ATOMICS
#define TNI_ATOMICS
#ifndef __TENORITE_HOST__
namespace tni {
template <int bytes> struct word_of;
template <> struct word_of<2> { typedef unsigned short type; };
template <> struct word_of<4> { typedef unsigned type; };
template <> struct word_of<8> { typedef unsigned long long type; };
template <class T> union bits_of {
    typename word_of<sizeof(T)>::type bits;
    T value;
    bits_of() {}
};
// One word, compared and exchanged until nothing came in between.
template <class T, class F> inline T change(T *address, F function) {
    typedef typename word_of<sizeof(T)>::type word;
    word *place = (word *)address, found = *place;
    bits_of<T> before, after;
    do {
        before.bits = found;
        after.value = function(before.value);
        if (after.bits == before.bits) break;
        found = atomicCAS(place, before.bits, after.bits);
    } while (found != before.bits);
    return before.value;
}
} // namespace tni
#endif
#define TNI_ATOMIC_EXTREME(name, type, is_better)                                                  \
    __device__ inline type name(type *address, type value) {                                       \
        return tni::change(address, [=](type old) { return value is_better old ? value : old; });  \
    }
TNI_ATOMIC_EXTREME(atomicMax, float, >)
TNI_ATOMIC_EXTREME(atomicMin, float, <)
TNI_ATOMIC_EXTREME(atomicMax, double, >)
TNI_ATOMIC_EXTREME(atomicMin, double, <)
#undef TNI_ATOMIC_EXTREME
// Sums of signed words are those of unsigned ones.
__device__ inline long long atomicAdd(long long *address, long long value) {
    return (long long)atomicAdd((unsigned long long *)address, (unsigned long long)value);
}
#endif
