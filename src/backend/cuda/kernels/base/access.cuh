/* How forms reach memory: vectors of elements, divisions by sizes known at launch, and the walk
 * from a linear index to byte offsets.
 *
 * Decides: what the C side packs into a form's parameters (step.h). Every member is 8 bytes or a
 * pair of 4, so that C and C++ agree on the layout without a word about padding.
 * A program is a namespace: it includes scalar.h, opens the namespace, defines KERNEL (the kernel's
 * name) and what its form asks for, includes the form, closes the namespace and includes end.cuh,
 * which undefines all that (the build writes it; what a body defines, the program undefines). So
 * one file can hold many programs.
 * Invariant: a program defines WIDE_INDEX as 1 unless every linear index of the launch is below
 * 2**31.
 * Algorithm: n / size is (n + high(n * magic)) >> shift for n < 2**31 (Granlund and Montgomery). */
#ifndef ACCESS_CUH
#define ACCESS_CUH

#include "types.h"

/* N elements that are loaded or stored by one instruction where their bytes are 16 or fewer. */
template <typename T, int N> struct __align__(sizeof(T) * N) Vector {
    T at[N];
};

/* Bytes as the machine moves them: 1, 2, 4, 8 or 16. */
template <int BYTES> struct Word;
template <> struct Word<1> { typedef unsigned char type; };
template <> struct Word<2> { typedef unsigned short type; };
template <> struct Word<4> { typedef unsigned int type; };
template <> struct Word<8> { typedef uint2 type; };
template <> struct Word<16> { typedef uint4 type; };

template <typename T, int N>
__device__ __forceinline__ void load_vector(T (&to)[N], const void *from) {
    typedef typename Word<(int)sizeof(T) * N>::type W;
    union Both {
        W word;
        T at[N];
        __device__ Both() {}
    } both;
    both.word = *(const W *)from;
#pragma unroll
    for (int k = 0; k < N; k++) to[k] = both.at[k];
}

template <typename T, int N>
__device__ __forceinline__ void store_vector(void *to, const T (&from)[N]) {
    typedef typename Word<(int)sizeof(T) * N>::type W;
    union Both {
        W word;
        T at[N];
        __device__ Both() {}
    } both;
#pragma unroll
    for (int k = 0; k < N; k++) both.at[k] = from[k];
    *(W *)to = both.word;
}

/* The same for what is touched once: it leaves the caches first. */
template <typename T, int N>
__device__ __forceinline__ void load_streamed(T (&to)[N], const void *from) {
    typedef typename Word<(int)sizeof(T) * N>::type W;
    const W word = __ldcs((const W *)from);
    load_vector<T, N>(to, &word);
}

template <typename T, int N>
__device__ __forceinline__ void store_streamed(void *to, const T (&from)[N]) {
    typedef typename Word<(int)sizeof(T) * N>::type W;
    W word;
    store_vector<T, N>(&word, from);
    __stcs((W *)to, word);
}

/* A size below 2**31, to divide numbers below 2**31 by. */
struct NarrowAxis {
    unsigned size, magic, shift, unused;
};
__device__ __forceinline__ int divide(const NarrowAxis &axis, int n) {
    return (int)(((unsigned)n + __umulhi((unsigned)n, axis.magic)) >> axis.shift);
}

/* A number of any dtype, as a parameter. */
union ScalarValue {
    tn_u64 words[2];
    unsigned char bytes[16];
};

/* What launching gives: counters that are zero between launches, and locks that are free. */
typedef unsigned *Counters;
typedef unsigned *Locks;

#if WIDE_INDEX
typedef tn_i64 Index;
struct Axis {
    tn_i64 size, unused;
};
__device__ __forceinline__ Index divide(const Axis &axis, Index n) {
    return n / axis.size;
}
#else
typedef int Index;
typedef NarrowAxis Axis;
#endif

/* Axes, slowest first, and the byte strides along them of ARRAYS arrays. */
template <int AXES, int ARRAYS> struct Shape {
    Axis axes[AXES];
    tn_i64 strides[ARRAYS][AXES];

    /* Adds the byte offsets of the element at linear index `at`. */
    __device__ __forceinline__ void walk(Index at, tn_i64 (&offsets)[ARRAYS]) const {
#pragma unroll(AXES <= 8 ? 8 : 1)
        for (int k = AXES - 1; k > 0; k--) {
            Index next = divide(axes[k], at);
            Index rest = at - next * (Index)axes[k].size;
#pragma unroll
            for (int a = 0; a < ARRAYS; a++) offsets[a] += (tn_i64)rest * strides[a][k];
            at = next;
        }
#pragma unroll
        for (int a = 0; a < ARRAYS; a++) offsets[a] += (tn_i64)at * strides[a][0];
    }
};
template <int ARRAYS> struct Shape<0, ARRAYS> {
    __device__ __forceinline__ void walk(Index, tn_i64 (&)[ARRAYS]) const {}
};

/* What another block has written and fenced: read past the L1 cache, which may hold older bytes. */
template <typename T> __device__ __forceinline__ T load_fresh(const T *from) {
    union Both {
        T value;
        unsigned words[(sizeof(T) + 3) / 4];
        unsigned char bytes[sizeof(T)];
        __device__ Both() {}
    } to;
    if (sizeof(T) % 4 == 0) {
#pragma unroll
        for (int k = 0; k < (int)(sizeof(T) / 4); k++)
            to.words[k] = __ldcg((const unsigned *)from + k);
    } else {
#pragma unroll
        for (int k = 0; k < (int)sizeof(T); k++)
            to.bytes[k] = __ldcg((const unsigned char *)from + k);
    }
    return to.value;
}

/* Any value from another lane of the warp, word by word. */
template <typename T, typename Exchange>
__device__ __forceinline__ T shuffle_words(const T &value, const Exchange &exchange) {
    union Both {
        T value;
        unsigned words[(sizeof(T) + 3) / 4];
        __device__ Both() {}
    } from, to;
    from.words[sizeof(from.words) / 4 - 1] = 0;
    from.value = value;
#pragma unroll
    for (int k = 0; k < (int)(sizeof(from.words) / 4); k++) to.words[k] = exchange(from.words[k]);
    return to.value;
}

struct ShuffleDown {
    int by, width;
    __device__ __forceinline__ unsigned operator()(unsigned word) const {
        return __shfl_down_sync(0xffffffffu, word, by, width);
    }
};
struct ShuffleUp {
    int by, width;
    __device__ __forceinline__ unsigned operator()(unsigned word) const {
        return __shfl_up_sync(0xffffffffu, word, by, width);
    }
};
struct ShuffleFrom {
    int lane;
    __device__ __forceinline__ unsigned operator()(unsigned word) const {
        return __shfl_sync(0xffffffffu, word, lane);
    }
};

template <typename T> __device__ __forceinline__ T shuffle_down(const T &value, int by, int width) {
    return shuffle_words(value, ShuffleDown{by, width});
}
template <typename T> __device__ __forceinline__ T shuffle_up(const T &value, int by, int width) {
    return shuffle_words(value, ShuffleUp{by, width});
}
template <typename T> __device__ __forceinline__ T shuffle_from(const T &value, int lane) {
    return shuffle_words(value, ShuffleFrom{lane});
}

#endif
