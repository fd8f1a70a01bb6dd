/* Inner loops of images that compare elements: the least, the largest, and those of a rank.
 *
 * Exchanges of a network work on blocks of a wire that stay in the L1 cache. Where the order of NaN
 * matters the result is one of the window's elements, and no more is said of it. */
#include "backend/host/loops/image/image_loops.h"

#include "backend/host/loops/entry.h"

#include <string.h>

#define LESSER(a, b) ((b) < (a) ? (b) : (a))
#define LARGER(a, b) ((a) < (b) ? (b) : (a))

/* BLOCK outputs stay in the cache while the places pass. */
#define FOLD(name, T, of_two, COMBINE, SIGN)                                                       \
    static void of_two##_##name(void *to, const void *a, const void *b, int64_t n) {               \
        T *result = to;                                                                            \
        const T *first = a, *second = b;                                                           \
        _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) result[i] =                           \
            COMBINE(first[i], second[i]);                                                          \
    }                                                                                              \
    static void of_all_##of_two##_##name(void *to, const void *from, const int64_t *offsets,       \
                                         const void *beside, int64_t count, int64_t n) {           \
        enum { BLOCK = TNI_IMAGE_SLACK / sizeof(T) };                                              \
        const T *array = from, *weights = beside;                                                  \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                   \
            T best[BLOCK];                                                                         \
            for (int64_t k = 0; k < count; k++) {                                                  \
                const T *at = array + offsets[k] + i;                                              \
                const T weight = weights ? weights[k] : 0;                                         \
                if (k == 0)                                                                        \
                    for (int j = 0; j < BLOCK; j++)                                                \
                        best[j] = (T)(at[j] SIGN weight);                                          \
                else                                                                               \
                    for (int j = 0; j < BLOCK; j++)                                                \
                        best[j] = COMBINE(best[j], (T)(at[j] SIGN weight));                        \
            }                                                                                      \
            memcpy((T *)to + i, best, sizeof best);                                                \
        }                                                                                          \
    }

/* What a network does with the blocks of its wires, of so many bytes: loops that gcc unrolled
 * before it makes vectors of them would stay scalar. */
#define EXCHANGE(name, T, BYTES)                                                                   \
    static void exchange##BYTES##_##name(T *wires, const tni_network *network) {                   \
        enum { BLOCK = BYTES / sizeof(T) };                                                        \
        for (int k = 0; k < network->count; k++) {                                                 \
            const tni_exchange one = network->exchanges[k];                                        \
            T *restrict a = wires + one.low * BLOCK, *restrict b = wires + one.high * BLOCK;       \
            if (!one.keeps_high)                                                                   \
                _Pragma("GCC unroll 1") for (int j = 0; j < BLOCK; j++) a[j] = LESSER(a[j], b[j]); \
            else if (!one.keeps_low)                                                               \
                _Pragma("GCC unroll 1") for (int j = 0; j < BLOCK; j++) b[j] = LARGER(a[j], b[j]); \
            else                                                                                   \
                _Pragma("GCC unroll 1") for (int j = 0; j < BLOCK; j++) {                          \
                    const T low = LESSER(a[j], b[j]), high = LARGER(a[j], b[j]);                   \
                    a[j] = low;                                                                    \
                    b[j] = high;                                                                   \
                }                                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void find##BYTES##_##name(T *to, const T *from, const int64_t *offsets, int64_t count,  \
                                     const tni_network *network, T *wires) {                       \
        enum { BLOCK = BYTES / sizeof(T) };                                                        \
        for (int64_t k = 0; k < count; k++)                                                        \
            memcpy(wires + k * BLOCK, from + offsets[k], BYTES);                                   \
        exchange##BYTES##_##name(wires, network);                                                  \
        memcpy(to, wires + network->wire * BLOCK, BYTES);                                          \
    }                                                                                              \
    static void sort##BYTES##_##name(T *to, const T *from, int64_t line, int64_t count,            \
                                     const tni_network *network, const uint8_t *order, T *wires) { \
        enum { BLOCK = BYTES / sizeof(T) };                                                        \
        for (int64_t k = 0; k < count; k++)                                                        \
            memcpy(wires + k * BLOCK, from + k * line, BYTES);                                     \
        exchange##BYTES##_##name(wires, network);                                                  \
        for (int64_t k = 0; k < count; k++)                                                        \
            memcpy(to + k * line, wires + order[k] * BLOCK, BYTES);                                \
    }

