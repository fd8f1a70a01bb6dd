/* Stores of whole vectors that bypass the caches, where the instruction set has them. */
#ifndef TNI_HOST_STREAM_VECTOR_H
#define TNI_HOST_STREAM_VECTOR_H

#include "backend/host/loops/vector_bytes.h"

typedef long long vector_bits __attribute__((vector_size(VECTOR_BYTES)));
typedef long long loose_bits __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

/* `to` is a multiple of VECTOR_BYTES. */
#if defined(__SSE2__)
#include <immintrin.h>

#if defined(__AVX512F__)
#define STREAM_VECTOR(to, v) _mm512_stream_si512((void *)(to), (__m512i)(v))
#elif defined(__AVX__)
#define STREAM_VECTOR(to, v) _mm256_stream_si256((void *)(to), (__m256i)(v))
#else
#define STREAM_VECTOR(to, v) _mm_stream_si128((void *)(to), (__m128i)(v))
#endif
#else
#define STREAM_VECTOR(to, v) (*(loose_bits *)(to) = (v))
#endif

#endif
