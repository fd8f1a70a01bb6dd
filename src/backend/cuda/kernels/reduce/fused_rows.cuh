/* What a program over rows (fused_rows.cu) does with elements, for the functions that its graph
 * writes.
 *
 * A team of threads has a row in registers: vector number j * TEAM + member of a row is the j-th of
 * a thread. With SKIPS rows begin within a vector, and a row's first vector has elements before the
 * row. */
#ifndef FUSED_ROWS_CUH
#define FUSED_ROWS_CUH

#include "access.cuh"

#define ELEMENTS (VECTORS * WIDTH) /* of a thread */

/* A row, as a thread of its team sees it. Its vectors are counted from the one that it begins in,
 * `skip` elements before it. */
struct RowPlace {
    tn_i64 row, length;
    int skip, member;
    bool is_there;
    tn_i64 first; /* row of the block, and how many it has */
    int count;

    __device__ __forceinline__ RowPlace(tn_i64 row, tn_i64 length, int member, bool is_there,
                                        tn_i64 first, int count)
        : row(row), length(length), skip(SKIPS ? (int)(row * length % WIDTH) : 0), member(member),
          is_there(is_there), first(first), count(count) {}

    /* Where element k of the thread's vector j is in the row. */
    __device__ __forceinline__ int at(int j, int k) const {
        return (j * TEAM + member) * WIDTH + k - skip;
    }
    __device__ __forceinline__ bool has(int j, int k) const {
        if (WHOLE) return true;
        return SKIPS ? (unsigned)at(j, k) < (unsigned)length : at(j, 0) < (int)length;
    }
    __device__ __forceinline__ bool has_vector(int j) const {
        return has(j, 0) && (!SKIPS || has(j, WIDTH - 1));
    }
};

/* A thread's elements of an array that begins `first` elements before the row; others are 0.
 * ALIGNED: vectors are. */
template <bool ALIGNED, typename T>
__device__ __forceinline__ void load_row(T (&to)[ELEMENTS], const char *data, tn_i64 first,
                                         const RowPlace &place) {
    const T *from = (const T *)data + first;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        constexpr int most = 16 / (int)sizeof(T), part = WIDTH < most ? WIDTH : most;
        if (ALIGNED && place.is_there && place.has_vector(j)) {
#pragma unroll
            for (int k = 0; k < WIDTH; k += part) {
                T piece[part];
                load_vector<T, part>(piece, from + place.at(j, k));
#pragma unroll
                for (int i = 0; i < part; i++) to[j * WIDTH + k + i] = piece[i];
            }
        } else {
#pragma unroll
            for (int k = 0; k < WIDTH; k++)
                to[j * WIDTH + k] = place.is_there && place.has(j, k) ? from[place.at(j, k)] : T();
        }
    }
}

template <bool ALIGNED, typename T>
__device__ __forceinline__ void store_row(char *data, const T (&from)[ELEMENTS],
                                          const RowPlace &place) {
    T *to = (T *)data + place.row * place.length;
    if (!place.is_there) return;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        constexpr int most = 16 / (int)sizeof(T), part = WIDTH < most ? WIDTH : most;
        if (ALIGNED && place.has_vector(j)) {
#pragma unroll
            for (int k = 0; k < WIDTH; k += part) {
                T piece[part];
#pragma unroll
                for (int i = 0; i < part; i++) piece[i] = from[j * WIDTH + k + i];
                store_vector<T, part>(to + place.at(j, k), piece);
            }
        } else {
#pragma unroll
            for (int k = 0; k < WIDTH; k++)
                if (place.has(j, k)) to[place.at(j, k)] = from[j * WIDTH + k];
        }
    }
}

/* Bytes from the first of COUNT axes' elements to number `at`, in order C. */
template <int COUNT>
__device__ __forceinline__ tn_i64 place_along(tn_i64 at, const tn_i64 *sizes,
                                              const tn_i64 *strides) {
    tn_i64 place = 0;
#pragma unroll
    for (int axis = COUNT - 1; axis > 0; axis--) {
        const tn_i64 next =
            at <= 0xffffffff ? (tn_i64)((unsigned)at / (unsigned)sizes[axis]) : at / sizes[axis];
        place += (at - next * sizes[axis]) * strides[axis];
        at = next;
    }
    return place + at * strides[0];
}

/* The same elements of an array that lies in any way. */
template <typename T>
__device__ __forceinline__ void load_apart(T (&to)[ELEMENTS], const char *data, const tn_i64 *sizes,
                                           const tn_i64 *strides, const RowPlace &place) {
    const char *from = data + place_along<KEPT_AXES>(place.row, sizes, strides);
#pragma unroll
    for (int k = 0; k < ELEMENTS; k++) {
        const int at = place.at(k / WIDTH, k % WIDTH);
        to[k] = place.is_there && place.has(k / WIDTH, k % WIDTH)
                    ? *(const T *)(from + place_along<ALL_AXES - KEPT_AXES>(at, sizes + KEPT_AXES,
                                                                            strides + KEPT_AXES))
                    : T();
    }
}

