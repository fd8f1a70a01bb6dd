/* Loops between elements and items, and searches in sorted elements, for every dtype. */
#include "backend/host/loops/sort/sort_keys.h"

#include "backend/host/loops/elementwise/form.h"
#include "backend/host/loops/entry.h"
#include "backend/host/loops/index/index_loops.h"
#include "backend/host/loops/sort/sort_loops.h"

#include <string.h>

typedef uint8_t word_8 __attribute__((may_alias));
typedef uint16_t word_16 __attribute__((may_alias));
typedef uint32_t word_32 __attribute__((may_alias));
typedef uint64_t word_64 __attribute__((may_alias));
typedef struct pair {
    uint64_t key, position;
} __attribute__((may_alias)) pair;

/* A loop over i below n; `at` is the stride, a constant where elements lie side by side. An element
 * may be read where its own item is written. */
#define BY_STRIDE(stride, bytes, ...)                                                              \
    if ((stride) == (bytes)) {                                                                     \
        const int64_t at = (bytes);                                                                \
        INDEPENDENT for (int64_t i = 0; i < n; i++) __VA_ARGS__;                                   \
    } else {                                                                                       \
        const int64_t at = (stride);                                                               \
        INDEPENDENT for (int64_t i = 0; i < n; i++) __VA_ARGS__;                                   \
    }

/* --- Positions --- */

#define AT_packed(items, i) (uint32_t)((const word_64 *)(items))[i]
#define AT_pair(items, i) ((const pair *)(items))[i].position

#define POSITIONS(kind)                                                                            \
    static void positions_##kind(char *to, int64_t stride, const void *items, int64_t n) {         \
        BY_STRIDE(stride, 8, *(word_64 *)(void *)(to + i * at) = AT_##kind(items, i))              \
    }
POSITIONS(packed)
POSITIONS(pair)

#define GATHER(kind, class, type)                                                                  \
    static void gather_##kind##_##class(char *to, const void *items, int64_t n, const char *from,  \
                                        int64_t stride) {                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((type *)(void *)to)[i] =                                                              \
                *(const type *)(const void *)(from + (int64_t)AT_##kind(items, i) * stride);       \
    }
GATHER(packed, 2, tni_item2)
GATHER(pair, 2, tni_item2)
GATHER(packed, 4, tni_item4)
GATHER(pair, 4, tni_item4)
GATHER(pair, 8, tni_item8)
GATHER(pair, 16, tni_item16)

/* --- Searches --- */

/* A row without an order is soon left. */
enum { IN_ORDER = 512 };
#define ORDER(dtype, type, bytes)                                                                  \
    static int order_##dtype(const char *from, int64_t stride, int64_t length, bool flip) {        \
        type keys[IN_ORDER];                                                                       \
        bool rises = false, falls = false;                                                         \
        for (int64_t begin = 0, n = 16; begin < length - 1; begin += n - 1, n = IN_ORDER) {        \
            const char *some = from + begin * stride;                                              \
            if (n > length - begin) n = length - begin;                                            \
            BY_STRIDE(stride, bytes, keys[i] = read_##dtype(some + i * at))                        \
            int downs = 0, ups = 0;                                                                \
            for (int64_t i = 1; i < n; i++) {                                                      \
                downs += is_before_##dtype(keys[i], keys[i - 1], false);                           \
                ups += is_before_##dtype(keys[i - 1], keys[i], false);                             \
            }                                                                                      \
            falls |= (flip ? ups : downs) > 0;                                                     \
            rises |= (flip ? ups : downs) < n - 1;                                                 \
            if (falls && rises) return 0;                                                          \
        }                                                                                          \
        return falls ? -1 : 1;                                                                     \
    }

/* The place of each value by halving a span: the length is the same for all, so eight values go
 * together and their loads overlap. */
enum { TOGETHER = 8 };
#define SEARCH(dtype, type, bytes) SEARCH_(dtype, type, bytes)
#define SEARCH_(dtype, type, bytes)                                                                \
    ORDER(dtype, type, bytes)                                                                      \
    INLINE void search_some_##dtype(char *to, int64_t to_stride, const char *values,               \
                                    int64_t value_stride, int n, const char *sorted,               \
                                    int64_t stride, int64_t length, bool is_right) {               \
        type value[TOGETHER];                                                                      \
        int64_t place[TOGETHER];                                                                   \
        for (int k = 0; k < n; k++) {                                                              \
            value[k] = read_##dtype(values + k * value_stride);                                    \
            place[k] = 0;                                                                          \
        }                                                                                          \
        for (int64_t left = length, half; left > 0; left -= half) {                                \
            half = (left + 1) / 2;                                                                 \
            for (int k = 0; k < n; k++) {                                                          \
                type seen = read_##dtype(sorted + (place[k] + half - 1) * stride);                 \
                place[k] += is_before_##dtype(seen, value[k], is_right) ? half : 0;                \
            }                                                                                      \
        }                                                                                          \
        for (int k = 0; k < n; k++)                                                                \
            *(word_64 *)(void *)(to + k * to_stride) = (uint64_t)place[k];                         \
    }                                                                                              \
    INLINE void search_all_##dtype(char *to, int64_t to_stride, const char *values,                \
                                   int64_t value_stride, int64_t n, const char *sorted,            \
                                   int64_t stride, int64_t length, bool is_right) {                \
        for (; n >= TOGETHER; n -= TOGETHER) {                                                     \
            search_some_##dtype(to, to_stride, values, value_stride, TOGETHER, sorted, stride,     \
                                length, is_right);                                                 \
            to += TOGETHER * to_stride;                                                            \
            values += TOGETHER * value_stride;                                                     \
        }                                                                                          \
        for (; n > 0; n--, to += to_stride, values += value_stride)                                \
            search_some_##dtype(to, to_stride, values, value_stride, 1, sorted, stride, length,    \
                                is_right);                                                         \
    }                                                                                              \
    static void search_##dtype(char *to, int64_t to_stride, const char *values,                    \
                               int64_t value_stride, int64_t n, const char *sorted,                \
                               int64_t stride, int64_t length, bool is_right) {                    \
        if (stride == (bytes) && is_right)                                                         \
            search_all_##dtype(to, to_stride, values, value_stride, n, sorted, bytes, length,      \
                               true);                                                              \
        else if (stride == (bytes))                                                                \
            search_all_##dtype(to, to_stride, values, value_stride, n, sorted, bytes, length,      \
                               false);                                                             \
        else                                                                                       \
            search_all_##dtype(to, to_stride, values, value_stride, n, sorted, stride, length,     \
                               is_right);                                                          \
    }

