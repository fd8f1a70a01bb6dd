/* Loops over integer indices: bounds and offsets, gathering, scattering.
 *
 * Indices become byte offsets in blocks that stay in the L1 cache, so that reading any integer
 * dtype, wrapping and checking are one vectorised loop each, and moving items is another with
 * nothing left to decide. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/index/index_loops.h"

#include <string.h>
#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* --- Offsets --- */

/* `stride` and `mode` are constants where this is called, so each use is a loop of its own. */
#define RESOLVE(suffix, type)                                                                      \
    INLINE bool resolve_as_##suffix(int64_t *offsets, const char *indices, int64_t stride,         \
                                    int64_t count, int64_t size, int64_t axis_stride,              \
                                    tn_index_mode mode) {                                          \
        uint64_t bad = 0;                                                                          \
        for (int64_t j = 0; j < count; j++) {                                                      \
            int64_t index = (int64_t) * (const type *)(indices + j * stride);                      \
            if (mode == TN_INDEX_RAISE) {                                                          \
                index += (index >> 63) & size;                                                     \
                bad |= (uint64_t)index >= (uint64_t)size;                                          \
            } else if (mode == TN_INDEX_CLIP) {                                                    \
                index = index < 0 ? 0 : index;                                                     \
                index = index < size ? index : size - 1;                                           \
            } else if ((uint64_t)index >= (uint64_t)size) {                                        \
                index %= size;                                                                     \
                index += (index >> 63) & size;                                                     \
            }                                                                                      \
            offsets[j] = index * axis_stride;                                                      \
        }                                                                                          \
        return bad != 0;                                                                           \
    }                                                                                              \
    static bool resolve_##suffix(int64_t *offsets, const char *indices, int64_t stride,            \
                                 int64_t count, int64_t size, int64_t axis_stride,                 \
                                 tn_index_mode mode) {                                             \
        if (mode == TN_INDEX_RAISE && stride == sizeof(type))                                      \
            return resolve_as_##suffix(offsets, indices, sizeof(type), count, size, axis_stride,   \
                                       TN_INDEX_RAISE);                                            \
        if (mode == TN_INDEX_RAISE)                                                                \
            return resolve_as_##suffix(offsets, indices, stride, count, size, axis_stride,         \
                                       TN_INDEX_RAISE);                                            \
        return resolve_as_##suffix(offsets, indices, stride, count, size, axis_stride, mode);      \
    }

typedef int8_t any_i8 __attribute__((may_alias));
typedef int16_t any_i16 __attribute__((may_alias, aligned(1)));
typedef int32_t any_i32 __attribute__((may_alias, aligned(1)));
typedef int64_t any_i64 __attribute__((may_alias, aligned(1)));
RESOLVE(i8, any_i8)
RESOLVE(u8, tni_item1)
RESOLVE(i16, any_i16)
RESOLVE(u16, tni_item2)
RESOLVE(i32, any_i32)
RESOLVE(u32, tni_item4)
RESOLVE(i64, any_i64)

/* --- Items --- */

#define MOVE(class, type)                                                                          \
    static void gather_##class(char *to, int64_t to_stride, const char *from,                      \
                               const int64_t *offsets, int64_t count) {                            \
        if (to_stride == sizeof(type))                                                             \
            for (int64_t j = 0; j < count; j++)                                                    \
                ((type *)(void *)to)[j] = *(const type *)(const void *)(from + offsets[j]);        \
        else                                                                                       \
            for (int64_t j = 0; j < count; j++)                                                    \
                *(type *)(void *)(to + j * to_stride) =                                            \
                    *(const type *)(const void *)(from + offsets[j]);                              \
    }                                                                                              \
    static void scatter_##class(char *to, const int64_t *offsets, const char *from,                \
                                int64_t from_stride, int64_t count) {                              \
        for (int64_t j = 0; j < count; j++)                                                        \
            *(type *)(void *)(to + offsets[j]) =                                                   \
                *(const type *)(const void *)(from + j * from_stride);                             \
    }
MOVE(0, tni_item1)
MOVE(1, tni_item2)
MOVE(2, tni_item4)
MOVE(3, tni_item8)
MOVE(4, tni_item16)

/* --- Items from far away: the instruction keeps more loads under way than a loop of scalar ones,
 * but is slower where they hit the cache --- */

#ifdef __AVX512DQ__
/* A masked store of eight items of 4 bytes. The compiler must not see that they are the half of a
 * longer vector: gcc 12 then stores by vextracti32x8, which faults where masked items would lie on
 * a page that is not there. */
INLINE void store_eight(char *to, __mmask8 there, __m256i items) {
    __asm__("" : "+v"(items));
    _mm256_mask_storeu_epi32(to, there, items);
}

