/* Sums over windows: output[i] = sum over k of array[i + k] * window[k].
 *
 * The program defines Element, Element windowed_multiply(Element, Element),
 * windowed_add(Element, Element), BLOCK, NDIM and OUTPUTS, which a thread has beside each other
 * along the last axis: it loads each element of the array once for all of them. */
#define MACROS BLOCK, NDIM, OUTPUTS

struct Params {
    const Element *array, *window;
    Element *output;
    tn_i64 shape[NDIM], window_shape[NDIM];
    tn_i64 rows, windows, pieces; /* of outputs, of the window, pieces of a row of outputs */
};

/* The place in the array of row `row` of the axes before the last, whose sizes are `sizes`. */
__device__ __forceinline__ tn_i64 place_of(const Params &p, tn_i64 row, bool is_output) {
    tn_i64 place = 0, step = p.shape[NDIM - 1];
#pragma unroll
    for (int axis = NDIM - 2; axis >= 0; axis--) {
        const tn_i64 window = p.window_shape[axis];
        const tn_i64 size = is_output ? p.shape[axis] - window + 1 : window;
        const tn_i64 rest = axis ? row / size : 0;
        place += (row - rest * size) * step;
        row = rest;
        step *= p.shape[axis];
    }
    return place;
}

/* OUTPUTS sums with a row of the window; `left` elements of the array are there. */
__device__ __forceinline__ void add_row(Element (&sums)[OUTPUTS], const Element *array,
                                        const Element *window, int taps, tn_i64 left) {
    Element near[OUTPUTS], some[OUTPUTS];
#pragma unroll
    for (int k = 0; k < OUTPUTS; k++) {
        some[k] = Element();
        near[k] = k < OUTPUTS - 1 && k < left ? array[k] : Element();
    }
    for (int k = 0; k < taps; k++) {
        const tn_i64 at = k + OUTPUTS - 1;
        near[OUTPUTS - 1] = at < left ? array[at] : Element();
        const Element by = window[k];
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            some[i] = windowed_add(some[i], windowed_multiply(near[i], by));
            if (i < OUTPUTS - 1) near[i] = near[i + 1];
        }
    }
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) sums[i] = windowed_add(sums[i], some[i]);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 length = p.shape[NDIM - 1], taps = p.window_shape[NDIM - 1];
    const tn_i64 width = length - taps + 1, jobs = p.rows * p.pieces;
    for (tn_i64 job = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; job < jobs;
         job += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 row = job / p.pieces, first = (job - row * p.pieces) * OUTPUTS;
        const Element *array = p.array + place_of(p, row, true) + first;
        Element sums[OUTPUTS];
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) sums[i] = Element();
        for (tn_i64 k = 0; k < p.windows; k++)
            add_row(sums, array + place_of(p, k, false), p.window + k * taps, (int)taps,
                    length - first);
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++)
            if (first + i < width) p.output[row * width + first + i] = sums[i];
    }
}
