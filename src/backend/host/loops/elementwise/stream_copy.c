/* Copies that bypass the caches (tni_stream_copy of loops.h), for one level.
 *
 * Algorithm: bytes up to the target's next vector boundary, whole vectors by non-temporal stores,
 * the remaining bytes. Such stores are not ordered with others; tni_stream_finish does that. */
#include "backend/host/loops/elementwise/stream_vector.h"
#include "backend/host/loops/entry.h"

void LEVEL(tni_stream_copy)(void *to, const void *from, size_t bytes);

void LEVEL(tni_stream_copy)(void *to, const void *from, size_t bytes) {
    char *r = to;
    const char *a = from;
    size_t head = -(uintptr_t)r % VECTOR_BYTES;
    if (head > bytes) head = bytes;
    memcpy(r, a, head);
    size_t i = head;
    for (; i + VECTOR_BYTES <= bytes; i += VECTOR_BYTES)
        STREAM_VECTOR(r + i, *(const loose_bits *)(a + i));
    memcpy(r + i, a + i, bytes - i);
}
