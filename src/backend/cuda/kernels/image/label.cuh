/* What the kernels of labels share: a forest over the elements of an image.
 *
 * Decides: an element's parent is an element before it, a root its own; what is background is
 * BACKGROUND. When roots are numbered, a root holds ~number, so that what is below 0 ends a path,
 * and ~BACKGROUND is label 0. The lesser of two roots stays, so a root is the first element of its
 * part.
 * Algorithm: unions by atomic minimum at the greater root, which start again from what they found
 * there if another thread was faster; paths are halved on the way (ECL-CC: Jaiganesh and Burtscher
 * 2018; on images Playne and Hawick 2018). A store that halves a path may undo a minimum that
 * came between, whose thread then goes on from the parent that it found. */
#ifndef LABEL_CUH
#define LABEL_CUH

#include "access.cuh"

#define BACKGROUND ((Index)-1)

/* Tiles of the last two axes, whose neighbours are united first. */
enum { TILE_SIDE = 32 };

/* The lane in which the run of a lane begins: after one that is not set, and where a line does. */
__device__ __forceinline__ int run_start(unsigned set, unsigned lines, int lane, bool is_joined) {
    const unsigned breaks = (~set << 1 | lines | 1u) & 0xffffffffu >> (31 - lane);
    return is_joined ? 31 - __clz((int)breaks) : lane;
}

template <typename Place> __device__ __forceinline__ Place find_root(Place *parents, Place at) {
    Place parent = parents[at];
    while (parent != at) {
        const Place above = parents[parent];
        if (above != parent) parents[at] = above;
        at = parent;
        parent = above;
    }
    return at;
}

template <typename Place> __device__ __forceinline__ void unite(Place *parents, Place a, Place b) {
    while (true) {
        a = find_root(parents, a);
        b = find_root(parents, b);
        if (a == b) return;
        const Place less = a < b ? a : b, more = a < b ? b : a;
        const Place before = atomicMin(&parents[more], less);
        if (before == more) return;
        a = before;
        b = less;
    }
}

#endif
