/* Folds of rows among the steps of a graph: included once in the namespace of each fold, after
 * fold.cuh. The states are taken and merged as reductions by themselves do it, so that the bits are
 * the same. */
#ifndef FUSED_FOLD_CUH
#define FUSED_FOLD_CUH

#include "fused_rows.cuh"

/* What becomes of the state that a whole row has. */
template <typename P>
__device__ __forceinline__ Output row_finish(const State &s, const P &p, int number) {
    FoldFacts facts;
    facts.count = p.length;
    facts.correction = p.corrections[number];
    facts.has_initial = p.has_initials[number];
    facts.initial.words[0] = p.initials[number].words[0];
    facts.initial.words[1] = p.initials[number].words[1];
    return state_finish(s, facts);
}

/* The fold of a row's elements, which its team holds, for all threads of the team: as
 * reduce_rows.cu does with tiles of GROUP vectors of a thread. */
template <int GROUP, class G, typename P>
__device__ __forceinline__ Output fold_held(const Element (&from)[G::elements], const P &p,
                                            int number, const RowPlace<G> &place, void *room) {
    State s = state_empty();
#pragma unroll
    for (int first = 0; first < G::vectors; first += GROUP) {
        Element part[GROUP * G::width];
        Some some = {0};
#pragma unroll
        for (int j = 0; j < GROUP; j++)
#pragma unroll
            for (int k = 0; k < G::width; k++) {
                const bool is_held = first + j < G::vectors;
                part[j * G::width + k] =
                    is_held ? from[is_held ? (first + j) * G::width + k : 0] : Element();
                some.bits |= (unsigned)(is_held && place.has(first + j, k)) << (j * G::width + k);
            }
        if (G::whole && first + GROUP <= G::vectors)
            state_take_clean<GROUP * G::width>(s, part, All<GROUP * G::width>(), 0, G::team);
        else
            state_take_clean<GROUP * G::width>(s, part, some, 0, G::team);
    }
    if (G::team <= 32) {
        __syncwarp();
        state_merge_lanes<(G::team < 32 ? G::team : 32)>(s);
        s = shuffle_from(s, (int)threadIdx.x % 32 / G::team * G::team);
    } else {
        state_merge_block<BLOCK>(s, (State *)room);
        if (threadIdx.x == 0) *(State *)room = s;
        __syncthreads();
        s = *(const State *)room;
    }
    return row_finish(s, p, number);
}

/* The same of a row that a thread has alone, as reduce_short.cu takes it. */
template <int GROUP, class G, typename P>
__device__ __forceinline__ Output fold_held_short(const Element (&from)[G::elements], const P &p,
                                                  int number, const RowPlace<G> &) {
    State s = state_empty();
#pragma unroll
    for (int first = 0; first + GROUP <= G::elements; first += GROUP) {
        Element part[GROUP];
#pragma unroll
        for (int k = 0; k < GROUP; k++) part[k] = from[first + k];
        state_take_clean<GROUP>(s, part, All<GROUP>(), first, 1);
    }
#pragma unroll
    for (int at = G::elements / GROUP * GROUP; at < G::elements; at++) {
        Element part[1] = {from[at]};
        state_take_clean<1>(s, part, All<1>(), at, 1);
    }
    return row_finish(s, p, number);
}

/* A tile of a row into a thread's state. Positions count for extremes of which one is the first. */
template <class Pass, class G, typename P, class Results>
__device__ __forceinline__ void take_row_tile(State &s, const P &p, const RowPlace<G> &place,
                                              const Results &results) {
    Element values[G::elements];
    Some some = {0};
    Pass::make(values, p, place, results);
#pragma unroll
    for (int k = 0; k < G::elements; k++)
        some.bits |= (unsigned)(place.is_there && place.has(k / G::width, k % G::width)) << k;
#if FOLD_PLACES
#pragma unroll
    for (int j = 0; j < G::vectors; j++) {
        Element part[G::width];
#pragma unroll
        for (int k = 0; k < G::width; k++) part[k] = values[j * G::width + k];
        state_take_clean<G::width>(s, part, Some{some.bits >> (j * G::width)}, place.at(j, 0), 1);
    }
#else
    if (some.bits == (unsigned)((1ull << G::elements) - 1))
        state_take_clean<G::elements>(s, values, All<G::elements>(), 0, 1);
    else
        state_take_clean<G::elements>(s, values, some, 0, 1);
#endif
}

