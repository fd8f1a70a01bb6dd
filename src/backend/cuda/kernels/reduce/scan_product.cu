/* Running products of floats and complex numbers, with the results of multiplying from left to
 * right.
 *
 * A product that left the range of its type stays infinite or zero whatever comes after it. So
 * factors may be multiplied among themselves first only where no product on the way leaves the
 * range; sums and extremes need no such care.
 *
 * The program defines Input, Accumulator, Output, scan_load, fold_op, fold_neutral, fold_store;
 * COUNT elements of a thread, KEPT_NDIM, WIDE_INDEX. PHASE 0: a block takes a line, tile after
 * tile. Where lines are few and long they are cut into parts: PHASE 1 looks at each part by itself,
 * PHASE 2 finds what comes before each, PHASE 3 writes them.
 *
 * Algorithm: of a tile each thread multiplies its neighbours, threads and warps follow as trees,
 * and each thread then goes over its neighbours from left to right, with what comes before them. If
 * any product that was made was not well inside the range, the threads do the tile again one after
 * the other. A product that is zero, infinite or NaN already needs no factors, only their signs. */
#define MACROS BLOCK, COUNT, PHASE, KEPT_NDIM, WIDE_INDEX
#include "access.cuh"

#define TILE (BLOCK * COUNT)
#define PLACE(at) ((at) + (at) / COUNT) /* against bank conflicts */
#define STAGED 128                      /* parts in shared memory */

/* Whatever elements a part has. */
#define HAS_ZERO 1
#define HAS_INFINITE 2
#define HAS_NAN 4
#define IS_NEGATIVE 8 /* the product of the signs */

/* A part by itself: its product, the smallest and the largest on the way; and what comes before
 * it. */
struct Part {
    Accumulator value, carry;
    double low, high;
    tn_i64 kinds, unused;
};

struct Params {
    const char *input;
    char *output;
    Part *parts; /* [line][part] */
    tn_i64 lines, length, part_length, part_count;
    tn_i64 input_step, output_step;
    Shape<KEPT_NDIM, 2> kept;
};

/* --- Numbers --- */

__device__ __forceinline__ float size_of(float a) {
    return m_fabs(a);
}
__device__ __forceinline__ double size_of(double a) {
    return m_fabs(a);
}
__device__ __forceinline__ float size_of(tn_c64 a) {
    float re = m_fabs(a.re), im = m_fabs(a.im);
    return re > im || re != re ? re : im;
}
__device__ __forceinline__ double size_of(tn_c128 a) {
    double re = m_fabs(a.re), im = m_fabs(a.im);
    return re > im || re != re ? re : im;
}

/* Well inside the range: a factor of 4 for rounding, and for the parts of complex products. */
__device__ __forceinline__ float highest_of(float) {
    return 8.5e37f;
}
__device__ __forceinline__ double highest_of(double) {
    return 4.4e307;
}
__device__ __forceinline__ float lowest_of(float) {
    return 4.8e-38f;
}
__device__ __forceinline__ double lowest_of(double) {
    return 9e-308;
}

__device__ __forceinline__ Accumulator times(const Accumulator &a, const Accumulator &b,
                                             bool &leaves) {
    Accumulator product = fold_op(a, b);
    auto size = size_of(product);
    if (!(size <= highest_of(size)) ||
        (size < lowest_of(size) && size_of(a) != 0 && size_of(b) != 0))
        leaves = true;
    return product;
}

template <typename T> __device__ __forceinline__ int kinds_of(T a) {
    auto size = size_of(a);
    return size == 0 ? HAS_ZERO : size != size ? HAS_NAN : size == size * 2 ? HAS_INFINITE : 0;
}

/* Of such a product nothing but the sign changes; and what kinds of elements would change more. */
__device__ __forceinline__ bool is_stuck(float a) {
    return a == 0 || !(m_fabs(a) <= 3.4028234663852886e38f);
}
__device__ __forceinline__ bool is_stuck(double a) {
    return a == 0 || !(m_fabs(a) <= 1.7976931348623157e308);
}
template <typename Z> __device__ __forceinline__ bool is_stuck(const Z &a) {
    return (a.re == 0 && a.im == 0) || (a.re != a.re && a.im != a.im);
}
template <typename T> __device__ __forceinline__ int minded_by(const T &stuck) {
    int kinds = kinds_of(stuck);
    return kinds & HAS_ZERO       ? HAS_INFINITE | HAS_NAN
           : kinds & HAS_INFINITE ? HAS_ZERO | HAS_NAN
                                  : 0;
}

__device__ __forceinline__ float sign_of(float a) {
    return m_copysign(1.0f, a);
}
__device__ __forceinline__ double sign_of(double a) {
    return m_copysign(1.0, a);
}
template <typename Z> __device__ __forceinline__ Z sign_of(const Z &) {
    return fold_neutral();
}
__device__ __forceinline__ bool is_negative(float a) {
    return m_signbit(a);
}
__device__ __forceinline__ bool is_negative(double a) {
    return m_signbit(a);
}
template <typename Z> __device__ __forceinline__ bool is_negative(const Z &) {
    return false;
}
__device__ __forceinline__ float negated(float a) {
    return -a;
}
__device__ __forceinline__ double negated(double a) {
    return -a;
}
template <typename Z> __device__ __forceinline__ Z negated(const Z &a) {
    return a;
}