/* --- Numbers that are no pairs --- */

#define ITEM_8 word_16
#define ITEM_16 word_16
#define ITEM_32 word_32
#define ITEM_64 word_64

#define D b8
#define W 8
#include "backend/host/loops/sort/sort_stamp.h"

#define D i8
#define W 8
#include "backend/host/loops/sort/sort_stamp.h"

#define D u8
#define W 8
#include "backend/host/loops/sort/sort_stamp.h"

#define D i16
#define W 16
#include "backend/host/loops/sort/sort_stamp.h"

#define D u16
#define W 16
#include "backend/host/loops/sort/sort_stamp.h"

#define D i32
#define W 32
#include "backend/host/loops/sort/sort_stamp.h"

#define D u32
#define W 32
#include "backend/host/loops/sort/sort_stamp.h"

#define D i64
#define W 64
#include "backend/host/loops/sort/sort_stamp.h"

#define D u64
#define W 64
#include "backend/host/loops/sort/sort_stamp.h"

#define D f16
#define W 16
#include "backend/host/loops/sort/sort_stamp.h"

#define D bf16
#define W 16
#include "backend/host/loops/sort/sort_stamp.h"

#define D f32
#define W 32
#include "backend/host/loops/sort/sort_stamp.h"

#define D f64
#define W 64
#include "backend/host/loops/sort/sort_stamp.h"

#define ZEROS(dtype, word, top)                                                                    \
    static bool has_zeros_##dtype(const char *from, int64_t stride, int64_t n) {                   \
        unsigned negative = 0, positive = 0;                                                       \
        BY_STRIDE(stride, sizeof(word), {                                                          \
            word bits = *(const word *)(const void *)(from + i * at);                              \
            negative |= bits == (top);                                                             \
            positive |= bits == 0;                                                                 \
        })                                                                                         \
        return negative && positive;                                                               \
    }
ZEROS(f16, word_16, 0x8000)
ZEROS(bf16, word_16, 0x8000)
ZEROS(f32, word_32, UINT32_C(1) << 31)
ZEROS(f64, word_64, UINT64_C(1) << 63)

/* --- Complex numbers: both parts in one key, or the lower one first and the higher one in a second
 * step --- */

