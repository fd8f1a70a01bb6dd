/* Convolutions as one product of matrices for each group, whose right side is gathered:
 *
 *     result[row, column] = sum over k of a[row, k] * b[k, column]
 *
 * `a` and the result lie as they are. b is read at the place that k and the column give together:
 * along each axis the sum of what both say, divided by `steps` where DIVIDES (and not there, unless
 * that is whole); it is 0 outside of b. forms/neural/convolve.c says what rows, columns and k are.
 *
 * WAY 0: tiles of the result, of which threads hold 4 x 4. 1: a thread an element, for few rows.
 * 2: a block an element, for few elements of long sums. 3: elements from the sums of WAY 0, which
 * are in `parts` of k where PARTS. Every sum is taken in one order.
 *
 * The program defines Stored, Working, load_working(Stored) and save_working(Working). */
#define MACROS WAY, BLOCK, NDIM, DIVIDES, PARTS, WIDE_INDEX

struct Params {
    const char *a, *b;
    char *result;
    Working *sums; /* [part][group][row][column] */
    tn_i64 groups, rows, columns, depth, parts;
    tn_i64 a_group, a_row, b_group, result_group, result_row; /* in bytes, as all that follows */
    /* A number k or a column as an outer one and one for each axis; what they add to the place, the
     * address in b and (`k_other`) that in a or (`column_other`) in the result. */
    tn_i64 k_sizes[NDIM], k_factors[NDIM], k_firsts[NDIM], k_strides[NDIM], k_b, k_other;
    tn_i64 column_sizes[NDIM], column_factors[NDIM], column_firsts[NDIM], column_strides[NDIM];
    tn_i64 column_b, column_other;
    tn_i64 b_sizes[NDIM], b_strides[NDIM], b_steps[NDIM];
    double alpha, beta;
};

#if WIDE_INDEX
#define Index tn_i64
#else
#define Index int
#endif

struct Place {
    tn_i64 b, other;
    Index at[NDIM];
};

#define PLACE_OF(name)                                                                             \
    __device__ __forceinline__ Place name##_place(const Params &p, Index number) {                 \
        Place place;                                                                               \
        place.other = 0;                                                                           \
        _Pragma("unroll") for (int axis = NDIM - 1; axis >= 0; axis--) {                           \
            const Index size = (Index)p.name##_sizes[axis], rest = number / size;                  \
            const Index at = number - rest * size;                                                 \
            place.at[axis] = at * (Index)p.name##_factors[axis] + (Index)p.name##_firsts[axis];    \
            place.other += at * p.name##_strides[axis];                                            \
            number = rest;                                                                         \
        }                                                                                          \
        place.b = number * p.name##_b;                                                             \
        place.other += number * p.name##_other;                                                    \
        return place;                                                                              \
    }
PLACE_OF(k)
PLACE_OF(column)

__device__ __forceinline__ float fused(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
    return __fma_rn(a, b, c);
}

__device__ __forceinline__ Working load_a(const char *a, const Place &k) {
    return load_working(*(const Stored *)(a + k.other));
}

__device__ __forceinline__ Working load_b(const Params &p, const char *b, const Place &k,
                                          const Place &column) {
    tn_i64 offset = k.b + column.b;
    bool is_inside = true;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) {
        Index at = k.at[axis] + column.at[axis];
        is_inside &= at >= 0;
#if DIVIDES
        const Index step = (Index)p.b_steps[axis], whole = at / step;
        is_inside &= whole * step == at;
        at = whole;
#endif
        is_inside &= at < (Index)p.b_sizes[axis];
        offset += at * p.b_strides[axis];
    }
    return is_inside ? load_working(*(const Stored *)(b + offset)) : (Working)0;
}

__device__ __forceinline__ void store(const Params &p, char *to, Working sum) {
    Stored *at = (Stored *)to;
    Working value = (Working)p.alpha * sum;
    if (p.beta != 0) value = fused((Working)p.beta, load_working(*at), value);
    *at = save_working(value);
}

#if WAY == 0

#define TILE 64
#define DEPTH 16
#define EACH 4

