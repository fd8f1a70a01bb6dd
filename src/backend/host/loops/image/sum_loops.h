/* The sums of a dtype: a file defines the type real and NAME(x), and includes this.
 *
 * A block of outputs stays in vector registers while the taps pass. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/image/image_loops.h"
#include "backend/host/loops/vector_bytes.h"

#include <string.h>

enum { VECTORS = 8, LANES = VECTOR_BYTES / sizeof(real), BLOCK = VECTORS * LANES };
_Static_assert(VECTORS *VECTOR_BYTES <= TNI_IMAGE_SLACK, "blocks are too wide");

typedef real vector __attribute__((vector_size(VECTOR_BYTES)));
typedef real loose __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef real element __attribute__((may_alias));

#define EACH_VECTOR _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++)

static inline vector load(const element *from) {
    return *(const loose *)(const void *)from;
}

static inline void store_block(element *to, const vector *sums) {
    EACH_VECTOR *(loose *)(void *)(to + v * LANES) = sums[v];
}

static void sum(void *to, const void *from, const int64_t *offsets, const void *beside,
                int64_t count, int64_t n) {
    const element *array = from, *weights = beside;
    for (int64_t i = 0; i < n; i += BLOCK) {
        vector sums[VECTORS];
        memset(sums, 0, sizeof sums);
        for (int64_t k = 0; k < count; k++) {
            const element *at = array + offsets[k] + i;
            if (!weights) {
                EACH_VECTOR sums[v] += load(at + v * LANES);
                continue;
            }
            const vector weight = weights[k] - (vector){0};
            EACH_VECTOR sums[v] += load(at + v * LANES) * weight;
        }
        store_block((element *)to + i, sums);
    }
}

static void pairs(void *to, const void *from, const int64_t *offsets, const void *beside,
                  int64_t count, int sign, int64_t n) {
    const element *array = from, *weights = beside;
    for (int64_t i = 0; i < n; i += BLOCK) {
        vector sums[VECTORS];
        const element *middle = array + offsets[count / 2] + i;
        EACH_VECTOR sums[v] = load(middle + v * LANES) * weights[count / 2];
        for (int64_t k = 0; k < count / 2; k++) {
            const element *low = array + offsets[k] + i;
            const element *high = array + offsets[count - 1 - k] + i;
            const vector weight = weights[k] - (vector){0};
            if (sign > 0) {
                EACH_VECTOR sums[v] += (load(low + v * LANES) + load(high + v * LANES)) * weight;
            } else {
                EACH_VECTOR sums[v] += (load(low + v * LANES) - load(high + v * LANES)) * weight;
            }
        }
        store_block((element *)to + i, sums);
    }
}

static void add(void *to, const void *a, const void *b, int64_t n) {
    element *sums = to;
    const element *first = a, *second = b;
    for (int64_t i = 0; i < n; i += LANES)
        *(loose *)(void *)(sums + i) = load(first + i) + load(second + i);
}

static void divide(void *to, double divisor, int64_t n) {
    element *values = to;
    for (int64_t i = 0; i < n; i += LANES)
        *(loose *)(void *)(values + i) = load(values + i) / (real)divisor;
}

extern const tni_sum_loops LEVEL(NAME(tni_sum_loops));
const tni_sum_loops LEVEL(NAME(tni_sum_loops)) = {sum, pairs, add, divide};