template <typename T>
__device__ __forceinline__ void store_apart(char *data, const T (&from)[ELEMENTS],
                                            const tn_i64 *sizes, const tn_i64 *strides,
                                            const RowPlace &place) {
    char *to = data + place_along<KEPT_AXES>(place.row, sizes, strides);
#pragma unroll
    for (int k = 0; k < ELEMENTS; k++) {
        const int at = place.at(k / WIDTH, k % WIDTH);
        if (place.is_there && place.has(k / WIDTH, k % WIDTH))
            *(T *)(to + place_along<ALL_AXES - KEPT_AXES>(at, sizes + KEPT_AXES,
                                                          strides + KEPT_AXES)) = from[k];
    }
}

/* A row for each thread: the block's rows pass through shared memory, so that neighbours read and
 * write neighbours. */
template <typename T>
__device__ __forceinline__ void load_short(T (&to)[ELEMENTS], const char *data,
                                           const RowPlace &place, void *room) {
    const T *from = (const T *)data + place.first * ELEMENTS;
    __syncthreads(); /* what was there has been read */
#pragma unroll 8
    for (int at = threadIdx.x; at < place.count * ELEMENTS; at += BLOCK) ((T *)room)[at] = from[at];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ELEMENTS; k++)
        to[k] = place.is_there ? ((const T *)room)[threadIdx.x * ELEMENTS + k] : T();
}

template <typename T>
__device__ __forceinline__ void store_short(char *data, const T (&from)[ELEMENTS],
                                            const RowPlace &place, void *room) {
    T *to = (T *)data + place.first * ELEMENTS;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ELEMENTS; k++) ((T *)room)[threadIdx.x * ELEMENTS + k] = from[k];
    __syncthreads();
#pragma unroll 8
    for (int at = threadIdx.x; at < place.count * ELEMENTS; at += BLOCK)
        to[at] = ((const T *)room)[at];
}

/* What becomes of the state that all threads of a team have: the value `to`. */
#define FOLD_FINISH(fold, to, p, number, place)                                                    \
    fold::FoldFacts facts_##to;                                                                    \
    facts_##to.count = place.length;                                                               \
    facts_##to.correction = p.corrections[number];                                                 \
    facts_##to.has_initial = p.has_initials[number];                                               \
    facts_##to.initial.words[0] = p.initials[number].words[0];                                     \
    facts_##to.initial.words[1] = p.initials[number].words[1];                                     \
    const fold::Output to = fold::state_finish(state_##to, facts_##to);

/* The fold of a row's elements `from`, for all threads of its team: the states of fold.cuh, which
 * the namespace `fold` includes, are taken and merged as reduce_rows.cu does with tiles of
 * TEAM x GROUP vectors. */
#define FOLD_ROW(fold, to, from, GROUP, p, number, place, room)                                    \
    fold::State state_##to = fold::state_empty();                                                  \
    _Pragma("unroll") for (int first = 0; first < VECTORS; first += GROUP) {                       \
        fold::Element part[GROUP * WIDTH];                                                         \
        fold::Some some = {0};                                                                     \
        _Pragma("unroll") for (int j = 0; j < GROUP; j++)                                          \
            _Pragma("unroll") for (int k = 0; k < WIDTH; k++) {                                    \
            const bool is_held = first + j < VECTORS;                                              \
            part[j * WIDTH + k] =                                                                  \
                is_held ? from[is_held ? (first + j) * WIDTH + k : 0] : fold::Element();           \
            some.bits |= (unsigned)(is_held && place.has(first + j, k)) << (j * WIDTH + k);        \
        }                                                                                          \
        if (WHOLE && first + GROUP <= VECTORS)                                                     \
            fold::state_take_clean<GROUP * WIDTH>(state_##to, part, fold::All<GROUP * WIDTH>(), 0, \
                                                  TEAM);                                           \
        else                                                                                       \
            fold::state_take_clean<GROUP * WIDTH>(state_##to, part, some, 0, TEAM);                \
    }                                                                                              \
    if (TEAM <= 32) {                                                                              \
        __syncwarp();                                                                              \
        fold::state_merge_lanes<(TEAM < 32 ? TEAM : 32)>(state_##to);                              \
        state_##to = shuffle_from(state_##to, (int)threadIdx.x % 32 / TEAM * TEAM);                \
    } else {                                                                                       \
        fold::state_merge_block<BLOCK>(state_##to, (fold::State *)(room));                         \
        if (threadIdx.x == 0) *(fold::State *)(room) = state_##to;                                 \
        __syncthreads();                                                                           \
        state_##to = *(const fold::State *)(room);                                                 \
    }                                                                                              \
    FOLD_FINISH(fold, to, p, number, place)

/* The same of a row that a thread has alone, as reduce_short.cu takes it. */
#define FOLD_SHORT(fold, to, from, GROUP, p, number, place, room)                                  \
    fold::State state_##to = fold::state_empty();                                                  \
    _Pragma("unroll") for (int first = 0; first + GROUP <= ELEMENTS; first += GROUP) {             \
        fold::Element part[GROUP];                                                                 \
        _Pragma("unroll") for (int k = 0; k < GROUP; k++) part[k] = from[first + k];               \
        fold::state_take_clean<GROUP>(state_##to, part, fold::All<GROUP>(), first, 1);             \
    }                                                                                              \
    _Pragma("unroll") for (int at = ELEMENTS / GROUP * GROUP; at < ELEMENTS; at++) {               \
        fold::Element part[1] = {from[at]};                                                        \
        fold::state_take_clean<1>(state_##to, part, fold::All<1>(), at, 1);                        \
    }                                                                                              \
    FOLD_FINISH(fold, to, p, number, place)

#endif
