/* The first states of generators whose sequences are far apart: sequence i begins i jumps of
 * 2**67 (XORWOW) or 2**76 (MRG32k3a) words after the first, as in cuRAND.
 *
 * Algorithm: one step is a linear map, over bits for XORWOW, modulo two primes for MRG32k3a.
 * Squaring its matrix gives the map of a jump, and that takes each sequence to the next. */
#include "core/base/error.h"
#include "ops/random.h"

#include <tenorite/random.h>

enum { BITS = 160, XORWOW_JUMP = 67, MRG_JUMP = 76, LANE_BITS = 14 };

_Static_assert((int)TN_GENERATOR_ROWS == TNI_LANE_WORDS, "rows of lanes");
_Static_assert((int)TN_GENERATOR_LANES == TNI_RANDOM_LANES, "lanes");
_Static_assert(TN_GENERATOR_LANES == 1 << LANE_BITS, "lanes");
_Static_assert((int)TN_GENERATOR_PHILOX4X32_10 == TNI_PHILOX, "kinds");
_Static_assert((int)TN_GENERATOR_XORWOW == TNI_XORWOW, "kinds");
_Static_assert((int)TN_GENERATOR_MRG32K3A == TNI_MRG32K3A, "kinds");

static void put_column(uint32_t *to, int lane, const uint32_t *state) {
    for (int k = 0; k < TNI_LANE_WORDS; k++)
        to[k * TNI_RANDOM_LANES + lane] = state[k];
}

static void get_column(uint32_t *state, const uint32_t *from, int lane) {
    for (int k = 0; k < TNI_LANE_WORDS; k++)
        state[k] = from[k * TNI_RANDOM_LANES + lane];
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

static void double_bits(bit_matrix *jump, int times) {
    bit_matrix square;
    for (int k = 0; k < times; k++) {
        for (int bit = 0; bit < BITS; bit++)
            map_bits(square.columns[bit], jump, jump->columns[bit]);
        *jump = square;
    }
}

static void make_xorwow_jump(bit_matrix *jump) {
    for (int bit = 0; bit < BITS; bit++) {
        uint32_t state[TNI_LANE_WORDS] = {0};
        state[bit / 32] = (uint32_t)1 << bit % 32;
        m_next_xorwow(state);
        memcpy(jump->columns[bit], state, sizeof jump->columns[bit]);
    }
    double_bits(jump, XORWOW_JUMP);
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

static void jump_xorwow(uint32_t *lanes, uint64_t jumps) {
    bit_matrix jump;
    make_xorwow_jump(&jump);
    for (double_bits(&jump, LANE_BITS); jumps; jumps >>= 1, double_bits(&jump, 1))
        for (int lane = 0; jumps & 1 && lane < TNI_RANDOM_LANES; lane++) {
            uint32_t state[TNI_LANE_WORDS];
            get_column(state, lanes, lane);
            map_bits(state, &jump, state);
            put_column(lanes, lane, state);
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

static const uint64_t moduli[2] = {M_MRG_1, M_MRG_2};

static void double_words(matrix *maps, int times) {
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < times; k++)
            maps[half] = multiply(&maps[half], &maps[half], moduli[half]);
}

static void make_mrg_jump(matrix *maps) {
    static const matrix steps[2] = {{{{0, 1, 0}, {0, 0, 1}, {M_MRG_1 - 810728, 1403580, 0}}},
                                    {{{0, 1, 0}, {0, 0, 1}, {M_MRG_2 - 1370589, 0, 527612}}}};
    memcpy(maps, steps, sizeof steps);
    double_words(maps, MRG_JUMP);
}

static void map_state(uint32_t *state, const matrix *maps) {
    for (int half = 0; half < 2; half++)
        map_words(state + 3 * half, &maps[half], moduli[half]);
}

static void make_mrg32k3a(uint32_t *to, uint64_t seed) {
    const uint64_t x[2] = {(uint32_t)seed ^ 0x55555555u, (uint32_t)(seed >> 32) ^ 0xaaaaaaaau};
    uint32_t state[TNI_LANE_WORDS];
    for (int k = 0; k < TNI_LANE_WORDS; k++) {
        const int half = k / 3;
        state[k] = seed ? (uint32_t)(x[k % 2] * 12345 % moduli[half]) : 12345;
    }
    matrix maps[2];
    make_mrg_jump(maps);
    for (int lane = 0; lane < TNI_RANDOM_LANES; lane++) {
        put_column(to, lane, state);
        map_state(state, maps);
    }
}

static void jump_mrg32k3a(uint32_t *lanes, uint64_t jumps) {
    matrix maps[2];
    make_mrg_jump(maps);
    for (double_words(maps, LANE_BITS); jumps; jumps >>= 1, double_words(maps, 1))
        for (int lane = 0; jumps & 1 && lane < TNI_RANDOM_LANES; lane++) {
            uint32_t state[TNI_LANE_WORDS];
            get_column(state, lanes, lane);
            map_state(state, maps);
            put_column(lanes, lane, state);
        }
}

static tn_status check_lanes(tn_generator_kind kind) {
    if (kind != TN_GENERATOR_XORWOW && kind != TN_GENERATOR_MRG32K3A)
        TNI_FAIL(TN_ERROR_VALUE, "random: generators of kind %d have no lanes", (int)kind);
    return TN_OK;
}

tn_status tn_generator_make_lanes(uint32_t *to, tn_generator_kind kind, uint64_t seed) {
    TNI_TRY(check_lanes(kind));
    (kind == TN_GENERATOR_XORWOW ? make_xorwow : make_mrg32k3a)(to, seed);
    return TN_OK;
}

tn_status tn_generator_jump_lanes(uint32_t *lanes, tn_generator_kind kind, uint64_t jumps) {
    TNI_TRY(check_lanes(kind));
    (kind == TN_GENERATOR_XORWOW ? jump_xorwow : jump_mrg32k3a)(lanes, jumps);
    return TN_OK;
}
