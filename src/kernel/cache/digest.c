/* SHA-256 (FIPS 180-4), plainly: a program's text is hashed once per kernel and process. The
 * checksum of images, which are larger, is two lanes of multiplications, at the speed of memory. */
#include "kernel/cache/digest.h"

#include <string.h>

/* The fractions of the cube roots of the first 64 primes, and of the square roots of the first
 * 8. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static const uint32_t first_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotate(uint32_t x, int bits) {
    return x >> bits | x << (32 - bits);
}

static void mix_block(uint32_t state[8], const unsigned char *block) {
    uint32_t w[64], s[8];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int t = 0; t < 64; t++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choice +
                       round_constants[t] + w[t];
        uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int k = 0; k < 8; k++)
        state[k] += s[k];
}

void tni_digest_init(tni_digest *digest) {
    memcpy(digest->state, first_state, sizeof first_state);
    digest->length = 0;
}

void tni_digest_add(tni_digest *digest, const void *data, size_t bytes) {
    const unsigned char *from = data;
    size_t filled = digest->length % 64;
    digest->length += bytes;
    if (filled + bytes >= 64) {
        size_t rest = 64 - filled;
        memcpy(digest->block + filled, from, rest);
        mix_block(digest->state, digest->block);
        for (from += rest, bytes -= rest; bytes >= 64; from += 64, bytes -= 64)
            mix_block(digest->state, from);
        filled = 0;
    }
    if (bytes) memcpy(digest->block + filled, from, bytes);
}

void tni_digest_add_text(tni_digest *digest, const char *text, size_t length) {
    uint64_t size = length;
    tni_digest_add(digest, &size, sizeof size);
    tni_digest_add(digest, text, length);
}

tni_key tni_digest_key(tni_digest *digest) {
    static const unsigned char padding[64] = {0x80};
    uint64_t bits = digest->length * 8;
    unsigned char end[8];
    tni_key key;
    for (int k = 0; k < 8; k++)
        end[k] = (unsigned char)(bits >> (56 - 8 * k));
    tni_digest_add(digest, padding, 1 + (119 - digest->length % 64) % 64);
    tni_digest_add(digest, end, 8);
    for (int k = 0; k < 16; k++)
        key.bytes[k] = (unsigned char)(digest->state[k / 4] >> (24 - 8 * (k % 4)));
    return key;
}

static uint64_t mix_word(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

tni_key tni_checksum(const void *data, size_t bytes, tni_key seed) {
    const unsigned char *from = data;
    uint64_t sums[2], words[2];
    size_t length = bytes;
    memcpy(sums, seed.bytes, sizeof sums);
    for (; bytes >= sizeof words; bytes -= sizeof words, from += sizeof words) {
        memcpy(words, from, sizeof words);
        sums[0] = mix_word(sums[0], words[0]);
        sums[1] = mix_word(sums[1], words[1]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, from, bytes);
    sums[0] = mix_word(mix_word(sums[0], words[0]), length);
    sums[1] = mix_word(mix_word(sums[1], words[1]), sums[0]);
    tni_key key;
    memcpy(key.bytes, sums, sizeof sums);
    return key;
}
