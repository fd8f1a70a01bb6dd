/* What the launches of a selection share: pivots, and the classes that they part a row in.
 *
 * The program defines PIVOTS, and what sort_passes.cuh asks for but with integers as keys. */
#ifndef SORT_PIVOTS_CUH
#define SORT_PIVOTS_CUH

#include "sort_passes.cuh"

/* The key of a wanted rank, as far as it is known. */
struct __align__(16) Pivot {
    Key prefix;  /* its digits so far */
    Total rank;  /* of the wanted element among those that share them */
    Total below; /* elements with smaller digits */
    Total equal; /* elements that share them */
};

/* Keys in ascending order, between which the classes lie. */
struct Pivots {
    Key keys[PIVOTS];
};

/* A class is a digit: twice the number of smaller pivots, and one more if a pivot is equal. */
__device__ __forceinline__ unsigned digit_of_key(const Key &key, const Pivots &pivots) {
    unsigned smaller = 0, is_equal = 0;
#pragma unroll
    for (int k = 0; k < PIVOTS; k++) {
        smaller += pivots.keys[k] < key;
        is_equal |= pivots.keys[k] == key;
    }
    return 2 * smaller + is_equal;
}

#endif
