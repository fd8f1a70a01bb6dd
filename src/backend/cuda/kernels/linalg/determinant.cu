/* Determinants from LU factors: LANES lanes for each matrix multiply the diagonal.
 *
 * A product is kept as mantissa times 2**exponent, so that it neither overflows nor vanishes. The
 * program defines BLOCK, COMPLEX, LANES (a power of two up to 32) and Real (float or double). */
#define MACROS BLOCK, COMPLEX, LANES

struct Params {
    const Real *lu;
    const tn_i64 *pivots;
    Real *sign, *logarithm; /* logarithm 0: the determinants go to `sign` */
    tn_i64 count, n;
};

struct Product {
    double real, imaginary;
    int exponent;
    int negative; /* real matrices: whether an odd number of factors is below 0 */
};

/* Moves the size of a product into its exponent; of zeros and of what is no number nothing. */
__device__ __forceinline__ void scale(Product &p) {
    const double size = fmax(fabs(p.real), COMPLEX ? fabs(p.imaginary) : 0.0);
    if (!(size > 0 && size < 1.7e308)) return;
    int exponent;
    frexp(size, &exponent);
    p.real = ldexp(p.real, -exponent);
    if (COMPLEX) p.imaginary = ldexp(p.imaginary, -exponent);
    p.exponent += exponent;
}

__device__ __forceinline__ void multiply(Product &p, const Product &q) {
    const double real = COMPLEX ? p.real * q.real - p.imaginary * q.imaginary : p.real * q.real;
    if (COMPLEX) p.imaginary = p.real * q.imaginary + p.imaginary * q.real;
    p.real = real;
    p.exponent += q.exponent;
    p.negative ^= q.negative;
    scale(p);
}

__device__ __forceinline__ Product factor(const Real *lu, tn_i64 at, bool is_exchanged) {
    Product f = {(double)lu[at * (1 + COMPLEX)], COMPLEX ? (double)lu[at * 2 + 1] : 0.0, 0, 0};
    if (is_exchanged) f.real = -f.real, f.imaginary = -f.imaginary;
    f.negative = f.real < 0 || (f.real != f.real && is_exchanged);
    scale(f);
    return f;
}

__device__ __forceinline__ void write(const Params &p, tn_i64 matrix, const Product &whole) {
    if (!p.logarithm) {
        p.sign[matrix * (1 + COMPLEX)] = (Real)ldexp(whole.real, whole.exponent);
        if (COMPLEX) p.sign[matrix * 2 + 1] = (Real)ldexp(whole.imaginary, whole.exponent);
        return;
    }
    const double size = COMPLEX ? hypot(whole.real, whole.imaginary) : fabs(whole.real);
    p.logarithm[matrix] = (Real)(log(size) + whole.exponent * 0.693147180559945309417);
    const double real = COMPLEX ? whole.real / size : whole.negative ? -1.0 : 1.0;
    p.sign[matrix * (1 + COMPLEX)] = size == 0 ? (Real)0 : (Real)real;
    if (COMPLEX) p.sign[matrix * 2 + 1] = size == 0 ? (Real)0 : (Real)(whole.imaginary / size);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % LANES;
    const unsigned lanes = LANES == 32 ? 0xffffffffu : (1u << (LANES % 32)) - 1;
    const unsigned mask = lanes << (threadIdx.x % 32 / LANES * LANES);
    const tn_i64 groups = (tn_i64)gridDim.x * (BLOCK / LANES);
    for (tn_i64 matrix = blockIdx.x * (tn_i64)(BLOCK / LANES) + threadIdx.x / LANES;
         matrix < p.count; matrix += groups) {
        const Real *lu = p.lu + matrix * p.n * p.n * (1 + COMPLEX);
        Product whole = {1.0, 0.0, 0, 0};
        for (tn_i64 k = lane; k < p.n; k += LANES)
            multiply(whole, factor(lu, k * (p.n + 1), p.pivots[matrix * p.n + k] != k + 1));
#pragma unroll
        for (int step = LANES / 2; step > 0; step /= 2) {
            Product other;
            other.real = __shfl_down_sync(mask, whole.real, step, LANES);
            other.imaginary = __shfl_down_sync(mask, whole.imaginary, step, LANES);
            other.exponent = __shfl_down_sync(mask, whole.exponent, step, LANES);
            other.negative = __shfl_down_sync(mask, whole.negative, step, LANES);
            multiply(whole, other);
        }
        if (lane == 0) write(p, matrix, whole);
    }
}
