/* Windows of any shape over any number of axes: a thread computes an element of the output.
 *
 * window.cuh says what a program defines; beside that
 *   NDIM, PLACED  the window has the places that a list names, else its whole box
 *   TABLE         how many places have room in shared memory, at least their number; 0: each is
 *                 made of its number when it is read
 *   WIRES         of the network, their number; 1: none. Then Working find_rank(Working (&)[WIRES])
 *   MASKED        where the mask is not set elements stay
 *   DIVIDED       sums are divided */
#define MACROS                                                                                     \
    BLOCK, WIDE_INDEX, NDIM, OP, VALUES, WEIGHTED, SYMMETRY, SKIPS, PLACED, TABLE, WIRES, MASKED,  \
        DIVIDED
#include "window.cuh"

struct Params {
    const char *input;
    char *output;
    const char *mask;
    const int *places;
    const Working *weights;
    tn_i64 total, count, rank;
    double beyond, divisor;
    Shape<NDIM, 3> shape; /* of the input, the output, the mask */
    tn_i64 sizes[NDIM], size[NDIM], low[NDIM], order[NDIM], edges[NDIM];
    WindowValues<Working, VALUES> values;
};

/* The places of the window. */
struct Places {
    const Params &p;
#if TABLE
    const int (*steps)[NDIM];
    const tn_i64 *offsets;
#endif

    __device__ __forceinline__ int step(int k, int axis) const {
#if TABLE
        return steps[k][axis];
#else
        const int place = PLACED ? p.places[k] : k;
        return place / (int)p.order[axis] % (int)p.size[axis];
#endif
    }
    __device__ __forceinline__ tn_i64 offset(int k) const {
#if TABLE
        return offsets[k];
#else
        tn_i64 bytes = 0;
#pragma unroll
        for (int axis = 0; axis < NDIM; axis++) bytes += step(k, axis) * p.shape.strides[0][axis];
        return bytes;
#endif
    }
};

/* The elements of one window. */
struct Window {
    const Params &p;
    const Places &places;
    tn_i64 at[NDIM]; /* of its first place */
    const char *from;
    bool is_inside;

    __device__ __forceinline__ Working operator()(int k) const {
        if (is_inside) return image_load(*(const Stored *)(from + places.offset(k)));
        const char *here = p.input;
        bool is_beyond = false;
#pragma unroll
        for (int axis = 0; axis < NDIM; axis++) {
            const tn_i64 index =
                edge_index(at[axis] + places.step(k, axis), p.sizes[axis], p.edges[axis]);
            is_beyond |= index < 0;
            here += index * p.shape.strides[0][axis];
        }
        return is_beyond ? (Working)p.beyond : image_load(*(const Stored *)here);
    }
};

__device__ __forceinline__ Working weight_at(const Params &p, int k) {
#if VALUES
    return p.values.at[k];
#elif WEIGHTED
    return p.weights[k];
#else
    return (Working)1;
#endif
}

#if OP == 0
__device__ __forceinline__ Working combine(const Params &p, const Window &window) {
    const int count = (int)p.count;
    Working sum = 0;
#if SYMMETRY
    sum = window(count / 2) * weight_at(p, count / 2);
    for (int k = 0; k < count / 2; k++) {
        const Working low = window(k), high = window(count - 1 - k);
        sum = add_product(SYMMETRY == 1 ? low + high : low - high, weight_at(p, k), sum);
    }
#else
    for (int k = 0; k < count; k++) {
        const Working weight = weight_at(p, k);
        if (SKIPS && !counts(weight)) continue;
        sum = VALUES || WEIGHTED ? add_product(window(k), weight, sum) : sum + window(k);
    }
#endif
    return DIVIDED ? sum / (Working)p.divisor : sum;
}
#elif OP == 1 || OP == 2
__device__ __forceinline__ Working weighted(const Params &p, const Window &window, int k) {
    if (!VALUES && !WEIGHTED) return window(k);
    return OP == 1 ? window(k) - weight_at(p, k) : window(k) + weight_at(p, k);
}
__device__ __forceinline__ Working combine(const Params &p, const Window &window) {
    Working best = weighted(p, window, 0);
    for (int k = 1; k < (int)p.count; k++) {
        const Working next = weighted(p, window, k);
        best = OP == 1 ? lesser(best, next) : larger(best, next);
    }
    return best;
}
#elif OP == 3
__device__ __forceinline__ Working combine(const Params &p, const Window &window) {
    Working wires[WIRES];
#pragma unroll
    for (int k = 0; k < WIRES; k++) wires[k] = window(k);
    return find_rank(wires);
}
#else
__device__ __forceinline__ Working combine(const Params &p, const Window &window) {
    return search_rank<Working>((int)p.count, (int)p.rank, window);
}
#endif

__device__ __forceinline__ void compute(const Params &p, const Places &places, Index number) {
    Window window = {p, places};
    tn_i64 offsets[3] = {0, 0, 0};
    window.is_inside = true;
#pragma unroll
    for (int axis = NDIM - 1; axis >= 0; axis--) {
        const Index next = axis ? divide(p.shape.axes[axis], number) : 0;
        const tn_i64 at = number - next * (Index)p.sizes[axis];
        number = next;
#pragma unroll
        for (int a = 0; a < 3; a++) offsets[a] += at * p.shape.strides[a][axis];
        window.at[axis] = at - p.low[axis];
        window.is_inside &= window.at[axis] >= 0 && window.at[axis] + p.size[axis] <= p.sizes[axis];
    }
    tn_i64 first = offsets[0];
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) first -= p.low[axis] * p.shape.strides[0][axis];
    window.from = p.input + first;
    const bool stays = MASKED && !p.mask[offsets[2]];
    const Working result =
        stays ? image_load(*(const Stored *)(p.input + offsets[0])) : combine(p, window);
    *(Result *)(p.output + offsets[1]) = image_store(result);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if TABLE
    __shared__ int steps[TABLE][NDIM];
    __shared__ tn_i64 offsets[TABLE];
    for (int k = threadIdx.x; k < (int)p.count; k += BLOCK) {
        const int place = PLACED ? p.places[k] : k;
        tn_i64 bytes = 0;
        for (int axis = 0; axis < NDIM; axis++) {
            steps[k][axis] = place / (int)p.order[axis] % (int)p.size[axis];
            bytes += steps[k][axis] * p.shape.strides[0][axis];
        }
        offsets[k] = bytes;
    }
    __syncthreads();
    const Places places = {p, steps, offsets};
#else
    const Places places = {p};
#endif
    for (Index at = blockIdx.x * (Index)BLOCK + threadIdx.x; at < (Index)p.total;
         at += (Index)gridDim.x * BLOCK)
        compute(p, places, at);
}
