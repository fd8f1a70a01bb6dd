/* How wide each peak is at a height; forms/samples.h has the rules. A warp a peak.
 *
 * The program defines BLOCK and PART, a multiple of 32. */
#define MACROS BLOCK, PART

#include "peaks.cuh"

struct Params {
    const double *values, *lows;
    const tn_i64 *peaks, *left, *right;
    const double *prominences;
    double *widths, *heights, *left_places, *right_places;
    tn_i64 count, parts, number;
    double relative;
};

/* Where a line between the value at `at` and the one before it on the walk, to the side `to`, has
 * the height. */
__device__ __forceinline__ double peak_crossing(const Params &p, tn_i64 at, int to, double height) {
    const double value = p.values[at];
    if (!(value < height) || at + to < 0 || at + to >= p.count) return (double)at;
    return (double)at + (double)to * ((height - value) / (p.values[at + to] - value));
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const PeakValues of = {p.values, p.lows, p.lows, p.parts};
    const tn_i64 warps = gridDim.x * (tn_i64)(BLOCK / PEAK_WARP);
    for (tn_i64 k = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / PEAK_WARP; k < p.number;
         k += warps) {
        const tn_i64 peak = p.peaks[k], first = p.left[k], last = p.right[k];
        double height = 0, left = 0, right = 0;
        if (first >= 0 && first <= peak && peak <= last && last < p.count) {
            height = p.values[peak] - p.prominences[k] * p.relative;
            PeakWalk to_left = {peak, first, -1, height, 0, peak};
            PeakWalk to_right = {peak, last, 1, height, 0, peak};
            peak_walk<false>(of, to_left);
            peak_walk<false>(of, to_right);
            left = peak_crossing(p, to_left.at, 1, height);
            right = peak_crossing(p, to_right.at, -1, height);
        }
        if (threadIdx.x % PEAK_WARP == 0) {
            p.heights[k] = height;
            p.left_places[k] = left;
            p.right_places[k] = right;
            p.widths[k] = right - left;
        }
    }
}