/* --- Tiles --- */

struct Running {
    Accumulator value;
    bool is_begun;

    __device__ __forceinline__ void take(const Accumulator &x) {
        value = is_begun ? fold_op(value, x) : x;
        is_begun = true;
    }
    __device__ __forceinline__ void take(const Accumulator &x, bool &leaves) {
        value = is_begun ? times(value, x, leaves) : x;
        is_begun = true;
    }
};

struct Shared {
    Accumulator tile[TILE + BLOCK];
    Accumulator warps[BLOCK / 32];
    double low[BLOCK / 32], high[BLOCK / 32];
};

/* Each thread's neighbours `x` after `carry`; false if a product left the range. */
__device__ __forceinline__ bool multiply_as_tree(Accumulator (&y)[COUNT],
                                                 const Accumulator (&x)[COUNT],
                                                 const Running &carry, bool ignores_range,
                                                 Shared &shared) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool leaves = false;
    Accumulator product = x[0];
#pragma unroll
    for (int k = 1; k < COUNT; k++) product = times(product, x[k], leaves);
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        Accumulator other = shuffle_up(product, by, 32);
        if (lane >= by) product = times(other, product, leaves);
    }
    if (lane == 31) shared.warps[warp] = product;
    Accumulator before = shuffle_up(product, 1, 32);
    __syncthreads();
    Running running = carry;
#pragma unroll 1
    for (int k = 0; k < warp; k++) running.take(shared.warps[k], leaves);
    if (lane > 0) running.take(before, leaves);
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        running.take(x[k], leaves);
        y[k] = running.value;
    }
    return !__syncthreads_or(leaves && !ignores_range);
}

/* The same, one thread after the other. */
__device__ __noinline__ void multiply_in_order(Accumulator (&y)[COUNT],
                                               const Accumulator (&x)[COUNT], int mine,
                                               const Running &carry, Shared &shared) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Running running = carry;
#pragma unroll 1
    for (int k = 0; k < BLOCK / 32; k++) {
        if (warp == k) {
            if (k > 0) {
                running.value = shared.warps[0];
                running.is_begun = true;
            }
#pragma unroll 1
            for (int of = 0; of < 32; of++) {
                if (lane == of) {
#pragma unroll
                    for (int i = 0; i < COUNT; i++) {
                        if (i >= mine) break;
                        running.take(x[i]);
                        y[i] = running.value;
                    }
                }
                __syncwarp();
                running.value = shuffle_from(running.value, of);
                running.is_begun = true; /* the first thread has an element */
            }
            if (lane == 0) shared.warps[0] = running.value;
        }
        __syncthreads();
    }
}

/* What a thread has seen of a part. */
struct Seen {
    double low, high;
    int kinds;
};

/* `length` elements after `carry`, which becomes what comes after them. */
template <bool WRITES>
__device__ __forceinline__ void walk(Running &carry, Seen &seen, const char *from, char *to,
                                     tn_i64 length, const Params &p, Shared &shared) {
#pragma unroll 1
    for (tn_i64 first = 0; first < length; first += TILE) {
        const int count = length - first < TILE ? (int)(length - first) : TILE;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            int at = k * BLOCK + (int)threadIdx.x;
            if (at < count)
                shared.tile[PLACE(at)] =
                    scan_load(*(const Input *)(from + (first + at) * p.input_step));
        }
        __syncthreads();
        const int rest = count - (int)threadIdx.x * COUNT;
        const int mine = rest < 0 ? 0 : rest < COUNT ? rest : COUNT;
        Accumulator x[COUNT], y[COUNT];
        int kinds = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            x[k] = k < mine ? shared.tile[PLACE((int)threadIdx.x * COUNT + k)] : fold_neutral();
            kinds |= kinds_of(x[k]);
            if (is_negative(x[k])) seen.kinds ^= IS_NEGATIVE;
        }
        seen.kinds |= kinds;
        bool is_sure = carry.is_begun && is_stuck(carry.value);
        if (is_sure) is_sure = !__syncthreads_or(kinds & minded_by(carry.value));
        if (is_sure) {
#pragma unroll
            for (int k = 0; k < COUNT; k++) x[k] = sign_of(x[k]);
        }
        if (!multiply_as_tree(y, x, carry, is_sure, shared))
            multiply_in_order(y, x, mine, carry, shared);
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            if (k >= mine) break;
            shared.tile[PLACE((int)threadIdx.x * COUNT + k)] = y[k];
            double size = (double)size_of(y[k]);
            seen.low = size < seen.low ? size : seen.low;
            seen.high = size <= seen.high ? seen.high : size == size ? size : (double)TN_INFINITY;
        }
        __syncthreads();
        if (WRITES) {
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                int at = k * BLOCK + (int)threadIdx.x;
                if (at < count)
                    *(Output *)(to + (first + at) * p.output_step) =
                        fold_store(shared.tile[PLACE(at)]);
            }
        }
        carry.value = shared.tile[PLACE(count - 1)];
        carry.is_begun = true;
        __syncthreads();
    }
}

