/* What the forms of sorting share: elements, their keys, and ranks by one digit of the keys.
 *
 * Decides: the order of elements as unsigned integers, with NaNs of either sign after all numbers.
 * With TIES all NaNs have one key, and so have -0 and 0; without, a key is fewer instructions. The
 * key of a complex number has the real part above the imaginary one, and puts numbers with a NaN
 * after all others. Elements are moved as they are: a key is computed wherever it is
 * needed, and needs no way back.
 * A digit is eight bits of the key. All ranks are stable.
 * Algorithm: lanes of a warp with the same digit find each other by eight votes; the first of them
 * moves a counter of the warp.
 *
 * The program defines ELEMENT_BYTES of an element; KIND 0 unsigned, 1 signed, 2 floating, 3
 * complex; MANTISSA, the bits of a floating part's mantissa; DESCENDING 0 or 1; TIES, 1 for complex
 * numbers. */
#ifndef SORT_CUH
#define SORT_CUH

#include "access.cuh"

#define DIGITS 256

struct __align__(16) Sixteen {
    tn_u64 first, second;
};

#if ELEMENT_BYTES == 1
typedef unsigned char Element;
#elif ELEMENT_BYTES == 2
typedef unsigned short Element;
#elif ELEMENT_BYTES == 4
typedef unsigned Element;
#elif ELEMENT_BYTES == 8
typedef tn_u64 Element;
#else
typedef Sixteen Element;
#endif

/* --- Keys --- */

/* A number, or a part of a complex one. */
#define PART_BITS (8 * ELEMENT_BYTES / (KIND == 3 ? 2 : 1))
#if PART_BITS == 64
typedef tn_u64 Part;
typedef tn_i64 SignedPart;
#else
typedef unsigned Part;
typedef int SignedPart;
#endif
#define PART_TOP ((Part)1 << (PART_BITS - 1))
#define PART_ALL (PART_TOP - 1 + PART_TOP)

__device__ __forceinline__ Part order_of(Part bits) {
#if KIND == 0
    return bits;
#elif KIND == 1
    return bits ^ PART_TOP;
#else
    const Part infinity = PART_TOP - ((Part)1 << MANTISSA);
    const int above = (int)sizeof(Part) * 8 - PART_BITS; /* bits that the part has not */
    const Part turn = (Part)((SignedPart)(bits << above) >> (PART_BITS - 1 + above)) | PART_TOP;
    const Part order = (bits ^ turn) & PART_ALL;
#if TIES
    if ((bits & ~PART_TOP) > infinity) return PART_ALL;
    return bits == PART_TOP ? PART_TOP : order;
#else
    /* Negative infinity gets the key 0, and what is below it the largest ones. */
    return (order - (PART_TOP - 1 - infinity)) & PART_ALL;
#endif
#endif
}

#if KIND == 3
/* The two words of a complex number's key. */
struct Words {
    Part high, low;
};

__device__ __forceinline__ Words words_of(Part real, Part imaginary) {
    const Part re = order_of(real), im = order_of(imaginary);
    Words words = {re, im};
    if (im == PART_ALL && re != PART_ALL) words.high = PART_ALL - 2, words.low = re;
    if (re == PART_ALL && im != PART_ALL) words.high = PART_ALL - 1;
    if (DESCENDING) words.high = ~words.high, words.low = ~words.low;
    return words;
}
#endif

#if ELEMENT_BYTES == 16
typedef Words Key;

__device__ __forceinline__ Key key_of(const Element &element) {
    return words_of(element.first, element.second);
}

__device__ __forceinline__ bool is_less(const Key &a, const Key &b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

__device__ __forceinline__ unsigned digit_of_key(const Key &key, int digit) {
    return (unsigned)((digit < 8 ? key.low : key.high) >> (digit % 8 * 8)) & (DIGITS - 1);
}

/* Key bits in which two differ, and bits that either has. */
__device__ __forceinline__ Key key_xor(const Key &a, const Key &b) {
    return Key{a.high ^ b.high, a.low ^ b.low};
}
__device__ __forceinline__ Key key_or(const Key &a, const Key &b) {
    return Key{a.high | b.high, a.low | b.low};
}
#else
#if KIND == 3
typedef tn_u64 Key;

__device__ __forceinline__ Key key_of(Element element) {
    const Words words = words_of((Part)element, (Part)(element >> 32));
    return (Key)words.high << 32 | words.low;
}
#else
typedef Part Key;

__device__ __forceinline__ Key key_of(Element element) {
    const Key key = order_of((Part)element);
    return DESCENDING ? key ^ PART_ALL : key;
}
#endif

__device__ __forceinline__ bool is_less(Key a, Key b) {
    return a < b;
}

__device__ __forceinline__ unsigned digit_of_key(Key key, int digit) {
    return (unsigned)(key >> (digit * 8)) & (DIGITS - 1);
}

__device__ __forceinline__ Key key_xor(Key a, Key b) {
    return a ^ b;
}
__device__ __forceinline__ Key key_or(Key a, Key b) {
    return a | b;
}
#endif

/* --- Ranks of a block's elements by a digit --- */

/* The sum of the numbers of the warp's lanes up to this one. */
template <class Number> __device__ __forceinline__ Number sum_up_to(Number number) {
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const Number other = __shfl_up_sync(0xffffffffu, number, by);
        if ((int)(threadIdx.x % 32) >= by) number += other;
    }
    return number;
}

