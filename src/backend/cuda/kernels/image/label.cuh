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

__device__ __forceinline__ Index find_root(Index *parents, Index at) {
    Index parent = parents[at];
    while (parent != at) {
        const Index above = parents[parent];
        if (above != parent) parents[at] = above;
        at = parent;
        parent = above;
    }
    return at;
}

__device__ __forceinline__ void unite(Index *parents, Index a, Index b) {
    while (true) {
        a = find_root(parents, a);
        b = find_root(parents, b);
        if (a == b) return;
        const Index less = a < b ? a : b, more = a < b ? b : a;
        const Index before = atomicMin(&parents[more], less);
        if (before == more) return;
        a = before;
        b = less;
    }
}

#endif
