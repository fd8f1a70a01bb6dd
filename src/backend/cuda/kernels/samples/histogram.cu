/* How many values fall into each bin, or the sum of their weights; forms/samples.h has the rules.
 *
 * The program defines Stored, Working, Working histogram_load(Stored), BLOCK, WEIGHTED 0 or 1,
 * HISTOGRAM_WAY: 0 integers are their own bins, 1 a guess that the edges mend, 2 a search in the
 * edges, and TABLE: how many bins a block counts in shared memory, in COPIES tables whose bins
 * lie beside each other (0: all blocks count in the result). Invariant: an earlier step cleared
 * the result. Limit: the order of additions is the machine's, so sums of weights may differ in
 * the last bits. */
#define MACROS BLOCK, HISTOGRAM_WAY, WEIGHTED, TABLE, COPIES
#if WEIGHTED
typedef double Total;
typedef double Counter;
#else
typedef tn_u64 Total;
typedef unsigned Counter;
#endif

struct Params {
    const char *values;
    const double *weights;
    const Working *edges;
    Total *result;
    tn_i64 count, stride, bins;
    double first, scale;
};

/* The bin of a value, or p.bins. */
__device__ __forceinline__ tn_i64 bin_of(const Params &p, Working value) {
#if HISTOGRAM_WAY == 0
    return (tn_u64)value < (tn_u64)p.bins ? (tn_i64)value : p.bins;
#else
    if (!(value >= p.edges[0] && value <= p.edges[p.bins])) return p.bins;
#if HISTOGRAM_WAY == 1
    const double guess = ((double)value - p.first) * p.scale;
    tn_i64 bin = !(guess > 0) ? 0 : guess < (double)(p.bins - 1) ? (tn_i64)guess : p.bins - 1;
    while (value < p.edges[bin]) bin--;
    while (bin + 1 < p.bins && value >= p.edges[bin + 1]) bin++;
    return bin;
#else
    tn_i64 place = 0; /* how many edges are not above */
    for (tn_i64 left = p.bins + 1, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        if (p.edges[place + half - 1] <= value) place += half;
    }
    return place > p.bins ? p.bins - 1 : place - 1;
#endif
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if TABLE
    __shared__ Counter table[TABLE * COPIES];
    for (int k = threadIdx.x; k < (int)p.bins * COPIES; k += BLOCK) table[k] = 0;
    __syncthreads();
#endif
    const tn_i64 step = gridDim.x * (tn_i64)BLOCK;
    for (tn_i64 first = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; first < p.count;
         first += 4 * step) {
        Stored some[4];
#if WEIGHTED
        double weights[4];
#endif
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const tn_i64 at = first + k * step < p.count ? first + k * step : first;
            some[k] = *(const Stored *)(p.values + at * p.stride);
#if WEIGHTED
            weights[k] = p.weights[at];
#endif
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (first + k * step >= p.count) break;
            const tn_i64 bin = bin_of(p, histogram_load(some[k]));
            if (bin >= p.bins) continue;
#if WEIGHTED
            const double one = weights[k];
#else
            const Counter one = 1;
#endif
#if TABLE
            atomicAdd(&table[(int)bin * COPIES + (int)(threadIdx.x % COPIES)], one);
#else
            atomicAdd(&p.result[bin], (Total)one);
#endif
        }
    }
#if TABLE
    __syncthreads();
    for (int bin = threadIdx.x; bin < (int)p.bins; bin += BLOCK) {
        Total sum = 0;
#pragma unroll
        for (int k = 0; k < COPIES; k++) sum += table[bin * COPIES + k];
        if (sum != 0) atomicAdd(&p.result[bin], sum);
    }
#endif
}