/* Wide blocks, and a narrow one where that is enough for the rest of a line. */
#define NETWORK(name, T)                                                                           \
    EXCHANGE(name, T, 256)                                                                         \
    EXCHANGE(name, T, 64)                                                                          \
    static void find_##name(void *to, const void *from, const int64_t *offsets, int64_t count,     \
                            const tni_network *network, void *room, int64_t n) {                   \
        enum { WIDE = TNI_RANK_BLOCK / sizeof(T), NARROW = 64 / sizeof(T) };                       \
        for (int64_t i = 0; i < n; i += WIDE)                                                      \
            (n - i > NARROW ? find256_##name : find64_##name)((T *)to + i, (const T *)from + i,    \
                                                              offsets, count, network, room);      \
    }                                                                                              \
    static void sort_##name(void *to, const void *from, int64_t line, int64_t count,               \
                            const tni_network *network, const uint8_t *order, void *room,          \
                            int64_t n) {                                                           \
        enum { WIDE = TNI_RANK_BLOCK / sizeof(T), NARROW = 64 / sizeof(T) };                       \
        for (int64_t i = 0; i < n; i += WIDE)                                                      \
            (n - i > NARROW ? sort256_##name : sort64_##name)((T *)to + i, (const T *)from + i,    \
                                                              line, count, network, order, room);  \
    }

/* Hoare's search ("Algorithm 65: Find", 1961): what is on the wrong side of a value of the middle
 * changes places, until the rank's side is one value. */
#define SELECT(name, T)                                                                            \
    static T of_rank_##name(T *values, int64_t count, int64_t rank) {                              \
        int64_t first = 0, last = count - 1;                                                       \
        while (first < last) {                                                                     \
            const T pivot = values[first + (last - first) / 2];                                    \
            int64_t i = first, j = last;                                                           \
            while (i <= j) {                                                                       \
                while (i < last && values[i] < pivot)                                              \
                    i++;                                                                           \
                while (j > first && pivot < values[j])                                             \
                    j--;                                                                           \
                if (i > j) break;                                                                  \
                const T other = values[i];                                                         \
                values[i++] = values[j];                                                           \
                values[j--] = other;                                                               \
            }                                                                                      \
            if (rank <= j)                                                                         \
                last = j;                                                                          \
            else if (rank >= i)                                                                    \
                first = i;                                                                         \
            else                                                                                   \
                break;                                                                             \
        }                                                                                          \
        return values[rank];                                                                       \
    }                                                                                              \
    static void select_##name(void *to, const void *from, const int64_t *offsets, int64_t count,   \
                              int64_t rank, void *room, int64_t n) {                               \
        T *values = room;                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            for (int64_t k = 0; k < count; k++)                                                    \
                values[k] = ((const T *)from)[offsets[k] + i];                                     \
            ((T *)to)[i] = of_rank_##name(values, count, rank);                                    \
        }                                                                                          \
    }

/* Values as numbers K of the same order: of floats those of their bits. */
#define SAME(T, K)                                                                                 \
    static inline K key_##K##_##T(T value) {                                                       \
        return value;                                                                              \
    }                                                                                              \
    static inline T value_##K##_##T(K key) {                                                       \
        return key;                                                                                \
    }
#define BITS(T, K, LARGEST)                                                                        \
    static inline K key_##K##_##T(T value) {                                                       \
        K bits;                                                                                    \
        memcpy(&bits, &value, sizeof bits);                                                        \
        return bits < 0 ? bits ^ LARGEST : bits;                                                   \
    }                                                                                              \
    static inline T value_##K##_##T(K key) {                                                       \
        T value;                                                                                   \
        key = key < 0 ? key ^ LARGEST : key;                                                       \
        memcpy(&value, &key, sizeof value);                                                        \
        return value;                                                                              \
    }
