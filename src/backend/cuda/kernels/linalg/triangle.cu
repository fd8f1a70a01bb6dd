/* Zeros on one side of the diagonals of matrices that lie by columns, one after the other. The
 * program defines BLOCK, WORDS (of 4 bytes, of an element) and UPPER (which side is kept). */
#define MACROS BLOCK, WORDS, UPPER

struct Params {
    unsigned *a;
    tn_i64 count, m, n; /* count: elements of all matrices */
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 row = at % p.m, column = at / p.m % p.n;
        if (UPPER ? row <= column : row >= column) continue;
#pragma unroll
        for (int k = 0; k < WORDS; k++) p.a[at * WORDS + k] = 0;
    }
}