/* What all threads have seen, in the first. */
__device__ __forceinline__ void join(Seen &seen, Shared &shared) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int kinds = 0;
#pragma unroll
    for (int kind = HAS_ZERO; kind <= HAS_NAN; kind *= 2)
        if (__syncthreads_or(seen.kinds & kind)) kinds |= kind;
    if (__syncthreads_count(seen.kinds & IS_NEGATIVE) % 2) kinds |= IS_NEGATIVE;
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
        double low = shuffle_down(seen.low, by, 32), high = shuffle_down(seen.high, by, 32);
        seen.low = low < seen.low ? low : seen.low;
        seen.high = high > seen.high ? high : seen.high;
    }
    if (lane == 0) {
        shared.low[warp] = seen.low;
        shared.high[warp] = seen.high;
    }
    __syncthreads();
    for (int k = 0; k < BLOCK / 32; k++) {
        seen.low = shared.low[k] < seen.low ? shared.low[k] : seen.low;
        seen.high = shared.high[k] > seen.high ? shared.high[k] : seen.high;
    }
    seen.kinds = kinds;
}

/* --- Lines --- */

#if PHASE == 2

/* `carry` after a part, without looking at its elements; false: they must be looked at. */
__device__ __forceinline__ bool skip_part(Running &carry, const Part &part) {
    bool leaves = false;
    if (!carry.is_begun) {
        carry.value = part.value;
        carry.is_begun = true;
        return true;
    }
    if (is_stuck(carry.value)) {
        if (part.kinds & minded_by(carry.value)) return false;
        if (part.kinds & IS_NEGATIVE) carry.value = negated(carry.value);
        return true;
    }
    const double size = (double)size_of(carry.value);
    const double high = (double)highest_of(size_of(carry.value));
    const double low = (double)lowest_of(size_of(carry.value));
    /* Neither by itself nor after `carry` does the part leave the range. */
    if (!(part.high <= high && size * part.high <= high)) return false;
    if (!(part.low >= low && size * part.low >= low)) return false;
    Accumulator product = times(carry.value, part.value, leaves);
    if (!leaves) carry.value = product;
    return !leaves;
}

/* The next parts, read by all threads at once: what follows goes from one to the next. */
__device__ __forceinline__ void stage(Part *staged, const Part *parts, tn_i64 left) {
    static_assert(sizeof(Part) % 8 == 0, "parts are copied in words");
    const int words = (int)((left < STAGED ? left : STAGED) * (tn_i64)(sizeof(Part) / 8));
    __syncthreads();
    for (int at = threadIdx.x; at < words; at += BLOCK)
        ((tn_u64 *)staged)[at] = ((const tn_u64 *)parts)[at];
    __syncthreads();
}

#endif

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Shared shared;
#if PHASE == 2
    __shared__ Part staged[STAGED];
#endif
    Seen seen;
#if PHASE == 0
    for (tn_i64 line = blockIdx.x; line < p.lines; line += gridDim.x) {
#else
    const tn_i64 parts = PHASE == 2 ? 1 : p.part_count;
    const tn_i64 line = blockIdx.x / (unsigned)parts, number = blockIdx.x % (unsigned)parts;
    const tn_i64 begin = number * p.part_length;
    const tn_i64 length = p.length - begin < p.part_length ? p.length - begin : p.part_length;
    Part *part = p.parts + line * p.part_count + number;
#endif
        tn_i64 offsets[2] = {0, 0};
        p.kept.walk((Index)line, offsets);
        const char *from = p.input + offsets[0];
        char *to = p.output + offsets[1];
        Running carry;
        carry.value = fold_neutral();
        carry.is_begun = false;
        seen.low = (double)TN_INFINITY;
        seen.high = 0;
        seen.kinds = 0;
#if PHASE == 0
        walk<true>(carry, seen, from, to, p.length, p, shared);
    }
#elif PHASE == 1
    walk<false>(carry, seen, from + begin * p.input_step, to, length, p, shared);
    join(seen, shared);
    if (threadIdx.x == 0) {
        part->value = carry.value;
        part->low = seen.low;
        part->high = seen.high;
        part->kinds = seen.kinds;
    }
#elif PHASE == 2
    (void)begin;
    (void)length;
#pragma unroll 1
    for (tn_i64 k = 0; k < p.part_count; k++) {
        if (k % STAGED == 0) stage(staged, part + k, p.part_count - k);
        if (threadIdx.x == 0) part[k].carry = carry.value;
        const tn_i64 at = k * p.part_length;
        const tn_i64 rest = p.length - at < p.part_length ? p.length - at : p.part_length;
        if (!skip_part(carry, staged[k % STAGED]))
            walk<false>(carry, seen, from + at * p.input_step, to, rest, p, shared);
    }
#else
    carry.value = part->carry;
    carry.is_begun = number > 0;
    walk<true>(carry, seen, from + begin * p.input_step, to + begin * p.output_step, length, p,
               shared);
#endif
}
