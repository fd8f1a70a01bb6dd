/* Distances along another axis: each element takes the value of the site on its line whose curve is
 * lowest there.
 *
 * The program defines what distance.cuh asks for, BLOCK, LANES: how many lines side by side a block
 * has, and LENGTH: for how many elements of each there is shared memory (0: the lines are in memory
 * of the launch).
 * Algorithm: the first lowest site moves on from left to right as elements do, since a site that is
 * strictly lower than one before it stays so to the right. So the site of an element lies between
 * those of elements before and after it that are known: halves, quarters, ... are found by all
 * threads, for each power of two in about as many steps as a line has elements (monotone searching,
 * Aggarwal et al. 1987). A thread's share does not depend on what the image shows, as it would with
 * an envelope for each line. */
#define MACROS BLOCK, LANES, LENGTH, METRIC, NONE, NDIM, IS_LAST
#include "distance.cuh"

enum { TEAM = BLOCK / LANES }; /* the threads of a line */

struct Params {
    double *values;
    int *indices;       /* NULL: not wanted */
    double *room;       /* of LANES lines a block, where LENGTH is 0 */
    int *sites;         /* the same */
    tn_i64 tiles, side; /* tiles of LANES lines, and those of one index of the axes before */
    tn_i64 length, inner, axis, elements;
    double sampling;
    tn_i64 shape[NDIM];
    double samplings[NDIM];
};

/* A block's lines, one after the other. */
struct Lines {
    double *values;
    int *sites;
};

/* The first of the lowest sites at x among [low, high], for all threads of a group of `size`. */
__device__ __forceinline__ int lowest(const double *values, int x, int low, int high, int size,
                                      double sampling) {
    double least = INFINITE;
    int found = low;
    for (int site = low + (int)threadIdx.x % size; site <= high; site += size) {
        const double value = value_at(x, site, values[site], sampling);
        if (value < least) {
            least = value;
            found = site;
        }
    }
    for (int by = size / 2; by > 0; by /= 2) {
        const double other = __shfl_xor_sync(0xffffffffu, least, by);
        const int other_found = __shfl_xor_sync(0xffffffffu, found, by);
        if (other < least || (other == least && other_found < found)) {
            least = other;
            found = other_found;
        }
    }
    return found;
}

/* Finds the sites of all elements of the team's line. */
__device__ __forceinline__ void find_sites(const Params &p, const Lines &lines) {
    const int length = (int)p.length, member = threadIdx.x % TEAM;
    const double *values = lines.values + threadIdx.x / TEAM * p.length;
    int *sites = lines.sites + threadIdx.x / TEAM * p.length;
    int step = 1;
    while (step < length) step *= 2;
    const int first = lowest(values, 0, 0, length - 1, 32, p.sampling);
    if (member == 0) sites[0] = first;
    __syncthreads();
    for (step /= 2; step > 0; step /= 2) {
        const int count = (length - step + 2 * step - 1) / (2 * step);
        int size = 32;
        while (size > 1 && (TEAM / size) < count) size /= 2;
        for (int done = 0; done < count; done += TEAM / size) {
            const int which = done + member / size, x = step * (2 * which + 1);
            const bool is_in = which < count;
            const int low = is_in ? sites[x - step] : 0;
            const int high = !is_in ? -1 : x + step < length ? sites[x + step] : length - 1;
            const int found = lowest(values, x, low, high, size, p.sampling);
            if (is_in && member % size == 0) sites[x] = found;
        }
        __syncthreads();
    }
}

/* Replaces the indices along the axes before and gives those along this one. */
__device__ __forceinline__ void take_indices(const Params &p, const Lines &lines, tn_i64 base,
                                             int side_by_side) {
    const int count = (int)p.length * LANES;
    int *taken = (int *)lines.values; /* which are written already */
    for (int axis = 0; axis < (int)p.axis; axis++) {
        int *indices = p.indices + axis * p.elements + base;
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += BLOCK) {
            const int lane = k % LANES, place = lane * (int)p.length + k / LANES;
            if (lane < side_by_side) taken[place] = indices[lines.sites[place] * p.inner + lane];
        }
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += BLOCK) {
            const int lane = k % LANES, place = lane * (int)p.length + k / LANES;
            if (lane < side_by_side) indices[k / LANES * p.inner + lane] = taken[place];
        }
    }
    int *own = p.indices + p.axis * p.elements + base;
    for (int k = threadIdx.x; k < count; k += BLOCK) {
        const int lane = k % LANES, place = lane * (int)p.length + k / LANES;
        if (lane < side_by_side) own[k / LANES * p.inner + lane] = lines.sites[place];
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if LENGTH
    __shared__ double room[LENGTH * LANES];
    __shared__ int sites[LENGTH * LANES];
    const Lines lines = {room, sites};
#else
    const Lines lines = {p.room + blockIdx.x * p.length * LANES,
                         p.sites + blockIdx.x * p.length * LANES};
#endif
    const int count = (int)p.length * LANES;
    for (tn_i64 tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const tn_i64 outer = tile / p.side, column = (tile - outer * p.side) * LANES;
        const tn_i64 base = outer * p.length * p.inner + column, left = p.inner - column;
        const int side_by_side = (int)(left < LANES ? left : LANES);
        for (int k = threadIdx.x; k < count; k += BLOCK) {
            const int lane = k % LANES;
            lines.values[lane * p.length + k / LANES] =
                lane < side_by_side ? p.values[base + k / LANES * p.inner + lane] : INFINITE;
        }
        __syncthreads();
        find_sites(p, lines);
        /* Sites are infinite where no element of the image is 0, as far as the axes so far go. */
        bool is_none = false;
        for (int k = threadIdx.x; k < count; k += BLOCK) {
            const int lane = k % LANES, x = k / LANES, site = lines.sites[lane * p.length + x];
            const double value = lines.values[lane * p.length + site];
            const tn_i64 at = base + x * p.inner + lane;
            if (lane >= side_by_side) continue;
            is_none = is_none || value == INFINITE;
            if (!IS_LAST || value != INFINITE)
                p.values[at] = finished(value_at(x, site, value, p.sampling));
        }
        if (p.indices) take_indices(p, lines, base, side_by_side);
        __syncthreads();
#if IS_LAST
        for (int k = is_none ? threadIdx.x : count; k < count; k += BLOCK) {
            const tn_i64 at = base + k / LANES * p.inner + k % LANES;
            if (k % LANES < side_by_side)
                p.values[at] = measure_none(p.shape, p.samplings, at, p.indices, p.elements);
        }
#endif
    }
}
