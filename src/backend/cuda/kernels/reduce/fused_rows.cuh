/* What programs over rows (fused_rows.cu, fused_passes.cu) do with elements, for the functions that
 * their graphs write.
 *
 * A team of threads takes a row in tiles: vector number j * team + member of a tile is the j-th of
 * a thread. Where rows begin within a vector, a row's first vector has elements before the row. */
#ifndef FUSED_ROWS_CUH
#define FUSED_ROWS_CUH

#include "access.cuh"

/* How threads take a row: so many of them, elements of a vector, vectors of a thread in a tile.
 * SKIPS_: rows begin within a vector. WHOLE_: every element of every thread is the row's. */
template <int TEAM_, int WIDTH_, int VECTORS_, bool SKIPS_, bool WHOLE_> struct RowGeometry {
    static const int team = TEAM_, width = WIDTH_, vectors = VECTORS_;
    static const int elements = VECTORS_ * WIDTH_; /* of a thread, in a tile */
    static const bool skips = SKIPS_, whole = WHOLE_;
};

/* A row, as a thread of its team sees it. Its vectors are counted from the one that it begins in,
 * `skip` elements before it; `begin` is the first of a tile. */
template <class G> struct RowPlace {
    tn_i64 row, length;
    int skip, member;
    bool is_there;
    int begin = 0;
    tn_i64 first = 0;         /* row of the block, and how many it has */
    int count = 0, local = 0; /* and which of them the row is */

    __device__ __forceinline__ RowPlace(tn_i64 row, tn_i64 length, int skip, int member,
                                        bool is_there)
        : row(row), length(length), skip(skip), member(member), is_there(is_there) {}

    /* Where element k of the thread's vector j is in the row. */
    __device__ __forceinline__ int at(int j, int k) const {
        return (begin + j * G::team + member) * G::width + k - skip;
    }
    __device__ __forceinline__ bool has(int j, int k) const {
        if (G::whole) return true;
        return G::skips ? (unsigned)at(j, k) < (unsigned)length : at(j, 0) < (int)length;
    }
    __device__ __forceinline__ bool has_vector(int j) const {
        return has(j, 0) && (!G::skips || has(j, G::width - 1));
    }
};

/* A thread's elements of an array whose row begins at `data`; others are 0. ALIGNED: vectors are.
 */
template <bool ALIGNED, class G, typename T>
__device__ __forceinline__ void load_row(T (&to)[G::elements], const char *data,
                                         const RowPlace<G> &place) {
    const T *from = (const T *)data;
#pragma unroll
    for (int j = 0; j < G::vectors; j++) {
        constexpr int most = 16 / (int)sizeof(T), part = G::width < most ? G::width : most;
        if (ALIGNED && place.is_there && place.has_vector(j)) {
#pragma unroll
            for (int k = 0; k < G::width; k += part) {
                T piece[part];
                load_vector<T, part>(piece, from + place.at(j, k));
#pragma unroll
                for (int i = 0; i < part; i++) to[j * G::width + k + i] = piece[i];
            }
        } else {
#pragma unroll
            for (int k = 0; k < G::width; k++)
                to[j * G::width + k] =
                    place.is_there && place.has(j, k) ? from[place.at(j, k)] : T();
        }
    }
}