SAME(tn_i8, tn_i8)
SAME(tn_u8, tn_u8)
SAME(tn_i16, tn_i16)
SAME(tn_u16, tn_u16)
SAME(tn_i32, tn_i32)
SAME(tn_u32, tn_u32)
SAME(tn_i64, tn_i64)
SAME(tn_u64, tn_u64)
BITS(float, tn_i32, INT32_MAX)
BITS(double, tn_i64, INT64_MAX)

#define FOLLOW(name, T, K)                                                                         \
    static inline int64_t place_##name(const K *sorted, int64_t count, K key) {                    \
        int64_t place = 0; /* how many are less */                                                 \
        for (int64_t left = count, half; left > 0; left -= half) {                                 \
            half = (left + 1) / 2;                                                                 \
            place += sorted[place + half - 1] < key ? half : 0;                                    \
        }                                                                                          \
        return place;                                                                              \
    }                                                                                              \
    static void insert_##name(K *sorted, int64_t count, K key) {                                   \
        const int64_t at = place_##name(sorted, count, key);                                       \
        memmove(sorted + at + 1, sorted + at, (size_t)(count - at) * sizeof(K));                   \
        sorted[at] = key;                                                                          \
    }                                                                                              \
    static void replace_##name(K *sorted, int64_t count, K old, K key) {                           \
        if (old == key) return;                                                                    \
        const int64_t from = place_##name(sorted, count, old);                                     \
        int64_t at = place_##name(sorted, count, key);                                             \
        if (at > from)                                                                             \
            memmove(sorted + from, sorted + from + 1, (size_t)(--at - from) * sizeof(K));          \
        else                                                                                       \
            memmove(sorted + at + 1, sorted + at, (size_t)(from - at) * sizeof(K));                \
        sorted[at] = key;                                                                          \
    }                                                                                              \
    static void follow_##name(void *to, const void *from, const int64_t *offsets, int64_t height,  \
                              int64_t width, int64_t rank, void *room, int64_t n) {                \
        const int64_t count = height * width;                                                      \
        K *sorted = room;                                                                          \
        for (int64_t k = 0; k < count; k++)                                                        \
            insert_##name(sorted, k,                                                               \
                          key_##K##_##T(((const T *)from)[offsets[k / width] + k % width]));       \
        for (int64_t i = 0;; i++) {                                                                \
            ((T *)to)[i] = value_##K##_##T(sorted[rank]);                                          \
            if (i + 1 >= n) break;                                                                 \
            for (int64_t k = 0; k < height; k++) {                                                 \
                const T *row = (const T *)from + offsets[k] + i;                                   \
                replace_##name(sorted, count, key_##K##_##T(row[0]), key_##K##_##T(row[width]));   \
            }                                                                                      \
        }                                                                                          \
    }

#define STAMP(name, T, K)                                                                          \
    FOLD(name, T, lesser, LESSER, -)                                                               \
    FOLD(name, T, larger, LARGER, +)                                                               \
    NETWORK(name, T)                                                                               \
    SELECT(name, T)                                                                                \
    FOLLOW(name, T, K)                                                                             \
    static const tni_order_loops loops_##name = {                                                  \
        of_all_lesser_##name, of_all_larger_##name, lesser_##name, larger_##name,                  \
        find_##name,          sort_##name,          select_##name, follow_##name};
STAMP(i8, tn_i8, tn_i8)
STAMP(u8, tn_u8, tn_u8)
STAMP(i16, tn_i16, tn_i16)
STAMP(u16, tn_u16, tn_u16)
STAMP(i32, tn_i32, tn_i32)
STAMP(u32, tn_u32, tn_u32)
STAMP(i64, tn_i64, tn_i64)
STAMP(u64, tn_u64, tn_u64)
STAMP(f32, float, tn_i32)
STAMP(f64, double, tn_i64)

extern const tni_order_loops *const LEVEL(tni_order_loops)[];
const tni_order_loops *const LEVEL(tni_order_loops)[tni_dtype_count] = {
    [TN_B8] = &loops_u8,   [TN_I8] = &loops_i8,   [TN_U8] = &loops_u8,   [TN_I16] = &loops_i16,
    [TN_U16] = &loops_u16, [TN_I32] = &loops_i32, [TN_U32] = &loops_u32, [TN_I64] = &loops_i64,
    [TN_U64] = &loops_u64, [TN_F32] = &loops_f32, [TN_F64] = &loops_f64,
};
