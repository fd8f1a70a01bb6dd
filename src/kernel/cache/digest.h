/* SHA-256, of which the first 128 bits name what is in the cache; and a fast sum that tells
 * damage. */
#ifndef TNI_KERNEL_CACHE_DIGEST_H
#define TNI_KERNEL_CACHE_DIGEST_H

#include <tenorite/status.h>

#include <stddef.h>
#include <stdint.h>

typedef struct tni_key {
    unsigned char bytes[16];
} tni_key;

typedef struct tni_digest {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} tni_digest;

void tni_digest_init(tni_digest *digest);
void tni_digest_add(tni_digest *digest, const void *data, size_t bytes);
/* Adds a text with its length before it, so that two texts in a row never equal two others. */
void tni_digest_add_text(tni_digest *digest, const char *text, size_t length);
/* Ends the digest, which may not be used any more. */
tni_key tni_digest_key(tni_digest *digest);

/* Differs from any other bytes' sum where one word differs, and most likely elsewhere. `seed` may
 * be the sum of what stands before. No protection against intent. */
tni_key tni_checksum(const void *data, size_t bytes, tni_key seed);

#endif
