/* The values at x of the line through the points (xp, fp); forms/samples.h has the rules.
 *
 * The program defines BLOCK and IS_COMPLEX. The arithmetic is NumPy's, which divides real
 * numbers and multiplies complex ones by an inverse. */
#define MACROS BLOCK, IS_COMPLEX

struct Params {
    const double *x, *xp, *fp;
    double *output;
    tn_i64 count, points, has_left, has_right;
    double left[2], right[2];
};

#define PARTS (1 + IS_COMPLEX)

__device__ __forceinline__ double line(double x, const double *xp, double low, double high) {
    const double width = xp[1] - xp[0];
    const double slope = IS_COMPLEX ? (high - low) * (1.0 / width) : (high - low) / width;
    double value = slope * (x - xp[0]) + low;
    if (value != value) {
        value = slope * (x - xp[1]) + high;
        if (value != value && low == high) value = low;
    }
    return value;
}

/* The value at x, below which `place` points lie or at. */
__device__ __forceinline__ double value_at(const Params &p, double x, tn_i64 place, int part) {
    const double *fp = p.fp + part;
    if (x != x) return p.points == 1 ? fp[0] : part ? 0.0 : x; /* as NumPy */
    if (place == 0 && !(x < p.xp[0]))                          /* the first point is NaN */
        return p.points == 1 ? fp[0] : line(x, p.xp, fp[0], fp[PARTS]);
    if (place == 0) return p.has_left ? p.left[part] : fp[0];
    const double *xp = p.xp + place - 1;
    const double low = fp[(place - 1) * PARTS];
    if (place == p.points) return xp[0] == x || !p.has_right ? low : p.right[part];
    if (xp[0] == x) return low;
    return line(x, xp, low, fp[place * PARTS]);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += gridDim.x * (tn_i64)BLOCK) {
        const double x = p.x[at];
        tn_i64 place = 0; /* how many points are not above x */
        for (tn_i64 left = p.points, half; left > 0; left -= half) {
            half = (left + 1) / 2;
            if (p.xp[place + half - 1] <= x) place += half;
        }
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            p.output[at * PARTS + part] = value_at(p, x, place, part);
    }
}
