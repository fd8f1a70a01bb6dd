/* The last place up to which all values equal the one at a place; forms/samples.h has the rules. A
 * warp a place.
 *
 * The program defines BLOCK, and PART for peaks.cuh. */
#define MACROS BLOCK, PART

#include "peaks.cuh"

struct Params {
    const double *values;
    const tn_i64 *places;
    tn_i64 *ends;
    tn_i64 count, number;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % PEAK_WARP;
    const tn_i64 warps = gridDim.x * (tn_i64)(BLOCK / PEAK_WARP);
    for (tn_i64 k = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / PEAK_WARP; k < p.number;
         k += warps) {
        tn_i64 at = p.places[k];
        if (at >= 0 && at < p.count) {
            const double level = p.values[at];
            for (int run = PEAK_WARP; run == PEAK_WARP; at += run) {
                const tn_i64 left = p.count - 1 - at;
                const int most = left < PEAK_WARP ? (int)left : PEAK_WARP;
                run = peak_run(lane < most && p.values[at + 1 + lane] == level, most);
            }
        }
        if (lane == 0) p.ends[k] = at;
    }
}
