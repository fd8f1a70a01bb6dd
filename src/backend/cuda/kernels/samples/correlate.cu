/* output[i] = sum over k of array[i + k - lead] * window[k], of the k for which the array has
 * that element.
 *
 * The program defines Element, Element correlate_multiply(Element, Element),
 * correlate_add(Element, Element), BLOCK, OUTPUTS (of a thread) and CHUNK (taps at a time). A
 * block brings a chunk of the window, and what of the array lies beside it for all its outputs,
 * to shared memory. */
#define MACROS BLOCK, OUTPUTS, CHUNK

struct Params {
    const Element *array, *window;
    Element *output;
    tn_i64 count, length, taps, lead;
};

#define TILE (BLOCK * OUTPUTS)

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Element array[TILE + CHUNK], window[CHUNK];
    for (tn_i64 tile = blockIdx.x * (tn_i64)TILE; tile < p.count;
         tile += gridDim.x * (tn_i64)TILE) {
        Element sums[OUTPUTS];
#pragma unroll
        for (int r = 0; r < OUTPUTS; r++) sums[r] = Element();
        for (tn_i64 done = 0; done < p.taps; done += CHUNK) {
            const int taps = p.taps - done < CHUNK ? (int)(p.taps - done) : CHUNK;
            const tn_i64 base = tile + done - p.lead; /* of the array, that of output 0 and tap 0 */
            if (base + TILE + taps <= 0 || base >= p.length) continue;
            const bool is_inside = base >= 0 && base + TILE + taps <= p.length;
            __syncthreads();
            for (int k = threadIdx.x; k < TILE + taps; k += BLOCK)
                if (is_inside || (tn_u64)(base + k) < (tn_u64)p.length)
                    array[k] = p.array[base + k];
            for (int k = threadIdx.x; k < taps; k += BLOCK) window[k] = p.window[done + k];
            __syncthreads();
            Element some[OUTPUTS]; /* sums of chunks keep rounding errors small */
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++) some[r] = Element();
            if (is_inside) {
#pragma unroll 4
                for (int k = 0; k < taps; k++)
#pragma unroll
                    for (int r = 0; r < OUTPUTS; r++)
                        some[r] = correlate_add(
                            some[r],
                            correlate_multiply(array[r * BLOCK + threadIdx.x + k], window[k]));
            } else {
                for (int k = 0; k < taps; k++)
#pragma unroll
                    for (int r = 0; r < OUTPUTS; r++) {
                        const int at = r * BLOCK + (int)threadIdx.x + k;
                        if ((tn_u64)(base + at) < (tn_u64)p.length)
                            some[r] =
                                correlate_add(some[r], correlate_multiply(array[at], window[k]));
                    }
            }
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++) sums[r] = correlate_add(sums[r], some[r]);
        }
#pragma unroll
        for (int r = 0; r < OUTPUTS; r++) {
            const tn_i64 at = tile + r * BLOCK + threadIdx.x;
            if (at < p.count) p.output[at] = sums[r];
        }
    }
}
