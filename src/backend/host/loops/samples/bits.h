/* Inner loops of packed bits: whole bytes of bits alone. */
#ifndef TNI_BITS_LOOPS_H
#define TNI_BITS_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tni_bits_loops {
    /* Byte k of `to` from the eight flags at from + 8 * k; flags other than 0 are set. */
    void (*pack)(void *to, const void *from, int64_t bytes, bool is_little);
    /* The eight flags of each byte, 0 or 1. */
    void (*unpack)(void *to, const void *from, int64_t bytes, bool is_little);
} tni_bits_loops;

#endif
