/* Our own functions of one type, and the loops over them. Included by maths.c once per type, with
 * these defined: T, S its suffix, SINGLE 1 for float, BITS the unsigned type of its size, MANTISSA
 * the stored bits of the mantissa, BIAS that of the exponent, SHIFT, and the constants of the
 * functions.
 *
 * Decides: which arguments a function of ours takes. Of others the C library computes the result,
 * as it would for every argument without us.
 * Algorithm: each argument has a key, an unsigned integer, which is above a bound for those that
 * ours does not take. A block is computed by ours; then, if its largest key is above the bound,
 * those by the C library, or by another of ours that takes all but NaN. A block that is its own
 * output is copied first. An argument's result depends on no other. */
#define OWN(name) TN_PASTE(TN_PASTE(own_##name, _), S)

INLINE BITS OWN(bits)(T a) {
    return TN_NAME(to_bits, S)(a);
}

INLINE T OWN(number)(BITS a) {
    return TN_NAME(from_bits, S)(a);
}

INLINE BITS OWN(size_bits)(T a) {
    return OWN(bits)(a) & ~((BITS)1 << (8 * sizeof(T) - 1));
}

/* a * b + c, rounded once where the level has an instruction for it. */
INLINE T OWN(madd)(T a, T b, T c) {
#if !IS_FUSED
    return a * b + c;
#elif SINGLE
    return __builtin_fmaf(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}
#define MADD(a, b, c) OWN(madd)(a, b, c)

enum { OWN(block) = 4096 / sizeof(T) };

#include "backend/host/loops/maths/arc.h"
#include "backend/host/loops/maths/exponential.h"
#include "backend/host/loops/maths/logarithm.h"
#include "backend/host/loops/maths/root.h"
#if SINGLE
#include "backend/host/loops/maths/period.h"
#endif
#if SINGLE || IS_FUSED
#include "backend/host/loops/maths/power.h"
#endif

/* A block that lies in order. The largest key tells whether ours takes all arguments. */
INLINE void OWN(run_block)(T *r, const T *a, int64_t count, T (*function)(T), BITS (*key)(T),
                           BITS largest, T (*any)(T), T (*precise)(T)) {
    BITS found = 0;
    T kept[OWN(block)];
    if (r == a) a = memcpy(kept, a, (size_t)count * sizeof(T));
    INDEPENDENT EACH {
        const BITS one = key(a[i]);
        found = one > found ? one : found;
        r[i] = function(a[i]);
    }
    if (any && found > largest) {
        INDEPENDENT EACH {
            const T other = any(a[i]);
            r[i] = key(a[i]) > largest ? other : r[i];
        }
        largest = OWN(bits)((T)TN_INFINITY);
    }
    for (int64_t i = 0; found > largest && i < count; i++)
        if (key(a[i]) > largest) r[i] = precise(a[i]);
}

/* `count` elements in order: those at `from`, or a copy of them. */
INLINE const T *OWN(in_order)(T *copy, const char *from, int64_t stride, int64_t count) {
    if (stride == sizeof(T)) return (const T *)from;
    EACH copy[i] = READ(T, from, stride);
    return copy;
}

INLINE void OWN(put)(char *to, const T *from, int64_t stride, int64_t count) {
    if (stride == sizeof(T))
        memcpy(to, from, (size_t)count * sizeof(T));
    else
        EACH AT(T, to, stride) = from[i];
}

INLINE void OWN(run)(ARGUMENTS, T (*function)(T), BITS (*key)(T), BITS largest, T (*any)(T),
                     T (*precise)(T)) {
    T inputs[OWN(block)], results[OWN(block)];
    const int64_t sa = strides[0], sr = strides[1];
    for (int64_t done = 0; done < count; done += OWN(block)) {
        const int64_t size = count - done < OWN(block) ? count - done : OWN(block);
        const char *from = args[0] + done * sa;
        char *to = args[1] + done * sr;
        const T *a = OWN(in_order)(inputs, from, sa, size);
        OWN(run_block)
        (sr == sizeof(T) ? (T *)to : results, a, size, function, key, largest, any, precise);
        if (sr != sizeof(T)) OWN(put)(to, results, sr, size);
    }
}

/* Two inputs: a result that is not finite is computed again. */
INLINE void OWN(run_block_2)(T *r, const T *a, const T *b, int64_t count, T (*function)(T, T),
                             T (*precise)(T, T)) {
    BITS found = 0;
    INDEPENDENT EACH {
        r[i] = function(a[i], b[i]);
        const BITS one = OWN(size_bits)(r[i]);
        found = one > found ? one : found;
    }
    for (int64_t i = 0; found > OWN(bits)(LARGEST) && i < count; i++)
        if (OWN(size_bits)(r[i]) > OWN(bits)(LARGEST)) r[i] = precise(a[i], b[i]);
}

INLINE void OWN(run_2)(ARGUMENTS, T (*function)(T, T), T (*precise)(T, T)) {
    T copy_a[OWN(block)], copy_b[OWN(block)], results[OWN(block)];
    const int64_t sa = strides[0], sb = strides[1], sr = strides[2];
    const int in_turn = sr == 0 || (args[2] == args[0] + sa && sa != 0); /* reduce, accumulate */
    const int64_t most = in_turn ? 1 : OWN(block);
    for (int64_t done = 0; done < count; done += most) {
        const int64_t size = count - done < most ? count - done : most;
        const T *a = OWN(in_order)(copy_a, args[0] + done * sa, sa, size);
        const T *b = OWN(in_order)(copy_b, args[1] + done * sb, sb, size);
        char *to = args[2] + done * sr;
        const int direct = sr == sizeof(T) && to != (const char *)a && to != (const char *)b;
        OWN(run_block_2)(direct ? (T *)to : results, a, b, size, function, precise);
        if (!direct) OWN(put)(to, results, sr, size);
    }
}

#define LOOP_2(operation, library)                                                                 \
    static void OWN(loop_##operation)(ARGUMENTS) {                                                 \
        OWN(run_2)(args, strides, count, OWN(operation), TN_NAME(library, S));                     \
    }
#define LOOP_WITH(any, operation, library, key_of_x, largest)                                      \
    INLINE BITS OWN(key_##operation)(T x) {                                                        \
        (void)x;                                                                                   \
        return key_of_x;                                                                           \
    }                                                                                              \
    static void OWN(loop_##operation)(ARGUMENTS) {                                                 \
        OWN(run)                                                                                   \
        (args, strides, count, OWN(operation), OWN(key_##operation), largest, any,                 \
         TN_NAME(library, S));                                                                     \
    }
#define LOOP(operation, library, key, largest) LOOP_WITH(NULL, operation, library, key, largest)
#define LOOP_EVERY(operation, library, key, largest)                                               \
    LOOP_WITH(OWN(any_##operation), operation, library, key, largest)
#if SINGLE || IS_FUSED
/* One exponent for all elements may be one of those that need no logarithm. */
static void OWN(loop_power)(ARGUMENTS) {
    const T exponent = strides[1] == 0 && count > 0 ? *(const T *)(const void *)args[1] : 0;
    if (exponent == 3)
        OWN(run_2)(args, strides, count, OWN(cube), TN_NAME(pow, S));
    else if (exponent == (T)1.5)
        OWN(run_2)(args, strides, count, OWN(three_halves), TN_NAME(pow, S));
    else
        OWN(run_2)(args, strides, count, OWN(power), TN_NAME(pow, S));
}
#endif
EACH_MATHS(LOOP, LOOP_2, LOOP_EVERY)
#if SINGLE
EACH_PERIODIC(LOOP)
#endif
#undef LOOP
#undef LOOP_2
#undef MADD
#undef OWN
