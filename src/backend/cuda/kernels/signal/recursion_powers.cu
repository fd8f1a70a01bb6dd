/* Powers of the matrix by which a recursive filter's state goes on without input: of 2^first
 * elements, and of twice as many for each further level. recursion.cuh has the rest.
 *
 * One block. */
#define MACROS BLOCK, COMPLEX, TWOFOLD, SECTIONS, ORDER
#include "recursion.cuh"

struct Params {
    const Wide *coefficients;
    Number *powers; /* [levels][SIDE][SIDE] */
    tn_i64 first, levels;
};

/* The column of the matrix that one number of the state makes: what it is after one element. */
__device__ __forceinline__ void first_column(Number (*matrix)[SIDE], const Wide *coefficients,
                                             int column) {
    Filter f;
    State state;
    WideState wide;
    f.load(coefficients);
    for (int k = 0; k < SIDE; k++) wide.z[k].set(k == column ? 1 : 0);
    wide.get(state);
    state.step(f, Value());
    wide.set(state);
    for (int k = 0; k < SIDE; k++) matrix[k][column] = wide.z[k];
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Number matrices[2][SIDE][SIDE];
    int now = 0;
    if (threadIdx.x < SIDE) first_column(matrices[0], p.coefficients, threadIdx.x);
    __syncthreads();
    for (tn_i64 level = 0; level < p.first + p.levels; level++) {
        if (level >= p.first)
            for (int k = threadIdx.x; k < SIDE * SIDE; k += BLOCK)
                p.powers[(level - p.first) * SIDE * SIDE + k] = matrices[now][k / SIDE][k % SIDE];
        if (level + 1 == p.first + p.levels) break;
        for (int k = threadIdx.x; k < SIDE * SIDE; k += BLOCK) {
            Number sum;
            sum.set(0);
            for (int i = 0; i < SIDE; i++)
                sum.add(matrices[now][k / SIDE][i], matrices[now][i][k % SIDE]);
            matrices[1 - now][k / SIDE][k % SIDE] = sum;
        }
        now = 1 - now;
        __syncthreads();
    }
}
