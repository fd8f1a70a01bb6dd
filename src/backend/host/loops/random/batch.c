/* What batches share: their words, and attempts until all elements are good. */
#include "backend/host/loops/random/batch.h"

#include "backend/host/loops/random/words.h"

void take(batch *b, const int32_t *at, int n, int count, words made) {
    uint64_t blocks[CHUNK], sequences[CHUNK], is_odd[CHUNK], is_any_odd = 0;
    const int padded = whole_vectors(n);
    for (int l = 0; l < n; l++) {
        const int i = at ? at[l] : l;
        const uint64_t taken = (uint64_t)b->taken[i];
        blocks[l] = b->call->block + taken / 2;
        sequences[l] = b->first + (uint64_t)i;
        is_any_odd |= is_odd[l] = taken & 1;
        b->taken[i] += count;
    }
    for (int l = n; l < padded; l++)
        blocks[l] = sequences[l] = 0;
    for (int k = 0; k < count + (int)is_any_odd; k += 2) {
        philox_blocks(made[k], made[k + 1], padded, blocks, sequences, b->call->key);
        for (int l = 0; l < padded; l++)
            blocks[l]++;
    }
    for (int k = 0; is_any_odd && k < count; k++)
        for (int l = 0; l < n; l++)
            made[k][l] = is_odd[l] ? made[k + 1][l] : made[k][l];
}

int places_of(int32_t *places, const int64_t *flags, int n, bool set) {
    int count = 0, l = 0;
#if defined(__AVX512F__) && defined(__AVX512VL__)
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (; l + 8 <= n; l += 8, at = _mm256_add_epi32(at, _mm256_set1_epi32(8))) {
        const __m512i eight = _mm512_loadu_si512(flags + l);
        const __mmask8 mask = _mm512_test_epi64_mask(eight, eight) ^ (set ? 0 : 0xff);
        _mm256_storeu_si256((__m256i_u *)(places + count), _mm256_maskz_compress_epi32(mask, at));
        count += __builtin_popcount(mask);
    }
#endif
    for (; l < n; l++) {
        places[count] = l;
        count += (flags[l] != 0) == set;
    }
    return count;
}

void until_good(batch *b, const int32_t *at, int n, int count, void (*try)(const attempt *),
                const tni_random_columns *numbers, double *values) {
    int32_t left[CHUNK], places[CHUNK];
    column gathered[TN_RANDOM_PARAMETERS], some;
    int64_t is_good[CHUNK];
    words made;
    for (int k = 0; n > 0 && k < TNI_RANDOM_ATTEMPTS; k++) {
        attempt a = {n, made, *numbers, at ? some : values, is_good};
        take(b, at, n, count, made);
        for (int p = 0; p < TN_RANDOM_PARAMETERS; p++)
            if (numbers->of[p])
                a.numbers.of[p] = beside(gathered[p], numbers->of[p], at, n, numbers->same);
        try(&a);
        for (int l = 0; at && l < n; l++)
            values[at[l]] = some[l];
        n = places_of(places, is_good, n, false);
        for (int l = 0; l < n; l++)
            left[l] = at ? at[places[l]] : places[l]; /* places[l] is at least l */
        at = left;
    }
}
