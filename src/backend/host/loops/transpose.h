/* Vectors of numbers in another order. The including file defines `vector`, LANES, VECTOR_BYTES and
 * TNI_T_BYTES. No guard: included once for each dtype. */
#if VECTOR_BYTES / TNI_T_BYTES == 16
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define BACK 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#elif VECTOR_BYTES / TNI_T_BYTES == 8
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define BACK 7, 6, 5, 4, 3, 2, 1, 0
#elif VECTOR_BYTES / TNI_T_BYTES == 4
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define BACK 3, 2, 1, 0
#else
#define LOW 0, 2
#define HIGH 1, 3
#define EVEN 0, 2
#define ODD 1, 3
#define BACK 1, 0
#endif
#define SHUFFLE(a, b, order) ((vector)__builtin_shufflevector(a, b, order))

#define INLINE static inline __attribute__((always_inline))

/* Exchanges rows and columns of LANES vectors. */
INLINE void transpose(vector *rows) {
    vector other[LANES];
#pragma GCC unroll 4
    for (int done = 1; done < LANES; done *= 2) {
#pragma GCC unroll 16
        for (int k = 0; k < LANES / 2; k++) {
            other[2 * k] = SHUFFLE(rows[k], rows[k + LANES / 2], LOW);
            other[2 * k + 1] = SHUFFLE(rows[k], rows[k + LANES / 2], HIGH);
        }
#pragma GCC unroll 16
        for (int k = 0; k < LANES; k++)
            rows[k] = other[k];
    }
}
