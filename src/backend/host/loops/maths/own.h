/* Our own functions of one type, and the loops over them. Included by maths.c once per type, with these
 * defined: T, S its suffix, SINGLE 1 for float, BITS the unsigned type of its size, MANTISSA the stored bits of
 * the mantissa, BIAS that of the exponent, SHIFT, and the constants of the functions.
 *
 * Decides: which arguments a function of ours takes. Of all others the C library computes the result, as it
 * would for every argument without us.
 * Algorithm: each argument has a key, an unsigned integer, which is above a bound for those that ours does not
 * take. A block is computed by ours; then, if its largest key is above the bound, those by the C library.
 * A block that is its own output is copied first. An argument's result depends on no other. */
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
#if !defined(__FMA__) && !defined(__aarch64__)
    return a * b + c;
#elif SINGLE
    return __builtin_fmaf(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}
#define MADD(a, b, c) OWN(madd)(a, b, c)

#include "backend/host/loops/maths/arc.h"
#include "backend/host/loops/maths/exponential.h"
#include "backend/host/loops/maths/logarithm.h"
#include "backend/host/loops/maths/root.h"

/* A block that lies in order. The largest key tells whether ours takes all arguments. */
INLINE void OWN(run_block)(T *r, const T *a, int64_t count, T (*function)(T), BITS (*key)(T),
                           BITS largest, T (*precise)(T)) {
    BITS found = 0;
    T kept[MATHS_BLOCK];
    if (r == a) a = memcpy(kept, a, (size_t)count * sizeof(T));
    INDEPENDENT EACH {
        const BITS one = key(a[i]);
        found = one > found ? one : found;
        r[i] = function(a[i]);
    }
    for (int64_t i = 0; found > largest && i < count; i++)
        if (key(a[i]) > largest) r[i] = precise(a[i]);
}

INLINE void OWN(run)(ARGUMENTS, T (*function)(T), BITS (*key)(T), BITS largest,
                     T (*precise)(T)) {
    T inputs[MATHS_BLOCK], results[MATHS_BLOCK];
    const int64_t sa = strides[0], sr = strides[1];
    for (int64_t done = 0; done < count; done += MATHS_BLOCK) {
        const int64_t size = count - done < MATHS_BLOCK ? count - done : MATHS_BLOCK;
        const char *from = args[0] + done * sa;
        char *to = args[1] + done * sr;
        if (sa != sizeof(T))
            for (int64_t i = 0; i < size; i++)
                inputs[i] = READ(T, from, sa);
        OWN(run_block)(sr == sizeof(T) ? (T *)to : results, sa == sizeof(T) ? (const T *)from : inputs,
                       size, function, key, largest, precise);
        if (sr != sizeof(T))
            for (int64_t i = 0; i < size; i++)
                AT(T, to, sr) = results[i];
    }
}

#define LOOP(operation, library, key_of_x, largest)                                                \
    INLINE BITS OWN(key_##operation)(T x) {                                                        \
        (void)x;                                                                                   \
        return key_of_x;                                                                           \
    }                                                                                              \
    static void OWN(loop_##operation)(ARGUMENTS) {                                                 \
        OWN(run)(args, strides, count, OWN(operation), OWN(key_##operation), largest,              \
                 TN_NAME(library, S));                                                             \
    }
EACH_MATHS(LOOP)
#undef LOOP
#undef MADD
#undef OWN
