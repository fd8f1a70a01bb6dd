/* How far each peak stands out, and its bases; forms/samples.h has the rules. A warp a peak.
 *
 * The program defines BLOCK and PART, a multiple of 32. */
#define MACROS BLOCK, PART

#include "peaks.cuh"

struct Params {
    const double *values, *lows, *highs;
    const tn_i64 *peaks;
    double *prominences;
    tn_i64 *left, *right;
    tn_i64 count, parts, number, reach;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const PeakValues of = {p.values, p.lows, p.highs, p.parts};
    const tn_i64 warps = gridDim.x * (tn_i64)(BLOCK / PEAK_WARP);
    for (tn_i64 k = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / PEAK_WARP; k < p.number;
         k += warps) {
        const tn_i64 peak = p.peaks[k];
        double prominence = 0;
        tn_i64 left = peak, right = peak;
        if (peak >= 0 && peak < p.count) {
            const double top = p.values[peak];
            const tn_i64 first = peak > p.reach ? peak - p.reach : 0;
            const tn_i64 last = p.count - 1 - peak > p.reach ? peak + p.reach : p.count - 1;
            PeakWalk to_left = {peak, first - 1, -1, top, top, peak};
            PeakWalk to_right = {peak, last + 1, 1, top, top, peak};
            peak_walk<true>(of, to_left);
            peak_walk<true>(of, to_right);
            prominence = top - (to_left.low > to_right.low ? to_left.low : to_right.low);
            left = to_left.base;
            right = to_right.base;
        }
        if (threadIdx.x % PEAK_WARP == 0) {
            p.prominences[k] = prominence;
            p.left[k] = left;
            p.right[k] = right;
        }
    }
}
