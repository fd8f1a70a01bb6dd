/* Lines filtered at another rate: a thread an output. forms/signal.h has the sum.
 *
 * The program defines Value (float or double), BLOCK and WIDE_INDEX. */
#define MACROS BLOCK, WIDE_INDEX

struct Params {
    const Value *taps, *input;
    Value *output;
    tn_i64 outer, length, inner, count, tap_count, up, down, first;
};

#if WIDE_INDEX
#define Index tn_i64
#else
#define Index int
#endif

__device__ __forceinline__ float fused(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
    return __fma_rn(a, b, c);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const Index inner = (Index)p.inner, count = (Index)p.count, length = (Index)p.length;
    const Index up = (Index)p.up, outputs = (Index)(p.outer * p.count * p.inner);
    for (Index at = blockIdx.x * (Index)BLOCK + threadIdx.x; at < outputs;
         at += gridDim.x * (Index)BLOCK) {
        const Index row = at / inner, beside = at - row * inner, outer = row / count;
        const Index place = (Index)p.first + (row - outer * count) * (Index)p.down;
        const Index last = place / up, phase = place - last * up; /* of the line, of the taps */
        const Value *from = p.input + (outer * length * inner + beside);
        /* Terms from begin to before end: tap phase + k up times element last - k. */
        Index begin = last - (length - 1), end = ((Index)p.tap_count - phase + up - 1) / up;
        if (begin < 0) begin = 0;
        if (end > last + 1) end = last + 1;
        Value sums[2] = {0, 0};
        Index k = begin;
        for (; k + 4 <= end; k += 4)
#pragma unroll
            for (int i = 0; i < 4; i++)
                sums[i % 2] =
                    fused(p.taps[phase + (k + i) * up], from[(last - k - i) * inner], sums[i % 2]);
        for (; k < end; k++)
            sums[0] = fused(p.taps[phase + k * up], from[(last - k) * inner], sums[0]);
        p.output[at] = sums[0] + sums[1];
    }
}
