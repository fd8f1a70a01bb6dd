/* What the element-wise forms share: a program's arguments, how they are reached, its body.
 *
 * Arguments are inputs, then outputs, then the mask, numbered from 0. The program defines
 *   ARGUMENTS, their number; MASKED 0 or 1
 *   EACH_INPUT(DO) EACH_SCALAR(DO) EACH_OUTPUT(DO) EACH_MASK(DO)
 *                DO(k) for each of them: inputs in memory, inputs that are one value (it comes with
 *                the parameters), outputs, the mask
 *   Stored0, Stored1, ...    the types in memory (of a scalar: that of its loop's dtype)
 *   INNER_0, INNER_1, ...    how an argument runs along the last axis: one of the INNER_... below
 *   struct Element { Stored0 a0; Stored1 a1; ... };
 *   void body(Element &)     reads the inputs' members and writes the outputs'
 * Invariant: where INNER_k is INNER_VECTOR and WIDTH above 1 every vector of argument k is
 * aligned. */
#ifndef ELEMENTS_CUH
#define ELEMENTS_CUH

#include "access.cuh"

#define INNER_CONSTANT 0 /* the same along the axis */
#define INNER_VECTOR 1   /* neighbours in memory */
#define INNER_STRIDED 2

/* Up to 16 bytes at a time. */
template <int BYTES> struct Piece { static const int value = BYTES > 16 ? 16 : BYTES; };

template <int HOW, typename T, int N>
__device__ __forceinline__ void load_elements(T (&to)[N], const char *from, tn_i64 stride) {
    if (HOW == INNER_VECTOR) {
        const int part = Piece<(int)sizeof(T) * N>::value / (int)sizeof(T);
#pragma unroll
        for (int k = 0; k < N; k += part) {
            T piece[part];
            load_vector<T, part>(piece, (const T *)from + k);
#pragma unroll
            for (int i = 0; i < part; i++) to[k + i] = piece[i];
        }
    } else if (HOW == INNER_CONSTANT) {
        T value = *(const T *)from;
#pragma unroll
        for (int k = 0; k < N; k++) to[k] = value;
    } else {
#pragma unroll
        for (int k = 0; k < N; k++) to[k] = *(const T *)(from + k * stride);
    }
}

/* The elements, of N, whose bit is set in `chosen`; all of them at once if all are. */
template <int HOW, typename T, int N>
__device__ __forceinline__ void store_elements(char *to, tn_i64 stride, const T (&from)[N],
                                               unsigned chosen) {
    const bool all = !MASKED || chosen == (N == 32 ? ~0u : (1u << N) - 1);
    if (HOW == INNER_VECTOR && all) {
        const int part = Piece<(int)sizeof(T) * N>::value / (int)sizeof(T);
#pragma unroll
        for (int k = 0; k < N; k += part) {
            T piece[part];
#pragma unroll
            for (int i = 0; i < part; i++) piece[i] = from[k + i];
            store_vector<T, part>((T *)to + k, piece);
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; k++)
            if (!MASKED || chosen >> k & 1)
                *(T *)(to + k * (HOW == INNER_VECTOR ? (tn_i64)sizeof(T) : stride)) = from[k];
    }
}

/* N elements of an input at `address` into the member of each Element. */
#define LOAD_ARGUMENT(k, elements, N, address, stride)                                             \
    {                                                                                              \
        Stored##k loaded[N];                                                                       \
        load_elements<INNER_##k, Stored##k, N>(loaded, address, stride);                           \
        _Pragma("unroll") for (int i = 0; i < N; i++) elements[i].a##k = loaded[i];                \
    }
#define STORE_ARGUMENT(k, elements, N, address, stride, chosen)                                    \
    {                                                                                              \
        Stored##k made[N];                                                                         \
        _Pragma("unroll") for (int i = 0; i < N; i++) made[i] = elements[i].a##k;                  \
        store_elements<INNER_##k, Stored##k, N>(address, stride, made, chosen);                    \
    }

#endif
