/* How a fold's body reads its inputs: elements by their numbers in the array that the body stands
 * for and that is never made. The program includes this before the body's functions. */
#ifndef BODY_CUH
#define BODY_CUH

#include "access.cuh"

/* An array, or one scalar in its stored form. */
union BodyInput {
    const char *data;
    tn_u64 words[2];
};

/* Of an array that lies as the one that is never made: N elements from number `at` on, which is a
 * multiple of N. Of the last ones some may be beyond `total`: what is read then means nothing.
 * ALIGNED: the array begins so that N elements from a multiple of N on are aligned. */
template <int SCALAR, int ALIGNED, typename T, int N>
__device__ __forceinline__ void load_body(T (&to)[N], const BodyInput &input, tn_i64 at,
                                          tn_i64 total) {
    const T *from = (const T *)input.data + at;
    if (SCALAR) {
#pragma unroll
        for (int k = 0; k < N; k++) to[k] = *(const T *)input.words;
    } else if (ALIGNED) {
        constexpr int most = 16 / (int)sizeof(T), part = N < most ? N : most;
#pragma unroll
        for (int first = 0; first < N; first += part) {
            T piece[part];
            load_vector<T, part>(piece, from + first);
#pragma unroll
            for (int k = 0; k < part; k++) to[first + k] = piece[k];
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; k++) to[k] = from[at + k < total ? k : 0];
    }
}

/* Where an element of an array lies that lies otherwise: bytes from its first one. `shape` is that
 * of the array that is never made, slowest axis first. `within`: the index along the last axis. */
template <int AXES>
__device__ __forceinline__ tn_i64 find_place(tn_i64 &within, tn_i64 at, tn_i64 total,
                                             const tn_i64 *shape, const tn_i64 *strides) {
    tn_i64 left = at, place = 0;
    within = at;
#pragma unroll
    for (int axis = AXES - 1; axis > 0; axis--) {
        const tn_i64 next = total <= 0xffffffff ? (tn_i64)((unsigned)left / (unsigned)shape[axis])
                                                : left / shape[axis];
        const tn_i64 index = left - next * shape[axis];
        if (axis == AXES - 1) within = index;
        place += index * strides[axis];
        left = next;
    }
    return place + left * strides[0];
}

/* The same N elements of such an array. */
template <int AXES, typename T, int N>
__device__ __forceinline__ void load_strided(T (&to)[N], const BodyInput &input, tn_i64 at,
                                             tn_i64 total, const tn_i64 *shape,
                                             const tn_i64 *strides) {
    tn_i64 within, other;
    const tn_i64 first = find_place<AXES>(within, at, total, shape, strides);
#pragma unroll
    for (int k = 0; k < N; k++) {
        tn_i64 place = first + k * strides[AXES - 1];
        if (k > 0 && within + k >= shape[AXES - 1])
            place = at + k < total ? find_place<AXES>(other, at + k, total, shape, strides) : first;
        to[k] = *(const T *)(input.data + place);
    }
}

#endif
