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

/* What a network does with the blocks of its wires. */
#define EXCHANGE(name, T)                                                                          \
    static void exchange_##name(T *wires, const tni_network *network) {                            \
        enum { BLOCK = TNI_RANK_BLOCK / sizeof(T) };                                               \
        for (int k = 0; k < network->count; k++) {                                                 \
            const tni_exchange one = network->exchanges[k];                                        \
            T *restrict a = wires + one.low * BLOCK, *restrict b = wires + one.high * BLOCK;       \
            if (!one.keeps_high)                                                                   \
                for (int j = 0; j < BLOCK; j++)                                                    \
                    a[j] = LESSER(a[j], b[j]);                                                     \
            else if (!one.keeps_low)                                                               \
                for (int j = 0; j < BLOCK; j++)                                                    \
                    b[j] = LARGER(a[j], b[j]);                                                     \
            else                                                                                   \
                for (int j = 0; j < BLOCK; j++) {                                                  \
                    const T low = LESSER(a[j], b[j]), high = LARGER(a[j], b[j]);                   \
                    a[j] = low;                                                                    \
                    b[j] = high;                                                                   \
                }                                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void find_##name(void *to, const void *from, const int64_t *offsets, int64_t count,     \
                            const tni_network *network, void *room, int64_t n) {                   \
        enum { BLOCK = TNI_RANK_BLOCK / sizeof(T) };                                               \
        const T *array = from;                                                                     \
        T *wires = room;                                                                           \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                   \
            for (int64_t k = 0; k < count; k++)                                                    \
                memcpy(wires + k * BLOCK, array + offsets[k] + i, TNI_RANK_BLOCK);                 \
            exchange_##name(wires, network);                                                       \
            memcpy((T *)to + i, wires + network->wire * BLOCK, TNI_RANK_BLOCK);                    \
        }                                                                                          \
    }                                                                                              \
    static void sort_##name(void *to, const void *from, int64_t line, int64_t count,               \
                            const tni_network *network, const uint8_t *order, void *room,          \
                            int64_t n) {                                                           \
        enum { BLOCK = TNI_RANK_BLOCK / sizeof(T) };                                               \
        T *wires = room;                                                                           \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                   \
            for (int64_t k = 0; k < count; k++)                                                    \
                memcpy(wires + k * BLOCK, (const T *)from + k * line + i, TNI_RANK_BLOCK);         \
            exchange_##name(wires, network);                                                       \
            for (int64_t k = 0; k < count; k++)                                                    \
                memcpy((T *)to + k * line + i, wires + order[k] * BLOCK, TNI_RANK_BLOCK);          \
        }                                                                                          \
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

#define STAMP(name, T)                                                                             \
    FOLD(name, T, lesser, LESSER, -)                                                               \
    FOLD(name, T, larger, LARGER, +)                                                               \
    EXCHANGE(name, T)                                                                              \
    SELECT(name, T)                                                                                \
    static const tni_order_loops loops_##name = {                                                  \
        of_all_lesser_##name, of_all_larger_##name, lesser_##name, larger_##name,                  \
        find_##name,          sort_##name,          select_##name};
STAMP(i8, tn_i8)
STAMP(u8, tn_u8)
STAMP(i16, tn_i16)
STAMP(u16, tn_u16)
STAMP(i32, tn_i32)
STAMP(u32, tn_u32)
STAMP(i64, tn_i64)
STAMP(u64, tn_u64)
STAMP(f32, float)
STAMP(f64, double)

extern const tni_order_loops *const LEVEL(tni_order_loops)[];
const tni_order_loops *const LEVEL(tni_order_loops)[tni_dtype_count] = {
    [TN_B8] = &loops_u8,   [TN_I8] = &loops_i8,   [TN_U8] = &loops_u8,   [TN_I16] = &loops_i16,
    [TN_U16] = &loops_u16, [TN_I32] = &loops_i32, [TN_U32] = &loops_u32, [TN_I64] = &loops_i64,
    [TN_U64] = &loops_u64, [TN_F32] = &loops_f32, [TN_F64] = &loops_f64,
};