/* Eight items a step; `there` says which of them are. */
#define FAR(class, type, vector, gather, store)                                                    \
    static void gather_far_##class(char *to, const char *from, const int64_t *offsets,             \
                                   int64_t count) {                                                \
        int64_t j = 0;                                                                             \
        for (; j + 8 <= count; j += 8) {                                                           \
            __m512i offset = _mm512_loadu_si512(offsets + j);                                      \
            store(to + j * (int64_t)sizeof(type), 255, gather(vector(), 255, offset, from, 1));    \
        }                                                                                          \
        if (j < count) {                                                                           \
            __mmask8 there = (__mmask8)((1u << (count - j)) - 1);                                  \
            __m512i offset = _mm512_maskz_loadu_epi64(there, offsets + j);                         \
            store(to + j * (int64_t)sizeof(type), there,                                           \
                  gather(vector(), there, offset, from, 1));                                       \
        }                                                                                          \
    }                                                                                              \
    INLINE unsigned take_eight_##class(char *to, const char *from, const char *indices,            \
                                       __mmask8 there, __m512i size) {                             \
        __m512i index = _mm512_maskz_loadu_epi64(there, indices);                                  \
        index = _mm512_mask_add_epi64(index, _mm512_movepi64_mask(index), index, size);            \
        __mmask8 good = _mm512_mask_cmplt_epu64_mask(there, index, size);                          \
        store(to, there, gather(vector(), good, index, from, sizeof(type)));                       \
        return good ^ there;                                                                       \
    }                                                                                              \
    static bool take_far_##class(char *to, const char *from, const char *indices, int64_t count,   \
                                 int64_t axis_size) {                                              \
        const __m512i size = _mm512_set1_epi64(axis_size);                                         \
        unsigned bad = 0;                                                                          \
        int64_t j = 0;                                                                             \
        for (; j + 8 <= count; j += 8)                                                             \
            bad |= take_eight_##class(to + j * (int64_t)sizeof(type), from, indices + j * 8, 255,  \
                                      size);                                                       \
        if (j < count)                                                                             \
            bad |= take_eight_##class(to + j * (int64_t)sizeof(type), from, indices + j * 8,       \
                                      (__mmask8)((1u << (count - j)) - 1), size);                  \
        return bad != 0;                                                                           \
    }
FAR(2, tni_item4, _mm256_setzero_si256, _mm512_mask_i64gather_epi32, store_eight)
FAR(3, tni_item8, _mm512_setzero_si512, _mm512_mask_i64gather_epi64, _mm512_mask_storeu_epi64)
#else
#define gather_far_2 NULL
#define gather_far_3 NULL
#define take_far_2 NULL
#define take_far_3 NULL
#endif

/* --- Runs --- */

/* A short copy without a call: words from both ends, which may overlap in the middle. */
#define ENDS(type)                                                                                 \
    do {                                                                                           \
        type head, tail;                                                                           \
        memcpy(&head, from, sizeof head);                                                          \
        memcpy(&tail, from + bytes - sizeof tail, sizeof tail);                                    \
        memcpy(to, &head, sizeof head);                                                            \
        memcpy(to + bytes - sizeof tail, &tail, sizeof tail);                                      \
    } while (0)

INLINE void copy_run(char *to, const char *from, int64_t bytes) {
    if (bytes > 256) {
        memcpy(to, from, (size_t)bytes);
    } else if (bytes >= 16) {
        tni_item16 part;
        for (int64_t at = 0; at + 16 < bytes; at += 16) {
            memcpy(&part, from + at, 16);
            memcpy(to + at, &part, 16);
        }
        memcpy(&part, from + bytes - 16, 16);
        memcpy(to + bytes - 16, &part, 16);
    } else if (bytes >= 8) {
        ENDS(uint64_t);
    } else if (bytes >= 4) {
        ENDS(uint32_t);
    } else if (bytes >= 2) {
        ENDS(uint16_t);
    } else if (bytes == 1) {
        *to = *from;
    }
}

static void gather_runs(char *to, int64_t to_stride, const char *from, const int64_t *offsets,
                        int64_t count, int64_t bytes) {
    for (int64_t j = 0; j < count; j++)
        copy_run(to + j * to_stride, from + offsets[j], bytes);
}

static void scatter_runs(char *to, const int64_t *offsets, const char *from, int64_t from_stride,
                         int64_t count, int64_t bytes) {
    for (int64_t j = 0; j < count; j++)
        copy_run(to + offsets[j], from + j * from_stride, bytes);
}

extern const tni_move_loops LEVEL(tni_move_loops);
const tni_move_loops LEVEL(tni_move_loops) = {
    .resolve = {[TN_I8] = resolve_i8,
                [TN_U8] = resolve_u8,
                [TN_I16] = resolve_i16,
                [TN_U16] = resolve_u16,
                [TN_I32] = resolve_i32,
                [TN_U32] = resolve_u32,
                [TN_I64] = resolve_i64,
                [TN_U64] = resolve_i64}, /* u64 as NumPy reads it: wrapped */
    .gather = {gather_0, gather_1, gather_2, gather_3, gather_4},
    .scatter = {scatter_0, scatter_1, scatter_2, scatter_3, scatter_4},
    .gather_far = {NULL, NULL, gather_far_2, gather_far_3, NULL},
    .take_far = {NULL, NULL, take_far_2, take_far_3, NULL},
    .gather_runs = gather_runs,
    .scatter_runs = scatter_runs,
};
