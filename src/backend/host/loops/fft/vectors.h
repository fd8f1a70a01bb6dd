/* Vectors of `real` (float or double), and complex numbers made of two. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/fft/fft_loops.h"
#include "backend/host/loops/vector_bytes.h"

#include <string.h>

enum { LANES = VECTOR_BYTES / sizeof(real) };

typedef real vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef real loose __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));
typedef real element __attribute__((may_alias));
typedef struct pair {
    vector re, im;
} pair;

#include "backend/host/loops/transpose.h"

INLINE vector load_loose(const element *at) {
    return (vector) * (const loose *)(const void *)at;
}
INLINE void store_loose(element *at, vector value) {
    *(loose *)(void *)at = (loose)value;
}
INLINE pair add(pair a, pair b) {
    return (pair){a.re + b.re, a.im + b.im};
}
INLINE pair subtract(pair a, pair b) {
    return (pair){a.re - b.re, a.im - b.im};
}
/* Times -i. */
INLINE pair turned(pair a) {
    return (pair){a.im, -a.re};
}
INLINE pair times(pair a, pair b) {
    return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/* Times one complex number. */
INLINE pair times_one(pair a, const element *one) {
    const real re = one[0], im = one[1];
    return (pair){a.re * re - a.im * im, a.re * im + a.im * re};
}
/* LANES complex numbers without gaps, and back. */
INLINE pair load_pairs(const element *at) {
    const vector first = load_loose(at), second = load_loose(at + LANES);
    return (pair){SHUFFLE(first, second, EVEN), SHUFFLE(first, second, ODD)};
}
INLINE void store_pairs(element *at, pair a) {
    store_loose(at, SHUFFLE(a.re, a.im, LOW));
    store_loose(at + LANES, SHUFFLE(a.re, a.im, HIGH));
}
INLINE pair reversed(pair a) {
    return (pair){SHUFFLE(a.re, a.re, BACK), SHUFFLE(a.im, a.im, BACK)};
}
