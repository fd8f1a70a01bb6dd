/* The rows of a product of two sparse matrices, each with room for all its terms: a team of threads
 * a row, whose columns it looks up in a hash table.
 *
 * The program defines Value, Value csr_multiply(Value, Value), Value csr_add(Value, Value), BLOCK,
 * WIDE, TEAM (a warp for short rows, a block for long ones), SHORT (the most terms of a short row).
 * Invariant: columns stand in the order in which they are first met, and terms of one column are
 * added in theirs, so that nothing depends on which thread is faster.
 * Algorithm: a team takes as many terms at a time as it has threads. Each finds the slot of its
 * column; of those that meet a new one the first claims it, and the winners are ranked. What is not
 * the first of its column is then added, warp after warp, and within a warp by the lowest thread of
 * each column. A table has at least twice as many slots as the row has terms; that of a long row
 * lies in memory that is 4 slots for each term of the long rows before it. */
#define MACROS BLOCK, WIDE, SHORT, TEAM
#include "access.cuh"
#include "csr.cuh"

struct Params {
    const CsrIndex *a_starts, *a_indices;
    const Value *a_values;
    const CsrIndex *b_starts, *b_indices;
    const Value *b_values;
    tn_i64 rows, inner, columns, a_count, b_count;
    const tn_i64 *terms, *long_terms; /* sums of the rows before */
    CsrIndex *indices;                /* with room for all terms, and the next */
    Value *values;
    tn_i64 *counts;
    CsrIndex *keys;   /* of long rows */
    unsigned *places; /* of long rows */
    tn_i64 text;
    Bounds bounds;
};

#define IS_LONG (TEAM != 32)
#define TEAMS (BLOCK / TEAM)
#define OWN (IS_LONG ? 1 : 2 * SHORT) /* slots of a team in shared memory */
#define NOBODY 0xffffffffu
#define CLAIM 0x80000000u
#define NO_INDEX ((CsrIndex)-1)

#if WIDE
__device__ __forceinline__ CsrIndex exchange(CsrIndex *at, CsrIndex value) {
    return (CsrIndex)atomicCAS((tn_u64 *)at, (tn_u64)NO_INDEX, (tn_u64)value);
}
#else
__device__ __forceinline__ CsrIndex exchange(CsrIndex *at, CsrIndex value) {
    return atomicCAS(at, NO_INDEX, value);
}
#endif

__device__ __forceinline__ void team_wait() {
    if (IS_LONG)
        __syncthreads();
    else
        __syncwarp();
}

/* The sum of `value` over the team's threads before this one; `total` over all. */
__device__ __forceinline__ tn_i64 team_scan(tn_i64 value, tn_i64 &total) {
    const int lane = threadIdx.x % 32;
    tn_i64 sum = value;
    for (int by = 1; by < 32; by *= 2) {
        const tn_i64 other = shuffle_up(sum, by, 32);
        if (lane >= by) sum += other;
    }
    total = shuffle_from(sum, 31);
#if IS_LONG
    __shared__ tn_i64 warps[BLOCK / 32];
    __syncthreads();
    if (lane == 0) warps[threadIdx.x / 32] = total;
    __syncthreads();
    total = 0;
    for (int k = 0; k < BLOCK / 32; k++) {
        if (k < (int)threadIdx.x / 32) sum += warps[k];
        total += warps[k];
    }
#endif
    return sum - value;
}

/* A team's row of a, some elements of it at a time. */
struct Team {
    tn_i64 begins[TEAM]; /* terms before those of an element */
    tn_i64 firsts[TEAM]; /* the element of b that its first term has */
    Value factors[TEAM];
};

struct Table {
    CsrIndex *keys;
    unsigned *places; /* of a column in its row; before: the claim on it */
    tn_i64 mask;
};

/* Takes the next elements of the row from `first` on; their terms. */
__device__ __forceinline__ tn_i64 take(const Params &p, Team &team, int member, tn_i64 first,
                                       tn_i64 end) {
    tn_i64 length = 0, total;
    team_wait();
    if (first + member < end) {
        const tn_i64 column = p.a_indices[first + member];
        if (column >= 0 && column < p.inner) {
            const CsrRow b(p.b_starts, column, p.b_count, p.bounds, p.text);
            team.firsts[member] = b.begin;
            team.factors[member] = p.a_values[first + member];
            length = b.end - b.begin;
        }
    }
    team.begins[member] = team_scan(length, total);
    team_wait();
    return total;
}

__device__ __forceinline__ tn_i64 find(const Table &table, CsrIndex column) {
    tn_i64 slot = (tn_i64)((tn_u64)column * 0x9e3779b97f4a7c15ull >> 24) & table.mask;
    for (;; slot = (slot + 1) & table.mask) {
        CsrIndex seen = *(volatile CsrIndex *)(table.keys + slot);
        if (seen == NO_INDEX) seen = exchange(table.keys + slot, column);
        if (seen == NO_INDEX || seen == column) return slot;
    }
}

