/* Chains of operations on f32, f64, and integers of 4 and 8 bytes, for one level.
 *
 * Algorithm: an interpreter, whose value is as many vectors as registers hold, so that it chooses
 * an operation once for all of them and each is done before its result is needed. What is left of
 * the elements goes through fewer vectors, then one, then a part of one. What compares makes masks,
 * of which each element has all bits or none; bools are bytes only in arrays. */
#include "backend/host/loops/elementwise/chain_loops.h"

#include "backend/host/loops/elementwise/stream_vector.h"
#include "backend/host/loops/entry.h"
#include "backend/host/loops/vector_bytes.h"

enum { LANE_VECTORS = TNI_LANE_BYTES / VECTOR_BYTES }; /* that running values are */

/* The vectors of a tile, so many that all running values take in equally many. */
#if VECTOR_BYTES == 16
#define MOST 8
#else
#define MOST 12
#endif
_Static_assert(TNI_CHAIN_PLACE_BYTES >= MOST * VECTOR_BYTES, "a place has a tile");
_Static_assert(MOST % LANE_VECTORS == 0, "a tile begins with the first running value");

/* n masks of bools that are `by` bytes apart, and the other way round: of the elements at an offset
 * of those that have masks. */
#define MASKS(WORD)                                                                                \
    static __attribute__((noinline)) void expand_##WORD(const tni_link *link, int64_t offset,      \
                                                        int64_t by, int64_t n) {                   \
        const char *from = link->operand + offset / (int)sizeof(WORD);                             \
        WORD *to = (WORD *)(void *)link[1].operand;                                                \
        for (int64_t k = 0; by && k < n; k++)                                                      \
            to[k] = from[k] ? -1 : 0;                                                              \
        for (int64_t k = 0; !by && k < n; k++)                                                     \
            to[k] = *from ? -1 : 0;                                                                \
    }                                                                                              \
    static __attribute__((noinline)) void narrow_##WORD(const tni_link *link, int64_t offset,      \
                                                        int64_t n) {                               \
        char *to = link->operand + offset / (int)sizeof(WORD);                                     \
        const WORD *from = (const WORD *)(const void *)link[1].operand;                            \
        for (int64_t k = 0; k < n; k++)                                                            \
            to[k] = (char)(from[k] & 1);                                                           \
    }
MASKS(tn_i32)
MASKS(tn_i64)
#define EXPANDED TN_PASTE(expand_, WORD)
#define NARROWED TN_PASTE(narrow_, WORD)

/* The vectors of a value, a0 and so on. */
#define TIMES_1(X, ...) X(0, __VA_ARGS__)
#define TIMES_3(X, i, j, k, ...) X(i, __VA_ARGS__) X(j, __VA_ARGS__) X(k, __VA_ARGS__)
#define TIMES_4(X, ...) TIMES_1(X, __VA_ARGS__) TIMES_3(X, 1, 2, 3, __VA_ARGS__)
#define TIMES_8(X, ...) TIMES_4(X, __VA_ARGS__) TIMES_3(X, 4, 5, 6, __VA_ARGS__) X(7, __VA_ARGS__)
#define TIMES_12(X, ...)                                                                           \
    TIMES_8(X, __VA_ARGS__) TIMES_3(X, 8, 9, 10, __VA_ARGS__) X(11, __VA_ARGS__)

/* Vector k at an address: where that of vector 0 is `at`. */
#define LOAD_WHOLE(at, k) (*(const LOOSE *)((at) + (k)*VECTOR_BYTES))
#define LOAD_PART(at, k) NAMED(load)(at, n)
#define STORE_WHOLE(at, k, a) *(LOOSE *)((at) + (k)*VECTOR_BYTES) = (a)
#define STORE_PART(at, k, a) memcpy(at, &(a), (size_t)n)
#define STREAM_WHOLE(at, k, a) STREAM_VECTOR((at) + (k)*VECTOR_BYTES, (vector_bits)(a))
#define STREAM_PART STORE_PART

#define BYTES_WHOLE(count) ((count)*VECTOR_BYTES)
#define BYTES_PART(count) n

#define CHOICE(is, a, b) ((V)((S(is) & S(a)) | (~S(is) & S(b))))
#define AT(link) ((link)->operand + (offset & (link)->walks))
#define NUMBER(at) (*(const T *)(const void *)(at) - (V){0})

