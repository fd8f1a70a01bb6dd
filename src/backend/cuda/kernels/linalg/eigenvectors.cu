/* Complex eigenvectors of real matrices from LAPACK's packed ones. Of two conjugate eigenvalues
 * side by side the first has an imaginary part above 0, and the two columns are the real and the
 * imaginary part of its vector. The program defines BLOCK and Real. */
#define MACROS BLOCK

struct Params {
    const Real *packed, *w; /* w: real and imaginary parts in turn */
    Real *vectors;
    tn_i64 count, n; /* count: elements of all matrices */
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 vector = at / p.n;
        const Real imaginary = p.w[vector * 2 + 1];
        const bool is_first = imaginary > 0 && vector % p.n + 1 < p.n;
        const bool is_second = imaginary < 0 && vector % p.n > 0;
        p.vectors[at * 2] = p.packed[is_second ? at - p.n : at];
        p.vectors[at * 2 + 1] = is_first ? p.packed[at + p.n] : is_second ? -p.packed[at] : (Real)0;
    }
}
