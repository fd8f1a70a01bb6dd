/* Bodies for one integer type. Included by scalar.h once per type, with these defined:
 *   T type, S suffix, U the unsigned type of its size, W that type or unsigned int if it is wider,
 *   DIVIDES_AS (not for 64 bits) a float type that holds every T, DIVIDED an integer type for its
 *   quotients, BITS the width of T, BELOW_ZERO(a) (0 if unsigned), ONE_BY_ZERO NumPy's reciprocal
 *   of 0
 *
 * Invariant: wraps as NumPy does; no division by zero and no overflowing division is executed. */
#define FN(name) TN_NAME(name, S)

/* Sums and differences in W, too: device compilers take it that a signed one does not overflow, so
 * that a - 5 > 77 becomes a > 82. */
TN_FN T FN(add)(T a, T b) {
    return (T)((W)a + (W)b);
}

TN_FN T FN(subtract)(T a, T b) {
    return (T)((W)a - (W)b);
}

TN_FN T FN(negative)(T a) {
    return (T)(0 - (W)a);
}

TN_FN T FN(multiply)(T a, T b) {
    return (T)((W)a * (W)b); /* in W: the product of two u16 overflows the int they promote to */
}

TN_FN U FN(magnitude)(T a) {
    return (U)(BELOW_ZERO(a) ? 0 - (W)a : (W)a);
}

TN_FN T FN(absolute)(T a) {
    return (T)FN(magnitude)(a);
}

TN_FN T FN(sign)(T a) {
    return (T)(BELOW_ZERO(a) ? -1 : a != 0);
}

TN_FN T FN(reciprocal)(T a) {
    return (T)(a == 0 ? ONE_BY_ZERO : a == 1 || (BELOW_ZERO(a) && a == (T)-1) ? a : 0);
}

/* The quotient rounded towards zero; 0 for b == 0. Integers of up to 32 bits divide exactly as
 * floats with more bits, which a host does by vectors; the smallest by -1 wraps. */
TN_FN T FN(quotient)(T a, T b) {
#if defined(DIVIDES_AS) && !defined(TN_DEVICE)
    DIVIDES_AS exact = (DIVIDES_AS)a / (DIVIDES_AS)(b == 0 ? 1 : b);
    return (T)(b == 0 ? 0 : (DIVIDED)exact);
#else
    if (b == 0) return 0;
    return (T)(BELOW_ZERO(b) && b == (T)-1 ? 0 - (W)a : (W)(a / b));
#endif
}

TN_FN T FN(fmod)(T a, T b) {
    return (T)(b == 0 ? 0 : (W)a - (W)FN(quotient)(a, b) * (W)b);
}

TN_FN T FN(floor_divide)(T a, T b) {
    T quotient = FN(quotient)(a, b);
    int inexact = (T)((W)quotient * (W)b) != a && b != 0;
    return (T)(quotient - (inexact && BELOW_ZERO(a) != BELOW_ZERO(b)));
}

TN_FN T FN(remainder)(T a, T b) {
    T rest = FN(fmod)(a, b);
    return (T)(rest != 0 && BELOW_ZERO(rest) != BELOW_ZERO(b) ? (W)rest + (W)b : (W)rest);
}

/* By repeated squaring. The caller has refused negative exponents; they give 1 here. */
TN_FN T FN(power)(T a, T b) {
    W square = (W)a;
    U rest = (U)(BELOW_ZERO(b) ? 0 : b);
    W result = rest & 1 ? square : 1;
    for (rest = (U)(rest >> 1); rest != 0; rest = (U)(rest >> 1)) {
        square *= square;
        if (rest & 1) result *= square;
    }
    return (T)result;
}

/* Euclid's algorithm. */
TN_FN U TN_LOCAL(gcd_of_magnitudes, S)(U a, U b) {
    while (a != 0) {
        U rest = (U)(b % a);
        b = a;
        a = rest;
    }
    return b;
}

TN_FN T FN(gcd)(T a, T b) {
    return (T)TN_LOCAL(gcd_of_magnitudes, S)(FN(magnitude)(a), FN(magnitude)(b));
}

TN_FN T FN(lcm)(T a, T b) {
    U x = FN(magnitude)(a), y = FN(magnitude)(b), divisor = TN_LOCAL(gcd_of_magnitudes, S)(x, y);
    return (T)(divisor == 0 ? 0 : (W)(x / divisor) * (W)y);
}

/* Shifts by the width or more, or by a negative count, shift everything out. */
TN_FN T FN(left_shift)(T a, T b) {
    return (T)((U)b < BITS ? (W)a << ((U)b % BITS) : 0);
}

TN_FN T FN(right_shift)(T a, T b) {
    return (T)((U)b < BITS ? a >> ((U)b % BITS) : BELOW_ZERO(a) ? -1 : 0);
}

/* Adds neighbouring groups of bits, then sums the bytes by a multiplication. */
TN_FN tn_u8 FN(bitwise_count)(T a) {
    const U ones = (U) ~(U)0;
    U x = FN(magnitude)(a);
    x = (U)(x - ((x >> 1) & (ones / 3)));
    x = (U)((x & (ones / 5)) + ((x >> 2) & (ones / 5)));
    x = (U)((x + (x >> 4)) & (ones / 17));
    return (tn_u8)((U)((W)x * (W)(ones / 255)) >> (BITS - 8));
}

TN_FN T FN(clip)(T a, T low, T high) {
    T raised = a < low ? low : a;
    return raised > high ? high : raised;
}

#undef FN
#undef T
#undef S
#undef U
#undef W
#undef BITS
#undef BELOW_ZERO
#undef ONE_BY_ZERO
#undef DIVIDES_AS
#undef DIVIDED
