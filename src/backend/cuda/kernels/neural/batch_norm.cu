/* Batch normalisation of maps that lie densely: sums over each channel, then the result, in two
 * launches, or in one where a block has its channels alone.
 *
 * WAY 0: y of x, with the mean and 1 / deviation that are found. 1: dx of dy and x, with the
 * gradients of scale and bias. 2: y of x by a given mean and variance. STEP 0: sums and result.
 * 1: sums, of which several blocks have shares. 2: the result.
 *
 * A block has LANES * STATES channels. An item is a vector of WIDTH elements of each lane: with
 * LAST of so many channels beside each other, else of one channel, whose `inner` elements
 * beside each
 * other are segment.size vectors. The program defines Stored, Working, load_working(Stored) and
 * save_working(Working).
 *
 * Invariant: vectors are aligned, and whole: WIDTH divides the channels, or `inner`.
 * Algorithm: a thread sums differences from the first element that it reads, and their squares.
 * What threads and blocks have is merged as means and moments (Chan, Golub, LeVeque) in an
 * order that
 * depends on the shape and the device alone. The result is made from the last items to the first:
 * the caches have these. */
#define MACROS BLOCK, WAY, STEP, LAST, LANES, WIDTH, UNROLL, WIDE_INDEX
#include "access.cuh"

#define DEPTH (BLOCK / LANES)
#define STATES (LAST ? WIDTH : 1)
#define CHANNELS (LANES * STATES)
#define WARPS (BLOCK / 32)

#if WAY == 1
struct State {
    Working bias, scale; /* sums of dy, and of dy * (x - mean) */
};
#else
struct State {
    Working count, mean, moment;
};
#endif

struct Params {
    const char *x, *dy;
    char *result;
    const Working *scale, *bias;
    Working *mean, *inverse; /* WAY 0 makes them; of WAY 2 the second is the variance */
    Working *running_mean, *running_variance; /* or NULL */
    Working *dscale, *dbias;
    State *partials;   /* [share][channel] */
    Counters counters; /* of the blocks across, zero */
    tn_i64 items, channels, inner, shares, across;
    Axis segment;
    double epsilon, factor; /* what running values take of new ones */
    double unbiased, share; /* count / (count - 1), 1 / count */
};

__device__ __forceinline__ float fused(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
    return __fma_rn(a, b, c);
}

/* --- Items --- */

/* Bytes from the first element to an item of the channel. */
__device__ __forceinline__ tn_i64 offset_of(const Params &p, Index item, Index channel) {
#if LAST
    const Index element = item * (Index)p.channels + channel;
#else
    const Index outer = divide(p.segment, item), at = item - outer * (Index)p.segment.size;
    const Index element = (outer * (Index)p.channels + channel) * (Index)p.inner + at * WIDTH;
#endif
    return (tn_i64)element * (tn_i64)sizeof(Stored);
}

/* Items first, first + DEPTH, ... */
template <bool WHOLE>
__device__ __forceinline__ void load_items(Stored (&to)[UNROLL][WIDTH], const char *from,
                                           const Params &p, Index first, Index channel) {
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        const Index item = first + u * DEPTH;
        if (WHOLE || item < (Index)p.items)
            load_vector<Stored, WIDTH>(to[u], from + offset_of(p, item, channel));
        else
#pragma unroll
            for (int k = 0; k < WIDTH; k++) to[u][k] = Stored();
    }
}

/* --- Sums --- */

#if STEP < 2

#if WAY == 1

__device__ __forceinline__ State state_empty() {
    const State s = {0, 0};
    return s;
}

__device__ __forceinline__ void state_merge(State &a, const State &b) {
    a.bias += b.bias;
    a.scale += b.scale;
}

struct Sums {
    Working bias[STATES], scale[STATES], mean[STATES];

    __device__ __forceinline__ void begin(const Params &p, Index channel) {
#pragma unroll
        for (int k = 0; k < STATES; k++) bias[k] = scale[k] = 0, mean[k] = p.mean[channel + k];
    }
    template <bool WHOLE>
    __device__ __forceinline__ void take(const Params &p, Index first, Index channel) {
        Stored x[UNROLL][WIDTH], dy[UNROLL][WIDTH];
        load_items<WHOLE>(dy, p.dy, p, first, channel);
        load_items<WHOLE>(x, p.x, p, first, channel);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            /* What is not there has a gradient of zero, but its difference may be no number. */
            if (!WHOLE && first + u * DEPTH >= (Index)p.items) continue;
#pragma unroll
            for (int k = 0; k < WIDTH; k++) {
                const int to = LAST ? k : 0;
                const Working given = load_working(dy[u][k]);
                bias[to] += given;
                scale[to] = fused(given, load_working(x[u][k]) - mean[to], scale[to]);
            }
        }
    }
    __device__ __forceinline__ State state(int k) const {
        const State s = {bias[k], scale[k]};
        return s;
    }
};

