/* The first states of generators whose sequences are far apart: sequence i begins i jumps of
 * 2**67 (XORWOW) or 2**76 (MRG32k3a) words behind the first, as in cuRAND.
 *
 * Algorithm: one step is a linear map, over bits for XORWOW, modulo two primes for MRG32k3a.
 * Squaring its matrix gives the map of a jump, and that takes each sequence to the next. */
#include "core/base/error.h"
#include "ops/random.h"

#include <tenorite/random.h>

enum { BITS = 160, XORWOW_JUMP = 67, MRG_JUMP = 76 };

_Static_assert((int)TN_GENERATOR_ROWS == TNI_LANE_WORDS, "rows of lanes");
_Static_assert((int)TN_GENERATOR_LANES == TNI_RANDOM_LANES, "lanes");
_Static_assert((int)TN_GENERATOR_PHILOX4X32_10 == TNI_PHILOX, "kinds");
_Static_assert((int)TN_GENERATOR_XORWOW == TNI_XORWOW, "kinds");
_Static_assert((int)TN_GENERATOR_MRG32K3A == TNI_MRG32K3A, "kinds");

static void put_column(uint32_t *to, int lane, const uint32_t *state) {
    for (int k = 0; k < TNI_LANE_WORDS; k++)
        to[k * TNI_RANDOM_LANES + lane] = state[k];
}

/* --- XORWOW: column b of a matrix is where the map takes bit b --- */

typedef struct bit_matrix {
    uint32_t columns[BITS][5];
} bit_matrix;

static void map_bits(uint32_t *to, const bit_matrix *matrix, const uint32_t *from) {
    uint32_t sum[5] = {0};
    for (int bit = 0; bit < BITS; bit++) {
        const uint32_t mask = 0 - (from[bit / 32] >> bit % 32 & 1);
        for (int k = 0; k < 5; k++)
            sum[k] ^= matrix->columns[bit][k] & mask;
    }
    for (int k = 0; k < 5; k++)
        to[k] = sum[k];
}

static void make_xorwow_jump(bit_matrix *jump) {
    bit_matrix square;
    for (int bit = 0; bit < BITS; bit++) {
        uint32_t state[TNI_LANE_WORDS] = {0};
        state[bit / 32] = (uint32_t)1 << bit % 32;
        m_next_xorwow(state);
        memcpy(jump->columns[bit], state, sizeof jump->columns[bit]);
    }
    for (int k = 0; k < XORWOW_JUMP; k++) {
        for (int bit = 0; bit < BITS; bit++)
            map_bits(square.columns[bit], jump, jump->columns[bit]);
        *jump = square;
    }
}

/* The counter in the last word comes back to itself after 2**32 words. */
static void make_xorwow(uint32_t *to, uint64_t seed) {
    const uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    const uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    uint32_t state[TNI_LANE_WORDS] = {123456789u + low, 362436069u ^ low, 521288629u + high,
                                      88675123u ^ high, 5783321u + low,   6615241u + low + high};
    bit_matrix jump;
    make_xorwow_jump(&jump);
    for (int lane = 0; lane < TNI_RANDOM_LANES; lane++) {
        put_column(to, lane, state);
        map_bits(state, &jump, state);
    }
}

/* --- MRG32k3a: two recurrences of three words --- */

typedef struct matrix {
    uint64_t at[3][3];
} matrix;

static matrix multiply(const matrix *a, const matrix *b, uint64_t modulus) {
    matrix product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            product.at[i][j] = 0;
            for (int k = 0; k < 3; k++)
                product.at[i][j] =
                    (product.at[i][j] + a->at[i][k] * b->at[k][j] % modulus) % modulus;
        }
    return product;
}

static void map_words(uint32_t *state, const matrix *map, uint64_t modulus) {
    uint64_t sum[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum[i] = (sum[i] + map->at[i][k] * state[k] % modulus) % modulus;
    for (int i = 0; i < 3; i++)
        state[i] = (uint32_t)sum[i];
}

static void make_mrg32k3a(uint32_t *to, uint64_t seed) {
    matrix maps[2] = {{{{0, 1, 0}, {0, 0, 1}, {M_MRG_1 - 810728, 1403580, 0}}},
                      {{{0, 1, 0}, {0, 0, 1}, {M_MRG_2 - 1370589, 0, 527612}}}};
    static const uint64_t moduli[2] = {M_MRG_1, M_MRG_2};
    const uint64_t x[2] = {(uint32_t)seed ^ 0x55555555u, (uint32_t)(seed >> 32) ^ 0xaaaaaaaau};
    uint32_t state[TNI_LANE_WORDS];
    for (int k = 0; k < TNI_LANE_WORDS; k++) {
        const int half = k / 3;
        state[k] = seed ? (uint32_t)(x[k % 2] * 12345 % moduli[half]) : 12345;
    }
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < MRG_JUMP; k++)
            maps[half] = multiply(&maps[half], &maps[half], moduli[half]);
    for (int lane = 0; lane < TNI_RANDOM_LANES; lane++) {
        put_column(to, lane, state);
        for (int half = 0; half < 2; half++)
            map_words(state + 3 * half, &maps[half], moduli[half]);
    }
}

tn_status tn_generator_make_lanes(uint32_t *to, tn_generator_kind kind, uint64_t seed) {
    if (kind == TN_GENERATOR_XORWOW)
        make_xorwow(to, seed);
    else if (kind == TN_GENERATOR_MRG32K3A)
        make_mrg32k3a(to, seed);
    else
        TNI_FAIL(TN_ERROR_VALUE, "random: generators of kind %d have no lanes", (int)kind);
    return TN_OK;
}