#define COMPLEX_SEARCH(dtype, word)                                                                \
    INLINE tni_keys_##dtype read_##dtype(const char *from) {                                       \
        return keys_##dtype(((const word *)(const void *)from)[0],                                 \
                            ((const word *)(const void *)from)[1]);                                \
    }                                                                                              \
    INLINE bool is_before_##dtype(tni_keys_##dtype seen, tni_keys_##dtype value, bool is_right) {  \
        if (seen.high != value.high) return seen.high < value.high;                                \
        return is_right ? seen.low <= value.low : seen.low < value.low;                            \
    }                                                                                              \
    SEARCH(dtype, tni_keys_##dtype, 2 * sizeof(word))
COMPLEX_SEARCH(c64, word_32)
COMPLEX_SEARCH(c128, word_64)

static void load_pair_c64(void *items, const char *from, int64_t stride, int64_t n, int64_t first,
                          bool flip, int step) {
    const uint64_t turn = flip ? ~UINT64_C(0) : 0;
    pair *pairs = items;
    (void)step;
    for (int64_t i = 0; i < n; i++) {
        tni_keys_c64 keys = read_c64(from + i * stride);
        pairs[i].key = ((uint64_t)keys.high << 32 | keys.low) ^ turn;
        pairs[i].position = (uint64_t)(first + i);
    }
}

static void load_pair_c128(void *items, const char *from, int64_t stride, int64_t n, int64_t first,
                           bool flip, int step) {
    const uint64_t turn = flip ? ~UINT64_C(0) : 0;
    pair *pairs = items;
    for (int64_t i = 0; i < n; i++) {
        if (step == 0) pairs[i].position = (uint64_t)(first + i);
        int64_t at = step == 0 ? i : (int64_t)pairs[i].position;
        tni_keys_c128 keys = read_c128(from + at * stride);
        pairs[i].key = (step == 0 ? keys.low : keys.high) ^ turn;
    }
}

/* --- The table --- */

#define SMALL(dtype)                                                                               \
    .load = {[TNI_ITEM_KEY2] = load_key_##dtype,                                                   \
             [TNI_ITEM_KEY4] = load_key_##dtype,                                                   \
             [TNI_ITEM_PACKED] = load_packed_##dtype,                                              \
             [TNI_ITEM_PAIR] = load_pair_##dtype},                                                 \
    .store = store_##dtype, .search = search_##dtype, .order = order_##dtype
#define WIDE(dtype)                                                                                \
    .load = {[TNI_ITEM_KEY8] = load_key_##dtype, [TNI_ITEM_PAIR] = load_pair_##dtype},             \
    .store = store_##dtype, .search = search_##dtype, .order = order_##dtype
#define FLOAT(dtype, bytes)                                                                        \
    SMALL(dtype),                                                                                  \
        .gather =                                                                                  \
            {[TNI_ITEM_PACKED] = gather_packed_##bytes, [TNI_ITEM_PAIR] = gather_pair_##bytes},    \
        .has_zeros = has_zeros_##dtype

static const tni_key_loops keys[TN_DTYPE_COUNT] = {
    [TN_B8] = {SMALL(b8)},
    [TN_I8] = {SMALL(i8)},
    [TN_U8] = {SMALL(u8)},
    [TN_I16] = {SMALL(i16)},
    [TN_U16] = {SMALL(u16)},
    [TN_I32] = {SMALL(i32)},
    [TN_U32] = {SMALL(u32)},
    [TN_I64] = {WIDE(i64)},
    [TN_U64] = {WIDE(u64)},
    [TN_F16] = {FLOAT(f16, 2)},
    [TN_BF16] = {FLOAT(bf16, 2)},
    [TN_F32] = {FLOAT(f32, 4)},
    [TN_F64] = {WIDE(f64), .gather = {[TNI_ITEM_PAIR] = gather_pair_8}, .has_zeros = has_zeros_f64},
    [TN_C64] = {.load = {[TNI_ITEM_PAIR] = load_pair_c64},
                .gather = {[TNI_ITEM_PAIR] = gather_pair_8},
                .search = search_c64,
                .order = order_c64},
    [TN_C128] = {.load = {[TNI_ITEM_PAIR] = load_pair_c128},
                 .gather = {[TNI_ITEM_PAIR] = gather_pair_16},
                 .search = search_c128,
                 .order = order_c128},
};

extern const tni_item_loops LEVEL(tni_key2_loops), LEVEL(tni_key4_loops), LEVEL(tni_key8_loops),
    LEVEL(tni_packed_loops), LEVEL(tni_pair_loops);
extern const tni_sort_loops LEVEL(tni_sort_loops);
const tni_sort_loops LEVEL(tni_sort_loops) = {
    .items = {&LEVEL(tni_key2_loops), &LEVEL(tni_key4_loops), &LEVEL(tni_key8_loops),
              &LEVEL(tni_packed_loops), &LEVEL(tni_pair_loops)},
    .positions = {[TNI_ITEM_PACKED] = positions_packed, [TNI_ITEM_PAIR] = positions_pair},
    .keys = keys,
};
