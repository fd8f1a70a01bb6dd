// Atomic operations, across blocks: one word, compared and exchanged until nothing came in between.
namespace tni {
template <int bytes> struct word_of;
template <> struct word_of<1> { typedef unsigned char type; };
template <> struct word_of<2> { typedef unsigned short type; };
template <> struct word_of<4> { typedef unsigned type; };
template <> struct word_of<8> { typedef unsigned long long type; };

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
} // namespace tni

#define TNI_ATOMIC_INTEGER(type)                                                                   \
    static inline type atomicAdd(type *a, type v) {                                                \
        return __atomic_fetch_add(a, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    static inline type atomicSub(type *a, type v) {                                                \
        return __atomic_fetch_sub(a, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    static inline type atomicAnd(type *a, type v) {                                                \
        return __atomic_fetch_and(a, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    static inline type atomicOr(type *a, type v) {                                                 \
        return __atomic_fetch_or(a, v, __ATOMIC_RELAXED);                                          \
    }                                                                                              \
    static inline type atomicXor(type *a, type v) {                                                \
        return __atomic_fetch_xor(a, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    static inline type atomicMin(type *a, type v) {                                                \
        return tni::change(a, [=](type x) { return x < v ? x : v; });                              \
    }                                                                                              \
    static inline type atomicMax(type *a, type v) {                                                \
        return tni::change(a, [=](type x) { return x > v ? x : v; });                              \
    }                                                                                              \
    static inline type atomicExch(type *a, type v) {                                               \
        return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    static inline type atomicCAS(type *a, type expected, type v) {                                 \
        type found = expected;                                                                     \
        if (!__atomic_compare_exchange_n(a, &found, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
            tni::lost();                                                                           \
        return found;                                                                              \
    }
#define TNI_ATOMIC_REAL(type)                                                                      \
    static inline type atomicAdd(type *a, type v) {                                                \
        return tni::change(a, [=](type x) { return (type)(x + v); });                              \
    }                                                                                              \
    static inline type atomicSub(type *a, type v) {                                                \
        return tni::change(a, [=](type x) { return (type)(x - v); });                              \
    }                                                                                              \
    static inline type atomicMin(type *a, type v) {                                                \
        return tni::change(a, [=](type x) { return x < v ? x : v; });                              \
    }                                                                                              \
    static inline type atomicMax(type *a, type v) {                                                \
        return tni::change(a, [=](type x) { return x > v ? x : v; });                              \
    }                                                                                              \
    static inline type atomicExch(type *a, type v) {                                               \
        return tni::change(a, [=](type) { return v; });                                            \
    }
namespace tni {
// A thread that did not get what it tried for may wait for one of its own block, as for a lock:
// those go on.
static inline void lost() {
    meet(TNI_YIELD, 0, 0, 0);
}
} // namespace tni
TNI_ATOMIC_INTEGER(int)
TNI_ATOMIC_INTEGER(unsigned)
TNI_ATOMIC_INTEGER(long)
TNI_ATOMIC_INTEGER(unsigned long)
TNI_ATOMIC_INTEGER(long long)
TNI_ATOMIC_INTEGER(unsigned long long)
TNI_ATOMIC_REAL(float)
TNI_ATOMIC_REAL(double)
TNI_ATOMIC_REAL(half)
TNI_ATOMIC_REAL(nv_bfloat16)
#undef TNI_ATOMIC_INTEGER
#undef TNI_ATOMIC_REAL
static inline unsigned short atomicCAS(unsigned short *a, unsigned short expected,
                                       unsigned short v) {
    if (!__atomic_compare_exchange_n(a, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        tni::lost();
    return expected;
}
static inline unsigned atomicInc(unsigned *a, unsigned end) {
    return tni::change(a, [=](unsigned x) { return x >= end ? 0u : x + 1; });
}
static inline unsigned atomicDec(unsigned *a, unsigned end) {
    return tni::change(a, [=](unsigned x) { return x == 0 || x > end ? end : x - 1; });
}
#define TNI_ATOMIC_SCOPES(name)                                                                    \
    template <class T, class... V> static inline T name##_block(T *a, V... v) {                    \
        return name(a, (T)v...);                                                                   \
    }                                                                                              \
    template <class T, class... V> static inline T name##_system(T *a, V... v) {                   \
        return name(a, (T)v...);                                                                   \
    }
TNI_ATOMIC_SCOPES(atomicAdd)
TNI_ATOMIC_SCOPES(atomicSub) TNI_ATOMIC_SCOPES(atomicMin) TNI_ATOMIC_SCOPES(atomicMax)
    TNI_ATOMIC_SCOPES(atomicExch) TNI_ATOMIC_SCOPES(atomicCAS) TNI_ATOMIC_SCOPES(atomicAnd)
        TNI_ATOMIC_SCOPES(atomicOr) TNI_ATOMIC_SCOPES(atomicXor)
#undef TNI_ATOMIC_SCOPES
