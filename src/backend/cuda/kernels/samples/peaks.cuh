/* Walks from a peak by the 32 threads of a warp, which look at 32 values or at 32 parts of PART
 * values at a time. forms/samples.h has the rules. */
#ifndef PEAKS_CUH
#define PEAKS_CUH

#define PEAK_WARP 32
#define PEAK_ALL 0xffffffffu

struct PeakValues {
    const double *values, *lows, *highs;
    tn_i64 parts;
};

/* All threads of a warp have the same walk. */
struct PeakWalk {
    tn_i64 at, end; /* the next place, and where the walk ends at last (exclusive) */
    int step;       /* 1 or -1 */
    double level, low;
    tn_i64 base;
};

/* How many of the first `most` threads are good, up to the first that is not. */
__device__ __forceinline__ int peak_run(bool is_good, int most) {
    const unsigned bad = ~__ballot_sync(PEAK_ALL, is_good && (int)(threadIdx.x % PEAK_WARP) < most);
    return bad ? __ffs((int)bad) - 1 : PEAK_WARP;
}

/* The lowest value of the first `run` threads, if it is below `low`, and the first thread that has
 * it; else -1. */
__device__ __forceinline__ int peak_lowest(double value, int run, double &low) {
    const int lane = threadIdx.x % PEAK_WARP;
    if (!__ballot_sync(PEAK_ALL, lane < run && value < low)) return -1;
    double least = lane < run ? value : low;
#pragma unroll
    for (int half = PEAK_WARP / 2; half > 0; half /= 2) {
        const double other = __shfl_xor_sync(PEAK_ALL, least, half);
        least = other < least ? other : least;
    }
    low = least;
    return __ffs((int)__ballot_sync(PEAK_ALL, lane < run && value == least)) - 1;
}

/* Passes whole parts that the walk may pass. Gives the part that has the lowest value, if it is
 * below the walk's. */
template <bool SEEKS_LOWEST>
__device__ __forceinline__ tn_i64 peak_pass_parts(const PeakValues &of, PeakWalk &w) {
    const int lane = threadIdx.x % PEAK_WARP;
    tn_i64 low_part = -1;
    for (int run = PEAK_WARP; run == PEAK_WARP;) {
        const tn_i64 first = w.at / PART, part = first + w.step * lane;
        const tn_i64 whole = (w.end - w.at) * w.step / PART; /* parts before the end */
        const tn_i64 known = w.step > 0 ? of.parts - first : first < of.parts ? first + 1 : 0;
        const tn_i64 most = whole < known ? whole : known;
        double low = 0;
        bool is_passed = false;
        if (lane < most) {
            low = of.lows[part];
            is_passed = SEEKS_LOWEST ? of.highs[part] <= w.level : w.level < low;
        }
        run = peak_run(is_passed, most < PEAK_WARP ? (int)(most > 0 ? most : 0) : PEAK_WARP);
        if (SEEKS_LOWEST) {
            const int found = peak_lowest(low, run, w.low);
            if (found >= 0) low_part = first + w.step * found;
        }
        w.at += (tn_i64)w.step * run * PART;
    }
    return low_part;
}

/* Looks at values up to the next part's begin. Whether the walk goes on. */
template <bool SEEKS_LOWEST>
__device__ __forceinline__ bool peak_pass_values(const PeakValues &of, PeakWalk &w,
                                                 tn_i64 &low_part) {
    const int lane = threadIdx.x % PEAK_WARP;
    const tn_i64 inner = w.at % PART;
    tn_i64 due = w.step > 0 ? PART - inner : inner + 1; /* values of this part */
    if (due > (w.end - w.at) * w.step) due = (w.end - w.at) * w.step;
    while (due > 0) {
        const int most = due < PEAK_WARP ? (int)due : PEAK_WARP;
        double value = 0;
        bool is_passed = false;
        if (lane < most) {
            value = of.values[w.at + w.step * lane];
            is_passed = SEEKS_LOWEST ? value <= w.level : w.level < value;
        }
        const int run = peak_run(is_passed, most);
        if (SEEKS_LOWEST) {
            const int found = peak_lowest(value, run, w.low);
            if (found >= 0) {
                w.base = w.at + w.step * found;
                low_part = -1;
            }
        }
        w.at += w.step * run;
        due -= run;
        if (run < most) return false;
    }
    return w.at != w.end;
}

/* The first place in a part with the walk's lowest value. */
__device__ __forceinline__ tn_i64 peak_place(const PeakValues &of, const PeakWalk &w, tn_i64 part) {
    tn_i64 at = w.step > 0 ? part * PART : (part + 1) * PART - 1;
    for (int k = 0; k < PART / PEAK_WARP; k++, at += w.step * PEAK_WARP) {
        const double value = of.values[at + w.step * (int)(threadIdx.x % PEAK_WARP)];
        const unsigned found = __ballot_sync(PEAK_ALL, value == w.low);
        if (found) return at + w.step * (__ffs((int)found) - 1);
    }
    return at;
}

/* Walks while values are not above the level and finds the lowest, or while they are above it. */
template <bool SEEKS_LOWEST>
__device__ __forceinline__ void peak_walk(const PeakValues &of, PeakWalk &w) {
    const tn_i64 begin = w.step > 0 ? 0 : PART - 1;
    tn_i64 low_part = -1;
    if (w.at == w.end) return;
    for (bool goes_on = true; goes_on;) {
        if (w.at % PART == begin) {
            const tn_i64 found = peak_pass_parts<SEEKS_LOWEST>(of, w);
            if (found >= 0) low_part = found;
            if (w.at == w.end) break;
        }
        goes_on = peak_pass_values<SEEKS_LOWEST>(of, w, low_part);
    }
    if (SEEKS_LOWEST && low_part >= 0) w.base = peak_place(of, w, low_part);
}

#endif
