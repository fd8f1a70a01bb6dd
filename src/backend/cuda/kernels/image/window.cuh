/* What the device texts of images share: indexes beyond the edges, and what becomes of the elements
 * of a window.
 *
 * A program defines Stored, Working, Working image_load(Stored), Result image_store(Working), and
 *   OP        0 sum, 1 least, 2 most, 3 the value of a rank by a network, 4 by a search
 *   VALUES    how many weights come with the parameters; 0: none
 *   WEIGHTED  weights lie in memory
 *   SYMMETRY  the weights of a sum are mirrored (1), with the other sign (2), or not (0)
 *   SKIPS     weights of a sum up to DBL_EPSILON do not count */
#ifndef WINDOW_CUH
#define WINDOW_CUH

#include "access.cuh"

#define EDGE_NEAREST 0
#define EDGE_WRAP 1
#define EDGE_REFLECT 2
#define EDGE_MIRROR 3
#define EDGE_CONSTANT 4

/* The index within [0, size) that one beyond the ends means; -1: none. */
__device__ __forceinline__ tn_i64 edge_index(tn_i64 index, tn_i64 size, tn_i64 edge) {
    if ((tn_u64)index < (tn_u64)size) return index;
    if (edge == EDGE_CONSTANT) return -1;
    if (edge == EDGE_NEAREST) return index < 0 ? 0 : size - 1;
    const tn_i64 period = edge == EDGE_REFLECT  ? 2 * size
                          : edge == EDGE_MIRROR ? 2 * size - 2
                                                : size;
    if (period <= 0) return 0;
    index %= period;
    if (index < 0) index += period;
    if (index < size) return index;
    return edge == EDGE_REFLECT ? period - 1 - index : period - index;
}

/* Sums of f32 are rounded once a product, those of f64 as SciPy's. */
__device__ __forceinline__ float add_product(float a, float b, float sum) {
    return fmaf(a, b, sum);
}
template <typename T> __device__ __forceinline__ T add_product(T a, T b, T sum) {
    return sum + a * b;
}

__device__ __forceinline__ bool counts(double weight) {
    return weight > 2.220446049250313e-16 || weight < -2.220446049250313e-16;
}

template <typename T> __device__ __forceinline__ T lesser(T a, T b) {
    return b < a ? b : a;
}
template <typename T> __device__ __forceinline__ T larger(T a, T b) {
    return a < b ? b : a;
}

/* N weights by value, of a size that is a multiple of 8. */
template <typename T, int N> struct __align__(8) WindowValues {
    T at[N + 1];
};

/* Values in an order of unsigned numbers. */
template <int BYTES> struct KeyOf { typedef unsigned type; };
template <> struct KeyOf<8> { typedef tn_u64 type; };

template <typename T> struct Order {
    typedef typename KeyOf<(int)sizeof(T)>::type Key;
    static const Key sign = (T)-1 < (T)0 ? (Key)1 << (8 * sizeof(Key) - 1) : 0;
    __device__ static __forceinline__ Key key(T value) { return (Key)value ^ sign; }
    __device__ static __forceinline__ T value(Key key) { return (T)(key ^ sign); }
};
template <> struct Order<float> {
    typedef unsigned Key;
    __device__ static __forceinline__ Key key(float value) {
        const unsigned bits = __float_as_uint(value);
        return bits >> 31 ? ~bits : bits | 0x80000000u;
    }
    __device__ static __forceinline__ float value(Key key) {
        return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
    }
};
template <> struct Order<double> {
    typedef tn_u64 Key;
    __device__ static __forceinline__ Key key(double value) {
        const tn_u64 bits = (tn_u64)__double_as_longlong(value);
        return bits >> 63 ? ~bits : bits | (tn_u64)1 << 63;
    }
    __device__ static __forceinline__ double value(Key key) {
        return __longlong_as_double((tn_i64)(key >> 63 ? key & ~((tn_u64)1 << 63) : ~key));
    }
};

/* The value of a rank among `count` elements, element(k) each, by halving the range of values. */
template <typename T, typename Elements>
__device__ __forceinline__ T search_rank(int count, int rank, const Elements &element) {
    typedef typename Order<T>::Key Key;
    Key low = Order<T>::key(element(0)), high = low;
    for (int k = 1; k < count; k++) {
        const Key key = Order<T>::key(element(k));
        low = lesser(low, key);
        high = larger(high, key);
    }
    while (low < high) {
        const Key middle = low + (high - low) / 2;
        int before = 0; /* elements up to the middle */
        for (int k = 0; k < count; k++) before += Order<T>::key(element(k)) <= middle;
        if (before > rank)
            high = middle;
        else
            low = middle + 1;
    }
    return Order<T>::value(low);
}

#endif
