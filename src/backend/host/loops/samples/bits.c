/* Inner loops of packed bits: eight flags are one word of 64 bits.
 *
 * Packing multiplies the word by a number whose products bring each flag to its bit of the topmost
 * byte, without a carry between them. Unpacking copies the byte to all eight places of a word and
 * keeps one bit of each. */
#include "backend/host/loops/samples/bits.h"

#include "backend/host/loops/entry.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first flag is taken for the lowest byte of a word"
#endif

#define LOW UINT64_C(0x7f7f7f7f7f7f7f7f)
#define ONES UINT64_C(0x0101010101010101)

static inline void pack_by(unsigned char *to, const unsigned char *from, int64_t bytes,
                           uint64_t factor) {
    for (int64_t k = 0; k < bytes; k++) {
        uint64_t word;
        memcpy(&word, from + 8 * k, 8);
        word = ((((word & LOW) + LOW) | word) >> 7) & ONES;
        to[k] = (unsigned char)(word * factor >> 56);
    }
}

static void pack(void *to, const void *from, int64_t bytes, bool is_little) {
    if (is_little)
        pack_by(to, from, bytes, UINT64_C(0x0102040810204080));
    else
        pack_by(to, from, bytes, UINT64_C(0x8040201008040201));
}

static inline void unpack_by(unsigned char *to, const unsigned char *from, int64_t bytes,
                             uint64_t bits) {
    for (int64_t k = 0; k < bytes; k++) {
        uint64_t word = from[k] * ONES & bits;
        word = (((word & LOW) + LOW) | word) >> 7 & ONES;
        memcpy(to + 8 * k, &word, 8);
    }
}

static void unpack(void *to, const void *from, int64_t bytes, bool is_little) {
    if (is_little)
        unpack_by(to, from, bytes, UINT64_C(0x8040201008040201));
    else
        unpack_by(to, from, bytes, UINT64_C(0x0102040810204080));
}

extern const tni_bits_loops LEVEL(tni_bits_loops);
const tni_bits_loops LEVEL(tni_bits_loops) = {pack, unpack};