#ifdef COUNT
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * COUNT)
/* Threads that add up the counters of the warps, and digits of each. */
#define ADDERS (BLOCK < DIGITS ? BLOCK : DIGITS)
#define EACH_ADDS (DIGITS / ADDERS)

typedef unsigned Counts[DIGITS];

/* Of a tile, the place of the thread's element k: a warp has neighbours. */
__device__ __forceinline__ int place_of(int k) {
    return (int)(threadIdx.x / 32) * (32 * COUNT) + k * 32 + (int)(threadIdx.x % 32);
}

__device__ __forceinline__ unsigned lanes_with(unsigned digit) {
    unsigned lanes = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 8; bit++) {
        const bool is_set = digit >> bit & 1;
        const unsigned vote = __ballot_sync(0xffffffffu, is_set);
        lanes &= is_set ? vote : ~vote;
    }
    return lanes;
}

/* Of each element the number of those before it in the warp that have its digit, with the digit in
 * the upper half. Adds the warp's numbers to its counters, which are zero before. `digit` is the
 * number of one, or what else digit_of_key() knows. */
template <class Digit>
__device__ __forceinline__ void rank_in_warp(unsigned (&ranks)[COUNT],
                                             const Element (&elements)[COUNT], const Digit &digit,
                                             int count, unsigned *counts) {
    const unsigned before = (1u << threadIdx.x % 32) - 1, is_last = 1u << 31;
    /* The votes do not wait for the counters. */
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        /* What is after the end goes after everything else. */
        const unsigned own =
            place_of(k) < count ? digit_of_key(key_of(elements[k]), digit) : DIGITS - 1;
        const unsigned lanes = lanes_with(own), lower = lanes & before;
        ranks[k] = own | __popc(lower) << 8 | (lanes >> threadIdx.x % 32 == 1 ? is_last : 0);
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const unsigned own = ranks[k] & (DIGITS - 1);
        const unsigned rank = counts[own] + (ranks[k] >> 8 & 31);
        __syncwarp();
        if (ranks[k] & is_last) counts[own] = rank + 1;
        __syncwarp();
        ranks[k] = own << 16 | rank;
    }
}

/* Makes the warps' counters the ranks of the first element of each digit and warp in the tile;
 * gives the numbers of a digit's elements in the tile and before it, to the threads that add. For
 * all threads, which have met since the counters were made. `sums` has room for a word of each
 * warp that adds. */
__device__ __forceinline__ void add_warps(Counts *counts, unsigned (&totals)[EACH_ADDS],
                                          unsigned (&firsts)[EACH_ADDS], unsigned *sums) {
    const bool adds = threadIdx.x < ADDERS;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = 0;
#pragma unroll
    for (int j = 0; j < EACH_ADDS; j++) {
        totals[j] = 0;
        if (adds) {
#pragma unroll
            for (int w = 0; w < WARPS; w++) totals[j] += counts[w][threadIdx.x * EACH_ADDS + j];
        }
        sum += totals[j];
    }
    const unsigned up_to = sum_up_to(sum);
    if (adds && lane == 31) sums[warp] = up_to;
    __syncthreads();
    unsigned first = up_to - sum;
#pragma unroll
    for (int w = 0; w < ADDERS / 32; w++)
        if (w < (int)warp) first += sums[w];
#pragma unroll
    for (int j = 0; j < EACH_ADDS; j++) {
        firsts[j] = first;
        if (adds) {
            unsigned rank = first;
#pragma unroll
            for (int w = 0; w < WARPS; w++) {
                unsigned *at = &counts[w][threadIdx.x * EACH_ADDS + j];
                const unsigned own = *at;
                *at = rank;
                rank += own;
            }
        }
        first += totals[j];
    }
    __syncthreads();
}
#endif

#endif
