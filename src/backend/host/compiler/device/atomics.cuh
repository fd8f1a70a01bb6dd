// CUDA's atomic operations, across blocks: those that it has, and no others, for programs define
// what is missing.
namespace tni {
template <int bytes> struct word_of;
template <> struct word_of<1> { typedef unsigned char type; };
template <> struct word_of<2> { typedef unsigned short type; };
template <> struct word_of<4> { typedef unsigned type; };
template <> struct word_of<8> { typedef unsigned long long type; };

/* One word, compared and exchanged until nothing came in between. */
template <class T, class F> static inline T change(T *address, F function) {
    typedef typename word_of<sizeof(T)>::type word;
    word *place = (word *)address, before = __atomic_load_n(place, __ATOMIC_RELAXED), after;
    T old;
    do {
        __builtin_memcpy((void *)&old, &before, sizeof old);
        T made = function(old);
        __builtin_memcpy(&after, &made, sizeof after);
    } while (!__atomic_compare_exchange_n(place, &before, after, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return old;
}
// A thread that did not get what it tried for may wait for one of its own block, as for a lock:
// those go on.
template <class T> static inline T swap_if(T *a, T expected, T v) {
    if (!__atomic_compare_exchange_n(a, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        meet(TNI_YIELD, 0, 0, 0);
    return expected;
}
} // namespace tni

#define TNI_ATOMIC(name, type, made)                                                               \
    static inline type name(type *a, type v) {                                                     \
        return made;                                                                               \
    }                                                                                              \
    static inline type name##_block(type *a, type v) {                                             \
        return made;                                                                               \
    }                                                                                              \
    static inline type name##_system(type *a, type v) {                                            \
        return made;                                                                               \
    }
#define TNI_ATOMIC_SWAP(type)                                                                      \
    TNI_ATOMIC(atomicExch, type, __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST))                      \
    TNI_ATOMIC_CAS(type)
#define TNI_ATOMIC_CAS(type)                                                                       \
    static inline type atomicCAS(type *a, type expected, type v) {                                 \
        return tni::swap_if(a, expected, v);                                                       \
    }                                                                                              \
    static inline type atomicCAS_block(type *a, type expected, type v) {                           \
        return tni::swap_if(a, expected, v);                                                       \
    }                                                                                              \
    static inline type atomicCAS_system(type *a, type expected, type v) {                          \
        return tni::swap_if(a, expected, v);                                                       \
    }
#define TNI_ATOMIC_BITS(type)                                                                      \
    TNI_ATOMIC(atomicAnd, type, __atomic_fetch_and(a, v, __ATOMIC_RELAXED))                        \
    TNI_ATOMIC(atomicOr, type, __atomic_fetch_or(a, v, __ATOMIC_RELAXED))                          \
    TNI_ATOMIC(atomicXor, type, __atomic_fetch_xor(a, v, __ATOMIC_RELAXED))                        \
    TNI_ATOMIC(atomicMin, type, tni::change(a, [=](type x) { return x < v ? x : v; }))             \
    TNI_ATOMIC(atomicMax, type, tni::change(a, [=](type x) { return x > v ? x : v; }))
#define TNI_ATOMIC_SUM(type) TNI_ATOMIC(atomicAdd, type, __atomic_fetch_add(a, v, __ATOMIC_RELAXED))
#define TNI_ATOMIC_WORD(type)                                                                      \
    TNI_ATOMIC_SUM(type)                                                                           \
    TNI_ATOMIC(atomicSub, type, __atomic_fetch_sub(a, v, __ATOMIC_RELAXED))                        \
    TNI_ATOMIC_BITS(type)                                                                          \
    TNI_ATOMIC_SWAP(type)
TNI_ATOMIC_WORD(int)
TNI_ATOMIC_WORD(unsigned)
TNI_ATOMIC_BITS(long long)
TNI_ATOMIC_BITS(unsigned long long)
TNI_ATOMIC_SUM(unsigned long long)
TNI_ATOMIC_SWAP(unsigned long long)
TNI_ATOMIC(atomicAdd, float, tni::change(a, [=](float x) { return x + v; }))
TNI_ATOMIC(atomicAdd, double, tni::change(a, [=](double x) { return x + v; }))
TNI_ATOMIC(atomicExch, float, tni::change(a, [=](float) { return v; }))
TNI_ATOMIC(atomicInc, unsigned, tni::change(a, [=](unsigned x) { return x >= v ? 0u : x + 1; }))
TNI_ATOMIC(atomicDec, unsigned,
           tni::change(a, [=](unsigned x) { return x == 0 || x > v ? v : x - 1; }))
#undef TNI_ATOMIC_WORD
#undef TNI_ATOMIC_SUM
#undef TNI_ATOMIC_BITS
#undef TNI_ATOMIC_CAS
#undef TNI_ATOMIC_SWAP
#undef TNI_ATOMIC
static inline unsigned short atomicCAS(unsigned short *a, unsigned short expected,
                                       unsigned short v) {
    return tni::swap_if(a, expected, v);
}
