/* The chain of a dtype: T, with WORD and NATURAL, integers of its size with and without a sign;
 * IF_F and IF_I, which pass their text or drop it; ROOT and MAGNITUDE, of a vector. Included by
 * chain_loops.c. */
#define NAMED(name) TN_PASTE(TN_PASTE(name, _), T)
#define V NAMED(vector)
#define LOOSE NAMED(loose)
#define S(a) ((NAMED(words))(a))
#define U(a) ((NAMED(naturals))(a))
#define BITS (8 * (int)sizeof(T))
#define TILE(count, way) TN_PASTE(NAMED(TN_PASTE(tile_, way)), TN_PASTE(_, count))

typedef T V __attribute__((vector_size(VECTOR_BYTES)));
typedef T LOOSE __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef WORD NAMED(words) __attribute__((vector_size(VECTOR_BYTES)));
typedef NATURAL NAMED(naturals) __attribute__((vector_size(VECTOR_BYTES)));

/* A vector of which there are n bytes. */
static inline V NAMED(load)(const char *from, int64_t n) {
    V a = {0};
    memcpy(&a, from, (size_t)n);
    return a;
}

IF_F(static inline V NAMED(root)(V a) {
    for (int k = 0; k < (int)(VECTOR_BYTES / sizeof(T)); k++)
        a[k] = ROOT_OF(a[k]);
    return a;
})

#define COUNT MOST
#define WAY WHOLE
#include "backend/host/loops/elementwise/chain_tile.h"
#define COUNT 4
#define WAY WHOLE
#include "backend/host/loops/elementwise/chain_tile.h"
#define COUNT 1
#define WAY WHOLE
#include "backend/host/loops/elementwise/chain_tile.h"
#define COUNT 1
#define WAY PART
#include "backend/host/loops/elementwise/chain_tile.h"

static void NAMED(chain)(const tni_link *links, int64_t count) {
    const int64_t bytes = count * (int64_t)sizeof(T), whole = bytes - bytes % TNI_LANE_BYTES;
    int64_t at = 0;
    for (; at + MOST * VECTOR_BYTES <= bytes; at += MOST * VECTOR_BYTES)
        TILE(MOST, WHOLE)(links, at, 0, false);
    for (; at + 4 * VECTOR_BYTES <= bytes; at += 4 * VECTOR_BYTES)
        TILE(4, WHOLE)(links, at, 0, at >= whole);
    for (; at + VECTOR_BYTES <= bytes; at += VECTOR_BYTES)
        TILE(1, WHOLE)(links, at, 0, at >= whole);
    if (at < bytes) TILE(1, PART)(links, at, bytes - at, true);
}

#undef NAMED
#undef V
#undef LOOSE
#undef S
#undef U
#undef BITS
#undef TILE
#undef T
#undef WORD
#undef NATURAL
#undef IF_F
#undef IF_I
#undef ROOT_OF
#undef MAGNITUDE