__device__ __forceinline__ void add_tile(const Params &p, Working (&sums)[EACH][EACH], tn_i64 group,
                                         Index row0, Index column0, tn_i64 begin, tn_i64 end) {
    __shared__ Working a_tile[DEPTH][TILE + 1], b_tile[DEPTH][TILE];
    __shared__ Place k_places[DEPTH];
    const char *a = p.a + group * p.a_group, *b = p.b + group * p.b_group;
    const Index column = column0 + threadIdx.x % TILE;
    const bool has_column = column < (Index)p.columns;
    const Place own = column_place(p, has_column ? column : 0);
    const int x = threadIdx.x % (TILE / EACH), y = threadIdx.x / (TILE / EACH);
    for (tn_i64 k0 = begin; k0 < end; k0 += DEPTH) {
        __syncthreads();
        if (threadIdx.x < DEPTH && k0 + threadIdx.x < end)
            k_places[threadIdx.x] = k_place(p, (Index)(k0 + threadIdx.x));
        __syncthreads();
        for (int i = threadIdx.x; i < DEPTH * TILE; i += BLOCK) {
            const int k = i % DEPTH, row = i / DEPTH;
            const bool is_there = k0 + k < end && row0 + row < (Index)p.rows;
            a_tile[k][row] =
                is_there ? load_a(a + (row0 + row) * p.a_row, k_places[k]) : (Working)0;
        }
        for (int i = threadIdx.x; i < DEPTH * TILE; i += BLOCK) {
            const int k = i / TILE;
            b_tile[k][i % TILE] =
                has_column && k0 + k < end ? load_b(p, b, k_places[k], own) : (Working)0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            Working left[EACH], right[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                left[i] = a_tile[k][y * EACH + i];
                right[i] = b_tile[k][x + i * (TILE / EACH)];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) sums[i][j] = fused(left[i], right[j], sums[i][j]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 across = (p.columns + TILE - 1) / TILE, down = (p.rows + TILE - 1) / TILE;
    const tn_i64 tiles = across * down * p.groups * p.parts;
    const int x = threadIdx.x % (TILE / EACH), y = threadIdx.x / (TILE / EACH);
    for (tn_i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const tn_i64 above = tile / across, outer = above / down;
        const tn_i64 group = outer % p.groups, part = outer / p.groups;
        const Index column0 = (Index)((tile - above * across) * TILE);
        const Index row0 = (Index)((above - outer * down) * TILE);
        Working sums[EACH][EACH];
#pragma unroll
        for (int i = 0; i < EACH * EACH; i++) sums[i / EACH][i % EACH] = 0;
        add_tile(p, sums, group, row0, column0, part * p.depth / p.parts,
                 (part + 1) * p.depth / p.parts);
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const Index column = column0 + x + j * (TILE / EACH);
            if (column >= (Index)p.columns) continue;
            const Place place = column_place(p, column);
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                const Index row = row0 + y * EACH + i;
                if (row >= (Index)p.rows) continue;
#if PARTS
                p.sums[(outer * p.rows + row) * p.columns + column] = sums[i][j];
#else
                store(p, p.result + group * p.result_group + row * p.result_row + place.other,
                      sums[i][j]);
#endif
            }
        }
    }
}

#elif WAY == 1

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Place k_places[BLOCK];
    const tn_i64 count = p.groups * p.rows * p.columns;
    for (tn_i64 first = blockIdx.x * (tn_i64)BLOCK; first < count;
         first += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 element = first + threadIdx.x, safe = element < count ? element : 0;
        const tn_i64 line = safe / p.columns, group = line / p.rows, row = line - group * p.rows;
        const Place own = column_place(p, (Index)(safe - line * p.columns));
        const char *a = p.a + group * p.a_group + row * p.a_row, *b = p.b + group * p.b_group;
        Working sum = 0;
        for (tn_i64 k0 = 0; k0 < p.depth; k0 += BLOCK) {
            const int some = p.depth - k0 < BLOCK ? (int)(p.depth - k0) : BLOCK;
            __syncthreads();
            if (threadIdx.x < some) k_places[threadIdx.x] = k_place(p, (Index)(k0 + threadIdx.x));
            __syncthreads();
            for (int k = 0; k < some; k++)
                sum = fused(load_a(a, k_places[k]), load_b(p, b, k_places[k], own), sum);
        }
        if (element < count)
            store(p, p.result + group * p.result_group + row * p.result_row + own.other, sum);
    }
}

#elif WAY == 2

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Working sums[BLOCK];
    const tn_i64 count = p.groups * p.rows * p.columns;
    for (tn_i64 element = blockIdx.x; element < count; element += gridDim.x) {
        const tn_i64 line = element / p.columns, group = line / p.rows, row = line - group * p.rows;
        const Place own = column_place(p, (Index)(element - line * p.columns));
        const char *a = p.a + group * p.a_group + row * p.a_row, *b = p.b + group * p.b_group;
        Working sum = 0;
        for (tn_i64 k = threadIdx.x; k < p.depth; k += BLOCK) {
            const Place place = k_place(p, (Index)k);
            sum = fused(load_a(a, place), load_b(p, b, place, own), sum);
        }
        sums[threadIdx.x] = sum;
        __syncthreads();
#pragma unroll
        for (int width = BLOCK / 2; width > 0; width /= 2) {
            if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
            __syncthreads();
        }
        if (threadIdx.x == 0)
            store(p, p.result + group * p.result_group + row * p.result_row + own.other, sums[0]);
        __syncthreads();
    }
}

#else

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 count = p.groups * p.rows * p.columns;
    for (tn_i64 element = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; element < count;
         element += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 line = element / p.columns, group = line / p.rows, row = line - group * p.rows;
        const Place own = column_place(p, (Index)(element - line * p.columns));
        Working sum = 0;
        for (tn_i64 part = 0; part < p.parts; part++) sum += p.sums[part * count + element];
        store(p, p.result + group * p.result_group + row * p.result_row + own.other, sum);
    }
}

#endif
