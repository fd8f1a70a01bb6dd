/* Powers of the matrix by which a recursive filter's state goes on without input: of 2^first
 * elements, and of twice as many for each further level. recursion.cuh has the rest.
 *
 * One block. The matrix is squared in numbers of two doubles (Dekker, A floating-point technique
 * for extending the available precision, 1971), since poles near 1 make its powers large and
 * differences of them small. Complex numbers are pairs of rows and columns. */
#define MACROS BLOCK, COMPLEX, SECTIONS, ORDER
#include "recursion.cuh"

#define SIDE (STATES * (1 + COMPLEX))

struct Params {
    const Wide *coefficients;
    Wide *powers; /* [levels][STATES][STATES] */
    tn_i64 first, levels;
};

struct Twofold {
    double high, low;
};

/* sum + a b */
__device__ __forceinline__ Twofold twofold_add(Twofold sum, Twofold a, Twofold b) {
    const double product = a.high * b.high;
    double rest = __fma_rn(a.high, b.high, -product);
    rest = __fma_rn(a.high, b.low, __fma_rn(a.low, b.high, rest));
    const double high = sum.high + product, part = high - sum.high;
    rest += (sum.high - (high - part)) + (product - part) + sum.low;
    sum.high = high + rest;
    sum.low = rest - (sum.high - high);
    return sum;
}

/* The column of the matrix that one number of the state makes: what it is after one element. */
__device__ __forceinline__ void first_column(Twofold (*matrix)[SIDE], const Wide *coefficients,
                                             int column) {
    Filter f;
    State state;
    WideState wide;
    f.load(coefficients);
    for (int k = 0; k < STATES; k++) {
        Value one = Value();
#if COMPLEX
        if (k == column) one.re = 1;
#else
        if (k == column) one = 1;
#endif
        state.z[k] = one;
    }
    state.step(f, Value());
    for (int k = 0; k < STATES; k++) {
        convert(wide.z[k], state.z[k]);
#if COMPLEX
        const double re = wide.z[k].re, im = wide.z[k].im;
        matrix[2 * k][2 * column] = Twofold{re, 0};
        matrix[2 * k][2 * column + 1] = Twofold{-im, 0};
        matrix[2 * k + 1][2 * column] = Twofold{im, 0};
        matrix[2 * k + 1][2 * column + 1] = Twofold{re, 0};
#else
        matrix[k][column] = Twofold{wide.z[k], 0};
#endif
    }
}

__device__ __forceinline__ void give(Wide *powers, const Twofold (*matrix)[SIDE]) {
    for (int k = threadIdx.x; k < STATES * STATES; k += BLOCK) {
        const int row = k / STATES, column = k % STATES;
#if COMPLEX
        powers[k].re = matrix[2 * row][2 * column].high;
        powers[k].im = matrix[2 * row + 1][2 * column].high;
#else
        powers[k] = matrix[row][column].high;
#endif
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Twofold matrices[2][SIDE][SIDE];
    int now = 0;
    if (threadIdx.x < STATES) first_column(matrices[0], p.coefficients, threadIdx.x);
    __syncthreads();
    for (tn_i64 level = 0; level < p.first + p.levels; level++) {
        if (level >= p.first) give(p.powers + (level - p.first) * STATES * STATES, matrices[now]);
        if (level + 1 == p.first + p.levels) break;
        for (int k = threadIdx.x; k < SIDE * SIDE; k += BLOCK) {
            Twofold sum = {0, 0};
            for (int i = 0; i < SIDE; i++)
                sum = twofold_add(sum, matrices[now][k / SIDE][i], matrices[now][i][k % SIDE]);
            matrices[1 - now][k / SIDE][k % SIDE] = sum;
        }
        now = 1 - now;
        __syncthreads();
    }
}