__device__ __forceinline__ void finish(const Params &p, const State &s, tn_i64 channel) {
    p.dbias[channel] = s.bias;
    p.dscale[channel] = s.scale * p.inverse[channel];
}

#else

__device__ __forceinline__ State state_empty() {
    const State s = {0, 0, 0};
    return s;
}

__device__ __forceinline__ void state_merge(State &a, const State &b) {
    const Working count = a.count + b.count, by = b.mean - a.mean;
    if (b.count == 0) return;
    const Working part = b.count / count;
    a.mean = a.count == 0 ? b.mean : fused(by, part, a.mean);
    a.moment += fused(by * by, a.count * part, b.moment);
    if (a.count == 0) a.moment = b.moment;
    a.count = count;
}

struct Sums {
    Working shift[STATES], sum[STATES], squares[STATES];
    int items;

    __device__ __forceinline__ void begin(const Params &, Index) {
        items = 0;
#pragma unroll
        for (int k = 0; k < STATES; k++) shift[k] = sum[k] = squares[k] = 0;
    }
    template <bool WHOLE>
    __device__ __forceinline__ void take(const Params &p, Index first, Index channel) {
        Stored x[UNROLL][WIDTH];
        load_items<WHOLE>(x, p.x, p, first, channel);
        if (items == 0)
#pragma unroll
            for (int k = 0; k < STATES; k++) shift[k] = load_working(x[0][k]);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (!WHOLE && first + u * DEPTH >= (Index)p.items) continue;
            items++;
#pragma unroll
            for (int k = 0; k < WIDTH; k++) {
                const int to = LAST ? k : 0;
                const Working by = load_working(x[u][k]) - shift[to];
                sum[to] += by;
                squares[to] = fused(by, by, squares[to]);
            }
        }
    }
    __device__ __forceinline__ State state(int k) const {
        const Working count = (Working)items * (LAST ? 1 : WIDTH);
        if (items == 0) return state_empty();
        const Working by = sum[k] / count, moment = fused(-sum[k], by, squares[k]);
        const State s = {count, shift[k] + by, moment < 0 ? 0 : moment};
        return s;
    }
};

__device__ __forceinline__ void finish(const Params &p, const State &s, tn_i64 channel) {
    const Working variance = s.moment / s.count, factor = (Working)p.factor;
    p.mean[channel] = s.mean;
    p.inverse[channel] = 1 / m_sqrt(variance + (Working)p.epsilon);
    if (!p.running_mean) return;
    Working *mean = p.running_mean + channel, *of_variance = p.running_variance + channel;
    *mean = *mean * (1 - factor) + s.mean * factor;
    *of_variance = *of_variance * (1 - factor) + variance * (Working)p.unbiased * factor;
}

#endif

/* The block's states merged over its depth: that of channel c is then at shared[c], for all threads
 * to see. */
__device__ __forceinline__ void merge_block(State (&s)[STATES], State *shared) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int by = 16; by >= LANES; by /= 2)
#pragma unroll
        for (int k = 0; k < STATES; k++) state_merge(s[k], shuffle_down(s[k], by, 32));
    __syncthreads();
    if (lane < LANES)
#pragma unroll
        for (int k = 0; k < STATES; k++) shared[warp * CHANNELS + lane * STATES + k] = s[k];
    __syncthreads();
#pragma unroll 1
    for (int half = WARPS / 2; half > 0; half /= 2) {
#pragma unroll 1
        for (int at = threadIdx.x; at < half * CHANNELS; at += BLOCK)
            state_merge(shared[at], shared[at + half * CHANNELS]);
        __syncthreads();
    }
}

/* Leaves what the block has to the last block of the same channels: true in that one, where
 * shared[] then holds what all have. */
__device__ __forceinline__ bool merge_shares(State (&s)[STATES], State *shared, const Params &p,
                                             tn_i64 across, tn_i64 share, tn_i64 channel,
                                             bool there) {
    __shared__ bool is_last;
    const tn_i64 own = across * CHANNELS + threadIdx.x;
    if (threadIdx.x < CHANNELS && own < p.channels)
        p.partials[share * p.channels + own] = shared[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&p.counters[across], 1u) == (unsigned)p.shares - 1;
    __syncthreads();
    if (!is_last) return false;
    __threadfence();
#pragma unroll
    for (int k = 0; k < STATES; k++) s[k] = state_empty();
    if (there)
#pragma unroll 2
        for (tn_i64 from = threadIdx.x / LANES; from < p.shares; from += DEPTH)
#pragma unroll
            for (int k = 0; k < STATES; k++)
                state_merge(s[k], load_fresh(&p.partials[from * p.channels + channel + k]));
    merge_block(s, shared);
    if (threadIdx.x == 0) p.counters[across] = 0;
    return true;
}

