/* Pooling: a thread an element of the result. An element of dx goes over the windows that meet it,
 * and finds the largest of each again.
 *
 * The program defines Stored, Working, load_working(Stored) and save_working(Working). KIND is that
 * of tn_pooling_kind. */
#define MACROS BLOCK, NDIM, KIND, BACKWARD, NAN_COUNTS, WIDE_INDEX
#include "access.cuh"

struct Params {
    const char *x;
    char *y, *dx;
    tn_i64 batch, channels;
    tn_i64 x_sizes[NDIM], y_sizes[NDIM], window[NDIM], pads[NDIM], steps[NDIM];
    tn_i64 x_batch, x_channel, x_strides[NDIM], y_batch, y_channel, y_strides[NDIM];
    tn_i64 dx_batch, dx_channel, dx_strides[NDIM];
    Axis made[NDIM], channel; /* of the result */
    double alpha, beta;
};

struct Element {
    Index batch, channel, at[NDIM];
};

__device__ __forceinline__ Element element_of(Index number, const Params &p) {
    Element e;
#pragma unroll
    for (int axis = NDIM - 1; axis >= 0; axis--) {
        const Index rest = divide(p.made[axis], number);
        e.at[axis] = number - rest * (Index)p.made[axis].size;
        number = rest;
    }
    e.batch = divide(p.channel, number);
    e.channel = number - e.batch * (Index)p.channel.size;
    return e;
}

/* The elements of x that a window has: from begin to before end along each axis. */
struct Window {
    Index begin[NDIM], end[NDIM];
};

__device__ __forceinline__ Window window_of(const Params &p, const Index *place) {
    Window w;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) {
        const Index begin = place[axis] * (Index)p.steps[axis] - (Index)p.pads[axis];
        const Index end = begin + (Index)p.window[axis], size = (Index)p.x_sizes[axis];
        w.begin[axis] = begin < 0 ? 0 : begin;
        w.end[axis] = end > size ? size : end;
    }
    return w;
}

/* To the next place of a box in order C; false: there is none. */
__device__ __forceinline__ bool next(Index *at, const Window &w) {
#pragma unroll
    for (int axis = NDIM - 1; axis >= 0; axis--) {
        if (++at[axis] < w.end[axis]) return true;
        at[axis] = w.begin[axis];
    }
    return false;
}

__device__ __forceinline__ tn_i64 offset_of(const Index *at, const tn_i64 *strides) {
    tn_i64 offset = 0;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) offset += at[axis] * strides[axis];
    return offset;
}

/* How many elements the window at a place has: of those that are there, or with the pads. */
__device__ __forceinline__ Working count_of(const Params &p, const Window &w, const Index *place) {
    tn_i64 count = 1;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) {
        const Index begin = place[axis] * (Index)p.steps[axis] - (Index)p.pads[axis];
        const Index end = begin + (Index)p.window[axis];
        const Index size = (Index)p.x_sizes[axis] + (Index)p.pads[axis];
        count *= KIND == 2 ? w.end[axis] - w.begin[axis] : (end < size ? end : size) - begin;
    }
    return (Working)count;
}

/* The largest element of a window, and the first place that has it; false: it has none. */
__device__ __forceinline__ bool find_largest(const Params &p, const char *x, const Window &w,
                                             Working &largest, Index *found) {
    Index at[NDIM];
    bool is_found = false;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) at[axis] = w.begin[axis];
    do {
        const Working value = load_working(*(const Stored *)(x + offset_of(at, p.x_strides)));
        const bool is_nan = value != value;
        bool is_larger =
            NAN_COUNTS ? !(largest != largest) && (is_nan || value > largest) : value > largest;
        is_larger |= !is_found && (NAN_COUNTS || !is_nan);
        if (!is_larger) continue;
        is_found = true;
        largest = value;
#pragma unroll
        for (int axis = 0; axis < NDIM; axis++) found[axis] = at[axis];
    } while (next(at, w));
    return is_found;
}

__device__ __forceinline__ Working forward_of(const Params &p, const char *x, const Index *place) {
    const Window w = window_of(p, place);
    Index at[NDIM];
#if KIND == 0
    Working largest = -(Working)__int_as_float(0x7f800000);
    find_largest(p, x, w, largest, at);
    return largest;
#else
    Working sum = 0;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) at[axis] = w.begin[axis];
    do {
        sum += load_working(*(const Stored *)(x + offset_of(at, p.x_strides)));
    } while (next(at, w));
    return sum / count_of(p, w, place);
#endif
}

/* What the windows that have element `own` give it. */
__device__ __forceinline__ Working backward_of(const Params &p, const char *x, const char *dy,
                                               const Index *own) {
    Window meets;
    Index place[NDIM];
    Working sum = 0;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) {
        const Index at = own[axis] + (Index)p.pads[axis], step = (Index)p.steps[axis];
        const Index before = at - (Index)p.window[axis], end = at / step + 1;
        meets.begin[axis] = place[axis] = before < 0 ? 0 : before / step + 1;
        meets.end[axis] = end < (Index)p.y_sizes[axis] ? end : (Index)p.y_sizes[axis];
        if (meets.begin[axis] >= meets.end[axis]) return 0;
    }
    do {
        const Window w = window_of(p, place);
        Working given = load_working(*(const Stored *)(dy + offset_of(place, p.y_strides)));
#if KIND == 0
        Working largest = -(Working)__int_as_float(0x7f800000);
        Index found[NDIM];
        bool is_own = find_largest(p, x, w, largest, found);
#pragma unroll
        for (int axis = 0; axis < NDIM && is_own; axis++) is_own = found[axis] == own[axis];
        if (!is_own) given = 0;
#else
        given /= count_of(p, w, place);
#endif
        sum += given;
    } while (next(place, meets));
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 *sizes = BACKWARD ? p.x_sizes : p.y_sizes;
    tn_i64 count = p.batch * p.channels;
#pragma unroll
    for (int axis = 0; axis < NDIM; axis++) count *= sizes[axis];
    for (tn_i64 number = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; number < count;
         number += gridDim.x * (tn_i64)BLOCK) {
        const Element e = element_of((Index)number, p);
        const char *x = p.x + e.batch * p.x_batch + e.channel * p.x_channel;
        char *y = p.y + e.batch * p.y_batch + e.channel * p.y_channel;
#if BACKWARD
        char *to =
            p.dx + e.batch * p.dx_batch + e.channel * p.dx_channel + offset_of(e.at, p.dx_strides);
        const Working value = backward_of(p, x, y, e.at);
#else
        char *to = y + offset_of(e.at, p.y_strides);
        const Working value = forward_of(p, x, e.at);
#endif
        Stored *at = (Stored *)to;
        Working scaled = (Working)p.alpha * value;
        if (p.beta != 0) scaled += (Working)p.beta * load_working(*at);
        *at = save_working(scaled);
    }
}
