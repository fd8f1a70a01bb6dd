/* Copies that bypass the caches (tni_stream_copy of loops.h), for one level.
 *
 * Algorithm: bytes up to the target's next vector boundary, whole vectors by non-temporal stores,
 * the remaining bytes. Such stores are not ordered with others; tni_stream_finish does that. */
#include "backend/host/loops/entry.h"

void LEVEL(tni_stream_copy)(void *to, const void *from, size_t bytes);

#if defined(__SSE2__)
#include <immintrin.h>

#if defined(__AVX512F__)
typedef __m512i vector;
#define LOAD(p) _mm512_loadu_si512(p)
#define STREAM(p, v) _mm512_stream_si512((vector *)(p), v)
#elif defined(__AVX2__)
typedef __m256i vector;
#define LOAD(p) _mm256_loadu_si256((const vector *)(p))
#define STREAM(p, v) _mm256_stream_si256((vector *)(p), v)
#else
typedef __m128i vector;
#define LOAD(p) _mm_loadu_si128((const vector *)(p))
#define STREAM(p, v) _mm_stream_si128((vector *)(p), v)
#endif

void LEVEL(tni_stream_copy)(void *to, const void *from, size_t bytes) {
    char *r = to;
    const char *a = from;
    size_t head = -(uintptr_t)r % sizeof(vector);
    if (head > bytes) head = bytes;
    memcpy(r, a, head);
    size_t i = head;
    for (; i + sizeof(vector) <= bytes; i += sizeof(vector))
        STREAM(r + i, LOAD(a + i));
    memcpy(r + i, a + i, bytes - i);
}

#else

void LEVEL(tni_stream_copy)(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

#endif