template <bool ALIGNED, class G, typename T>
__device__ __forceinline__ void store_row(char *data, const T (&from)[G::elements],
                                          const RowPlace<G> &place) {
    T *to = (T *)data;
    if (!place.is_there) return;
#pragma unroll
    for (int j = 0; j < G::vectors; j++) {
        constexpr int most = 16 / (int)sizeof(T), part = G::width < most ? G::width : most;
        if (ALIGNED && place.has_vector(j)) {
#pragma unroll
            for (int k = 0; k < G::width; k += part) {
                T piece[part];
#pragma unroll
                for (int i = 0; i < part; i++) piece[i] = from[j * G::width + k + i];
                store_vector<T, part>(to + place.at(j, k), piece);
            }
        } else {
#pragma unroll
            for (int k = 0; k < G::width; k++)
                if (place.has(j, k)) to[place.at(j, k)] = from[j * G::width + k];
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

/* The same elements of an array whose row begins at `data` and lies in any way along AXES axes. */
template <int AXES, class G, typename T>
__device__ __forceinline__ void load_apart(T (&to)[G::elements], const char *data,
                                           const tn_i64 *sizes, const tn_i64 *strides,
                                           const RowPlace<G> &place) {
#pragma unroll
    for (int k = 0; k < G::elements; k++) {
        const int at = place.at(k / G::width, k % G::width);
        to[k] = place.is_there && place.has(k / G::width, k % G::width)
                    ? *(const T *)(data + place_along<AXES>(at, sizes, strides))
                    : T();
    }
}

template <int AXES, class G, typename T>
__device__ __forceinline__ void store_apart(char *data, const T (&from)[G::elements],
                                            const tn_i64 *sizes, const tn_i64 *strides,
                                            const RowPlace<G> &place) {
#pragma unroll
    for (int k = 0; k < G::elements; k++) {
        const int at = place.at(k / G::width, k % G::width);
        if (place.is_there && place.has(k / G::width, k % G::width))
            *(T *)(data + place_along<AXES>(at, sizes, strides)) = from[k];
    }
}

/* A row for each thread: the block's rows pass through shared memory, so that neighbours read and
 * write neighbours. */
template <class G, typename T>
__device__ __forceinline__ void load_short(T (&to)[G::elements], const char *data,
                                           const RowPlace<G> &place, void *room) {
    const T *from = (const T *)data + place.first * G::elements;
    __syncthreads(); /* what was there has been read */
#pragma unroll 8
    for (int at = threadIdx.x; at < place.count * G::elements; at += BLOCK)
        ((T *)room)[at] = from[at];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < G::elements; k++)
        to[k] = place.is_there ? ((const T *)room)[threadIdx.x * G::elements + k] : T();
}

template <class G, typename T>
__device__ __forceinline__ void store_short(char *data, const T (&from)[G::elements],
                                            const RowPlace<G> &place, void *room) {
    T *to = (T *)data + place.first * G::elements;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < G::elements; k++) ((T *)room)[threadIdx.x * G::elements + k] = from[k];
    __syncthreads();
#pragma unroll 8
    for (int at = threadIdx.x; at < place.count * G::elements; at += BLOCK)
        to[at] = ((const T *)room)[at];
}

/* What a pass says of itself, for programs of several passes. ALONE: a thread has a row alone.
 * SPLITS: states are merged as if blocks shared a row. */
#define ROW_PASS(TEAM_, WIDTH_, VECTORS_, SKIPS_, ALONE, SPLITS)                                   \
    typedef RowGeometry<TEAM_, WIDTH_, VECTORS_, SKIPS_, 0> Geometry;                              \
    static const bool is_alone = ALONE, splits = SPLITS;
/* Elements of a vector before the row `row`. */
#define ROW_SKIP(elements)                                                                         \
    template <typename P> __device__ __forceinline__ static int skip(const P &p, tn_i64 row) {     \
        return (int)(elements);                                                                    \
    }
#define ROW_FUNCTION                                                                               \
    template <class G, typename P, class Results> __device__ __forceinline__ static void
#define ROW_PARAMETERS const P &p, const RowPlace<G> &place, const Results &results

/* The last passes of a program of several: what is stored of `count` rows' elements, from row
 * `first` on, and of their numbers. */
template <class Pass, typename P, class Results>
__device__ __forceinline__ void store_pass(const P &p, tn_i64 first, int count,
                                           const Results &results) {
    typedef typename Pass::Geometry G;
#pragma unroll 1
    for (int local = threadIdx.x / G::team; local < count; local += BLOCK / G::team) {
        const tn_i64 row = first + local;
        RowPlace<G> place(row, p.length, G::skips ? Pass::skip(p, row) : 0, threadIdx.x % G::team,
                          true);
        place.local = local;
#pragma unroll 1
        for (; place.begin * G::width < place.skip + (int)p.length;
             place.begin += G::team * G::vectors)
            Pass::store(p, place, results);
    }
}

template <class Pass, typename P, class Results>
__device__ __forceinline__ void store_numbers(const P &p, tn_i64 first, int count,
                                              const Results &results) {
    for (int local = threadIdx.x; local < count; local += BLOCK) {
        RowPlace<RowGeometry<1, 1, 1, false, true>> place(first + local, p.length, 0, 0, true);
        place.local = local;
        Pass::store(p, place, results);
    }
}

#endif