/* What a link does with vector k. */
#define ZERO(k, ...) V a##k = {0};
#define MADE(k, b_is, text)                                                                        \
    {                                                                                              \
        const V a = a##k, b = b_is;                                                                \
        (void)a, (void)b;                                                                          \
        a##k = (V)(text);                                                                          \
    }
#define OF_MEMORY(k, ...) MADE(k, LOADED(at, k), (__VA_ARGS__))
#define OF_NUMBER(k, ...) MADE(k, NUMBER(at), (__VA_ARGS__))
#define OF_A(k, ...) MADE(k, a, (__VA_ARGS__))
#define OF_COUNT(k, ...)                                                                           \
    {                                                                                              \
        const NATURAL count = *(const NATURAL *)(const void *)at;                                  \
        const bool is_less = count < BITS;                                                         \
        const int n = (int)count;                                                                  \
        const V a = a##k;                                                                          \
        a##k = (V)(__VA_ARGS__);                                                                   \
    }
#define OTHER_MEMORY(k) LOADED(AT(link + 1), k)
#define OTHER_NUMBER(k) NUMBER(link[1].operand)
#define CHOSEN(k, OTHER, ...)                                                                      \
    {                                                                                              \
        const V a = a##k, is = LOADED(at, k), b = OTHER(k);                                        \
        a##k = __VA_ARGS__;                                                                        \
    }
#define TO(k, HOW) HOW(at, k, a##k);
#define TAKE_IN(k, ...)                                                                            \
    {                                                                                              \
        const V a = lanes[(k) % LANE_VECTORS], b = a##k;                                           \
        lanes[(k) % LANE_VECTORS] = (V)(__VA_ARGS__);                                              \
    }

/* What running values do with all vectors: those of the rest are kept beside them. */
#define LANES(keep, take_in)                                                                       \
    tni_lanes *of = (tni_lanes *)(void *)link->operand;                                            \
    V *lanes = (V *)(void *)(of->running + offset % TNI_LANE_BYTES);                               \
    at = of->rest + offset % TNI_LANE_BYTES;                                                       \
    if (is_rest) {                                                                                 \
        (void)lanes;                                                                               \
        keep                                                                                       \
    } else {                                                                                       \
        take_in                                                                                    \
    }

/* A case of the switch. */
#define CODE(op, kind) (TNI_CHAIN_##op * TNI_CHAIN_KINDS + TNI_CHAIN_##kind)
#define CASE(op, kind, ...)                                                                        \
    case CODE(op, kind): {                                                                         \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define IF_A KEEP

#define T float
#define WORD tn_i32
#define NATURAL tn_u32
#define IF_F KEEP
#define IF_I DROP
#define ROOT_OF __builtin_sqrtf
#define ROOT root_float
#define MAGNITUDE(a) (S(a) & ~S(-(V){0}))
#include "backend/host/loops/elementwise/chain_stamp.h"
#undef ROOT

#define T double
#define WORD tn_i64
#define NATURAL tn_u64
#define IF_F KEEP
#define IF_I DROP
#define ROOT_OF __builtin_sqrt
#define ROOT root_double
#define MAGNITUDE(a) (S(a) & ~S(-(V){0}))
#include "backend/host/loops/elementwise/chain_stamp.h"
#undef ROOT

#define T tn_i32
#define WORD tn_i32
#define NATURAL tn_u32
#define IF_F DROP
#define IF_I KEEP
#define MAGNITUDE(a) CHOICE(a < 0, -a, a)
#include "backend/host/loops/elementwise/chain_stamp.h"

#define T tn_i64
#define WORD tn_i64
#define NATURAL tn_u64
#define IF_F DROP
#define IF_I KEEP
#define MAGNITUDE(a) CHOICE(a < 0, -a, a)
#include "backend/host/loops/elementwise/chain_stamp.h"

extern const tni_chain_loop LEVEL(tni_chain_loops)[TNI_CHAIN_TYPES];
const tni_chain_loop LEVEL(tni_chain_loops)[TNI_CHAIN_TYPES] = {chain_float, chain_double,
                                                                chain_tn_i32, chain_tn_i64};
