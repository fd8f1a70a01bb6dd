/* Polynomials by their coefficients, the highest first, by Estrin's scheme: pairs, then pairs of
 * pairs. A processor waits for chains of operations more than for their number. MADD(a, b, c) is a
 * * b + c. */
#ifndef TNI_BACKEND_HOST_LOOPS_MATHS_POLYNOMIAL_H
#define TNI_BACKEND_HOST_LOOPS_MATHS_POLYNOMIAL_H

#define SQUARE_OF(z) ((z) * (z))
#define FOURTH_OF(z) (((z) * (z)) * ((z) * (z)))

#define POLY_2(z, b, a) MADD(b, z, a)
#define POLY_3(z, c, b, a) MADD(MADD(c, z, b), z, a)
#define POLY_4(z, d, c, b, a) MADD(SQUARE_OF(z), POLY_2(z, d, c), POLY_2(z, b, a))
#define POLY_5(z, e, d, c, b, a) MADD(SQUARE_OF(z), POLY_3(z, e, d, c), POLY_2(z, b, a))
#define POLY_6(z, f, e, d, c, b, a)                                                                \
    MADD(SQUARE_OF(z), MADD(SQUARE_OF(z), POLY_2(z, f, e), POLY_2(z, d, c)), POLY_2(z, b, a))
#define POLY_7(z, g, f, e, d, c, b, a) MADD(FOURTH_OF(z), POLY_3(z, g, f, e), POLY_4(z, d, c, b, a))
#define POLY_8(z, h, g, f, e, d, c, b, a)                                                          \
    MADD(FOURTH_OF(z), POLY_4(z, h, g, f, e), POLY_4(z, d, c, b, a))
#define POLY_9(z, i, h, g, f, e, d, c, b, a)                                                       \
    MADD(FOURTH_OF(z), POLY_5(z, i, h, g, f, e), POLY_4(z, d, c, b, a))
#define POLY_10(z, j, i, h, g, f, e, d, c, b, a)                                                   \
    MADD(FOURTH_OF(z), POLY_6(z, j, i, h, g, f, e), POLY_4(z, d, c, b, a))
#define POLY_11(z, k, j, i, h, g, f, e, d, c, b, a)                                                \
    MADD(FOURTH_OF(z), MADD(FOURTH_OF(z), POLY_3(z, k, j, i), POLY_4(z, h, g, f, e)),              \
         POLY_4(z, d, c, b, a))
#define POLY_12(z, l, k, j, i, h, g, f, e, d, c, b, a)                                             \
    MADD(FOURTH_OF(z), MADD(FOURTH_OF(z), POLY_4(z, l, k, j, i), POLY_4(z, h, g, f, e)),           \
         POLY_4(z, d, c, b, a))
#define POLY_13(z, m, l, k, j, i, h, g, f, e, d, c, b, a)                                          \
    MADD(FOURTH_OF(z), MADD(FOURTH_OF(z), POLY_5(z, m, l, k, j, i), POLY_4(z, h, g, f, e)),        \
         POLY_4(z, d, c, b, a))

#endif
