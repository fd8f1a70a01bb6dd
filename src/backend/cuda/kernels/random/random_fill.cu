/* A filled distribution (ops/random.h): a thread makes the elements of one block of words at a
 * time, or of two short ones.
 *
 * The program defines Stored, PER (elements of a block: 4 or 2), RANDOM_BOUNDED 0 or 1, and,
 * where it is 0, random_make(Stored *to, const tn_u32 *words). Bounded integers
 * are made of 32-bit words if PER is 4 (Lemire, 2019); a rejected one is drawn anew from its own
 * sequence. */
#define HEADER "random.h"
#define MACROS BLOCK, PER, WIDE_INDEX
#include "random_place.cuh"

struct Params {
    char *to;
    tn_i64 count;
    tn_u64 key, block;
    double location, scale;
    tn_u64 low, span, bound, least; /* bound 0: every word is good */
};

#if RANDOM_BOUNDED
__device__ __forceinline__ void random_fill(Stored *to, const tn_u32 *w, const Params &p,
                                            tn_i64 first) {
#pragma unroll
    for (int k = 0; k < PER; k++) {
        const tn_u64 word = PER == 4 ? w[k] : m_word64(w[2 * k % 4], w[(2 * k + 1) % 4]);
        const tn_u64 product = word * p.bound;
        tn_u64 value = p.bound == 0 ? word : PER == 4 ? product >> 32 : m_high64(word, p.bound);
        if (p.bound != 0 && (PER == 4 ? (tn_u64)(tn_u32)product : product) < p.least) {
            tn_draws draws = m_draws_of(p.key, 1 + (tn_u64)(first + k), p.block);
            value = m_next_bounded(&draws, p.span);
        }
        to[k] = (Stored)(value + p.low);
    }
}
#else
__device__ __forceinline__ void random_fill(Stored *to, const tn_u32 *w, const Params &p, tn_i64) {
    random_make(to, w);
#pragma unroll
    for (int k = 0; k < PER; k++) to[k] = random_place(to[k], p.location, p.scale);
}
#endif

enum { MADE = 4, BLOCKS = MADE / PER };

/* By stores of at most 16 bytes. */
__device__ __forceinline__ void store_whole(Stored *to, const Stored (&values)[MADE]) {
    enum { WIDTH = sizeof(Stored) * MADE <= 16 ? MADE : 16 / (int)sizeof(Stored) };
#pragma unroll
    for (int k = 0; k < MADE; k += WIDTH) {
        Stored part[WIDTH];
#pragma unroll
        for (int j = 0; j < WIDTH; j++) part[j] = values[k + j];
        store_vector<Stored, WIDTH>(to + k, part);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 first = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) * MADE; first < p.count;
         first += (tn_i64)gridDim.x * BLOCK * MADE) {
        Stored values[MADE];
#pragma unroll
        for (int k = 0; k < BLOCKS; k++) {
            const tn_words words = m_philox(p.block + (tn_u64)(first / PER + k), 0, p.key);
            random_fill(values + k * PER, words.at, p, first + k * PER);
        }
        Stored *to = (Stored *)p.to + first;
        if (first + MADE <= p.count && ((tn_u64)p.to & 15) == 0) {
            store_whole(to, values);
        } else {
#pragma unroll
            for (int k = 0; k < MADE; k++)
                if (first + k < p.count) to[k] = values[k];
        }
    }
}
