/* How a fold's body reads its inputs: elements by their numbers in the array that the body stands
 * for and that is never made. The program includes this before the body's functions. */
#ifndef BODY_CUH
#define BODY_CUH

#include "access.cuh"

/* An array that lies as the array that is never made, or one scalar in its stored form. */
union BodyInput {
    const char *data;
    tn_u64 words[2];
};

/* N elements from number `at` on, which is a multiple of N. Of the last ones some may be beyond
 * `total`: what is read then means nothing. ALIGNED: the array begins so that N elements from a
 * multiple of N on are aligned. */
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

#endif