/* False: another block has the sums. */
__device__ __forceinline__ bool find_sums(const Params &p, Index across, Index share, Index channel,
                                          bool there) {
    __shared__ __align__(16) unsigned char room[sizeof(State) * WARPS * CHANNELS];
    State *const shared = (State *)room;
    const Index tile = DEPTH * UNROLL, items = (Index)p.items;
    State s[STATES];
    if (there) {
        Sums sums;
        sums.begin(p, channel);
#pragma unroll 1
        for (Index at = share * tile; at < items; at += tile * (Index)p.shares) {
            const Index first = at + threadIdx.x / LANES;
            if (at + tile <= items)
                sums.take<true>(p, first, channel);
            else
                sums.take<false>(p, first, channel);
        }
#pragma unroll
        for (int k = 0; k < STATES; k++) s[k] = sums.state(k);
    } else {
#pragma unroll
        for (int k = 0; k < STATES; k++) s[k] = state_empty();
    }
    merge_block(s, shared);
    if (STEP == 1 && !merge_shares(s, shared, p, across, share, channel, there)) return false;
    const tn_i64 own = (tn_i64)across * CHANNELS + threadIdx.x;
    if (threadIdx.x < CHANNELS && own < p.channels) finish(p, shared[threadIdx.x], own);
    return true;
}

#endif

/* --- The result --- */

#if STEP != 1

/* y = (x - center) * factor + offset; dx = (dy - offset - (x - center) * slope) * factor. */
struct Line {
    Working center, factor, offset, slope;

    __device__ __forceinline__ void begin(const Params &p, tn_i64 channel) {
        center = p.mean[channel];
#if WAY == 1
        const Working inverse = p.inverse[channel], part = (Working)p.share;
        factor = p.scale[channel] * inverse;
        offset = p.dbias[channel] * part;
        slope = p.dscale[channel] * inverse * part;
#else
        factor = p.scale[channel];
        if (WAY == 2)
            factor = factor / m_sqrt(p.inverse[channel] + (Working)p.epsilon);
        else
            factor = factor * p.inverse[channel];
        offset = p.bias[channel];
#endif
    }
    __device__ __forceinline__ Stored value(const Stored &x, const Stored &dy) const {
        const Working by = load_working(x) - center;
        if (WAY == 1) return save_working(fused(-by, slope, load_working(dy) - offset) * factor);
        return save_working(fused(by, factor, offset));
    }
};

template <bool WHOLE>
__device__ __forceinline__ void make_items(const Params &p, const Line (&lines)[STATES],
                                           Index first, Index channel) {
    Stored x[UNROLL][WIDTH], dy[UNROLL][WIDTH];
    load_items<WHOLE>(x, p.x, p, first, channel);
    if (WAY == 1) load_items<WHOLE>(dy, p.dy, p, first, channel);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        const Index item = first + u * DEPTH;
        if (!WHOLE && item >= (Index)p.items) continue;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) x[u][k] = lines[LAST ? k : 0].value(x[u][k], dy[u][k]);
        store_vector<Stored, WIDTH>(p.result + offset_of(p, item, channel), x[u]);
    }
}

__device__ __forceinline__ void make_result(const Params &p, Index share, Index channel) {
    const Index tile = DEPTH * UNROLL, items = (Index)p.items;
    Line lines[STATES];
#pragma unroll
    for (int k = 0; k < STATES; k++) lines[k].begin(p, channel + k);
#pragma unroll 1
    for (Index at = ((items - 1) / tile - share) * tile; at >= 0; at -= tile * (Index)p.shares) {
        const Index first = at + threadIdx.x / LANES;
        if (at + tile <= items)
            make_items<true>(p, lines, first, channel);
        else
            make_items<false>(p, lines, first, channel);
    }
}

#endif

__device__ __forceinline__ void take_block(const Params &p, Index share, Index across) {
    const Index channel = across * CHANNELS + (Index)threadIdx.x % LANES * STATES;
    const bool there = channel < (Index)p.channels;
#if STEP < 2
    if (!find_sums(p, across, share, channel, there)) return;
#endif
#if STEP == 0
    __syncthreads();
#endif
#if STEP != 1
    if (there) make_result(p, share, channel);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if WIDE_INDEX /* more blocks than a grid may have */
    for (tn_i64 block = blockIdx.x; block < p.across * p.shares; block += gridDim.x)
        take_block(p, block / p.across, block % p.across);
#else
    take_block(p, (Index)(blockIdx.x / (unsigned)p.across),
               (Index)(blockIdx.x % (unsigned)p.across));
#endif
}