/* Adds the values of those that ask to the row's values at their places: a warp. */
__device__ __forceinline__ void add(Value *values, bool asks, unsigned place, const Value &value) {
    const unsigned mine = asks ? place : NOBODY;
    unsigned same = __match_any_sync(0xffffffffu, mine);
    const bool leads = asks && __ffs(same) - 1 == (int)(threadIdx.x % 32);
    Value sum = leads ? csr_add(values[place], value) : Value();
    same &= same - 1;
    while (__any_sync(0xffffffffu, leads && same)) {
        const Value other = shuffle_from(value, leads && same ? __ffs(same) - 1 : 0);
        if (leads && same) sum = csr_add(sum, other);
        same &= same - 1;
    }
    if (leads) values[place] = sum;
}

/* The terms [at, at + TEAM) of what was taken; `count` columns are known. */
__device__ __forceinline__ void put(const Params &p, const Team &team, const Table &table,
                                    int member, tn_i64 at, tn_i64 total, tn_i64 room,
                                    tn_i64 &count) {
    const bool is_there = at + member < total;
    CsrIndex column = NO_INDEX;
    Value value = Value();
    if (is_there) {
        const tn_i64 k = csr_find(team.begins, 0, TEAM, at + member, true) - 1;
        const tn_i64 from = team.firsts[k] + at + member - team.begins[k];
        column = p.b_indices[from];
        value = csr_multiply(team.factors[k], p.b_values[from]);
        if (column < 0 || column >= p.columns) {
            report_structure(p.bounds, p.text);
            column = NO_INDEX;
        }
    }
    const bool counts = column != NO_INDEX;
    const tn_i64 slot = counts ? find(table, column) : 0;
    unsigned *const place = table.places + slot;
    if (counts && *(volatile unsigned *)place >= CLAIM) atomicMin(place, CLAIM + member);
    team_wait();
    const bool is_new = counts && *(volatile unsigned *)place == CLAIM + member;
    tn_i64 found;
    const tn_i64 rank = count + team_scan(is_new, found);
    team_wait();
    if (is_new) {
        *(volatile unsigned *)place = (unsigned)rank;
        p.indices[room + rank] = column;
        p.values[room + rank] = value;
    }
    count += found;
    team_wait();
    const bool asks = counts && !is_new;
    const unsigned to = asks ? *(volatile unsigned *)place : NOBODY;
#if IS_LONG
    if (!__syncthreads_or(asks)) return;
    for (int k = 0; k < BLOCK / 32; k++) {
        if (k == (int)threadIdx.x / 32) add(p.values + room, asks, to, value);
        __syncthreads();
    }
#else
    if (__any_sync(0xffffffffu, asks)) add(p.values + room, asks, to, value);
    __syncwarp();
#endif
}

__device__ __forceinline__ Table clear(const Params &p, tn_i64 row, tn_i64 terms, int member,
                                       CsrIndex *own_keys, unsigned *own_places) {
    Table table = {own_keys, own_places, 64 - 1};
    while (table.mask + 1 < 2 * terms) table.mask = 2 * table.mask + 1;
    if (IS_LONG) {
        table.keys = p.keys + 4 * p.long_terms[row];
        table.places = p.places + 4 * p.long_terms[row];
    }
    team_wait();
    for (tn_i64 k = member; k <= table.mask; k += TEAM) {
        table.keys[k] = NO_INDEX;
        table.places[k] = NOBODY;
    }
    team_wait();
    return table;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Team teams[TEAMS];
    __shared__ CsrIndex keys[TEAMS * OWN];
    __shared__ unsigned places[TEAMS * OWN];
    const int own = threadIdx.x / TEAM, member = threadIdx.x % TEAM;
    for (tn_i64 row = blockIdx.x * (tn_i64)TEAMS + own; row < p.rows;
         row += (tn_i64)gridDim.x * TEAMS) {
        const tn_i64 room = p.terms[row], terms = p.terms[row + 1] - room;
        if ((terms > SHORT) != IS_LONG) continue;
        const CsrRow a(p.a_starts, row, p.a_count, p.bounds, p.text);
        const Table table = clear(p, row, terms, member, keys + own * OWN, places + own * OWN);
        tn_i64 count = 0, done = 0;
        for (tn_i64 first = a.begin; first < a.end; first += TEAM) {
            const tn_i64 total = take(p, teams[own], member, first, a.end);
            if ((done += total) > terms) break;
            for (tn_i64 at = 0; at < total; at += TEAM)
                put(p, teams[own], table, member, at, total, room, count);
        }
        if (member == 0) p.counts[row] = count;
    }
}