/* The fold of one row, which its team takes in tiles, in the team's first thread: as reduce_rows.cu
 * does, where `shares` blocks share a row: each leaves its state in `parts`. */
template <class Pass, typename P, class Place, class Results>
__device__ __forceinline__ State fold_tiles(const P &p, Place &place, const Results &results,
                                            tn_i64 shares, State *parts, State *warps) {
    typedef typename Pass::Geometry G;
    const int end = place.skip + (int)place.length, tile = G::team * G::vectors;
    State s = state_empty();
#pragma unroll 1
    for (int share = 0; share < (Pass::splits ? (int)shares : 1); share++) {
        s = state_empty();
        if (place.is_there)
#pragma unroll 1
            for (int begin = share * tile; begin < (end + G::width - 1) / G::width;
                 begin += tile * (Pass::splits ? (int)shares : 1)) {
                place.begin = begin;
                take_row_tile<Pass>(s, p, place, results);
            }
        if (G::team <= 32) {
            __syncwarp();
            state_merge_lanes<(G::team < 32 ? G::team : 32)>(s);
        } else {
            state_merge_block<BLOCK>(s, warps);
        }
        if (Pass::splits && threadIdx.x == 0) parts[share] = s;
    }
    if (!Pass::splits) return s;
    __syncthreads();
    s = state_empty();
#pragma unroll 1
    for (int k = threadIdx.x; k < (int)shares; k += BLOCK) state_merge(s, parts[k]);
    state_merge_block<BLOCK>(s, warps);
    return s;
}

/* The fold of one row that a thread has alone, as reduce_short.cu takes it. */
template <class Pass, typename P, class Place, class Results>
__device__ __forceinline__ State fold_alone(const P &p, const Place &place,
                                            const Results &results) {
    typedef typename Pass::Geometry G;
    State s = state_empty();
    int at = 0;
    if (!place.is_there) return s;
#pragma unroll 1
    for (; at + G::elements <= (int)place.length; at += G::elements) {
        Element values[G::elements];
        RowPlace<RowGeometry<1, 1, G::elements, false, true>> group(place.row, place.length, 0, 0,
                                                                    true);
        group.local = place.local;
        group.begin = at;
        Pass::make(values, p, group, results);
        state_take_clean<G::elements>(s, values, All<G::elements>(), at, 1);
    }
#pragma unroll 1
    for (; at < (int)place.length; at++) {
        Element values[1];
        RowPlace<RowGeometry<1, 1, 1, false, true>> one(place.row, place.length, 0, 0, true);
        one.local = place.local;
        one.begin = at;
        Pass::make(values, p, one, results);
        state_take_clean<1>(s, values, All<1>(), at, 1);
    }
    return s;
}

/* The folds of `count` rows of the block, from row `first` on: their results are for all threads to
 * see after a barrier. */
template <class Pass, typename P, class Results>
__device__ __forceinline__ void fold_pass(const P &p, int number, tn_i64 first, int count,
                                          const Results &results) {
    typedef typename Pass::Geometry G;
#pragma unroll 1
    for (int base = 0; base < count; base += BLOCK / G::team) {
        const int local = base + (int)threadIdx.x / G::team;
        const tn_i64 row = local < count ? first + local : first;
        RowPlace<G> place(row, p.length, G::skips ? Pass::skip(p, row) : 0, threadIdx.x % G::team,
                          local < count);
        place.local = local < count ? local : 0;
        const State s = Pass::is_alone
                            ? fold_alone<Pass>(p, place, results)
                            : fold_tiles<Pass>(p, place, results, p.shares[number],
                                               (State *)results.parts, (State *)results.warps);
        if (place.member == 0 && place.is_there)
            *(Output *)results.of(number, local) = row_finish(s, p, number);
    }
    __syncthreads();
}

#endif
