/* Chains of operations on f32 and f64, for one level.
 *
 * Algorithm: an interpreter, whose value is as many vectors as registers hold, so that it chooses
 * an operation once for all of them and each is done before its result is needed. What is left of
 * the elements goes through fewer vectors, then one, then a part of one. */
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

#define VECTOR(T) vector_##T
#define LOOSE(T) loose_##T

#define TYPES(T, BITS, root, sign)                                                                 \
    typedef T VECTOR(T) __attribute__((vector_size(VECTOR_BYTES)));                                \
    typedef BITS bits_##T __attribute__((vector_size(VECTOR_BYTES)));                              \
    typedef T LOOSE(T) __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));          \
    static inline __attribute__((always_inline)) VECTOR(T) root_##T(VECTOR(T) a) {                 \
        for (int k = 0; k < (int)(VECTOR_BYTES / sizeof(T)); k++)                                  \
            a[k] = root(a[k]);                                                                     \
        return a;                                                                                  \
    }                                                                                              \
    static inline __attribute__((always_inline)) VECTOR(T) absolute_##T(VECTOR(T) a) {             \
        return (VECTOR(T))((bits_##T)a & ~sign);                                                   \
    }                                                                                              \
    static inline __attribute__((always_inline)) VECTOR(T)                                         \
        choice_##T(bits_##T is, VECTOR(T) a, VECTOR(T) b) {                                        \
        return (VECTOR(T))((is & (bits_##T)a) | (~is & (bits_##T)b));                              \
    }                                                                                              \
    /* A vector of which there are n bytes. */                                                     \
    static inline VECTOR(T) load_part_##T(const char *from, int64_t n) {                           \
        VECTOR(T) a = {0};                                                                         \
        memcpy(&a, from, (size_t)n);                                                               \
        return a;                                                                                  \
    }
TYPES(float, tn_u32, __builtin_sqrtf, UINT32_C(0x80000000))
TYPES(double, tn_u64, __builtin_sqrt, UINT64_C(0x8000000000000000))

/* The vectors of a value, a0 and so on. */
#define TIMES_1(X, ...) X(0, __VA_ARGS__)
#define TIMES_4(X, ...) TIMES_1(X, __VA_ARGS__), TIMES_3(X, 1, 2, 3, __VA_ARGS__)
#define TIMES_8(X, ...) TIMES_4(X, __VA_ARGS__), TIMES_3(X, 4, 5, 6, __VA_ARGS__), X(7, __VA_ARGS__)
#define TIMES_12(X, ...)                                                                           \
    TIMES_8(X, __VA_ARGS__), TIMES_3(X, 8, 9, 10, __VA_ARGS__), X(11, __VA_ARGS__)
#define TIMES_3(X, i, j, k, ...) X(i, __VA_ARGS__), X(j, __VA_ARGS__), X(k, __VA_ARGS__)

#define LOAD_WHOLE(T, from, n) (*(const LOOSE(T) *)(from))
#define STORE_WHOLE(T, to, a, n) (*(LOOSE(T) *)(to) = (a))
#define LOAD_PART(T, from, n) load_part_##T(from, n)
#define STREAM_WHOLE(T, to, a, n) STREAM_VECTOR(to, (vector_bits)(a))
#define STREAM_PART STORE_PART
#define STORE_PART(T, to, a, n) memcpy(to, &(a), (size_t)(n))

#define ZERO(k, T) a##k = {0}
#define BEGIN(k, T, WAY, n) a##k = LOAD_##WAY(T, at + (k)*VECTOR_BYTES, n)
#define BEGIN_NUMBER(k, T) a##k = b
#define STORE(k, T, WAY, n) STORE_##WAY(T, at + (k)*VECTOR_BYTES, a##k, n)
#define STREAM(k, T, WAY, n) STREAM_##WAY(T, at + (k)*VECTOR_BYTES, a##k, n)
#define SQRT(k, T) a##k = root_##T(a##k)
#define NEGATE(k, T) a##k = -a##k
#define ABSOLUTE(k, T) a##k = absolute_##T(a##k)
#define ADD(a, b) ((a) + (b))
#define SUBTRACT(a, b) ((a) - (b))
#define SUBTRACT_FROM(a, b) ((b) - (a))
#define MULTIPLY(a, b) ((a) * (b))
#define DIVIDE(a, b) ((a) / (b))
#define DIVIDE_INTO(a, b) ((b) / (a))
#define WITH_ARRAY(k, T, OP, WAY, n) a##k = OP(a##k, LOAD_##WAY(T, at + (k)*VECTOR_BYTES, n))
#define WITH_NUMBER(k, T, OP) a##k = OP(a##k, b)
#define WITH_SELF(k, T, OP) a##k = OP(a##k, a##k)

/* Running values take in a vector: the folds' text (reduce_form.h), for a new value b. */
#define FOLD_ADD(T, a, b) ((a) + (b))
#define FOLD_MULTIPLY(T, a, b) ((a) * (b))
#define LARGER(T, a, b) choice_##T((bits_##T)((b) > (a)), b, a)
#define SMALLER(T, a, b) choice_##T((bits_##T)((b) < (a)), b, a)
#define FOLD_MAXIMUM(T, a, b) choice_##T((bits_##T)((b) != (b)), b, LARGER(T, a, b))
#define FOLD_MINIMUM(T, a, b) choice_##T((bits_##T)((b) != (b)), b, SMALLER(T, a, b))
#define FOLD_FMAX(T, a, b) choice_##T((bits_##T)((a) != (a)), b, LARGER(T, a, b))
#define FOLD_FMIN(T, a, b) choice_##T((bits_##T)((a) != (a)), b, SMALLER(T, a, b))
#define TAKE_IN(k, T, OP) lanes[(k) % LANE_VECTORS] = OP(T, lanes[(k) % LANE_VECTORS], a##k)

/* A case of the switch. */
#define CODE(op, kind) TNI_CHAIN_##op *TNI_CHAIN_KINDS + TNI_CHAIN_##kind
#define OF_ARRAY(T, OP, ...)                                                                       \
    case CODE(OP, ARRAY): {                                                                        \
        char *at = link->operand + offset;                                                         \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define OF_PLACE(T, OP, ...)                                                                       \
    case CODE(OP, PLACE): {                                                                        \
        char *at = link->operand;                                                                  \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define OF_NUMBER(T, OP, ...)                                                                      \
    case CODE(OP, NUMBER): {                                                                       \
        const VECTOR(T) b = *(const T *)link->operand - (VECTOR(T)){0};                            \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define OF_SELF(T, OP, ...)                                                                        \
    case CODE(OP, SELF): {                                                                         \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define PAIRED(T, COUNT, WAY, n, OP)                                                               \
    OF_ARRAY(T, OP, TIMES_##COUNT(WITH_ARRAY, T, OP, WAY, n))                                      \
    OF_PLACE(T, OP, TIMES_##COUNT(WITH_ARRAY, T, OP, WAY, n))                                      \
    OF_NUMBER(T, OP, TIMES_##COUNT(WITH_NUMBER, T, OP))                                            \
    OF_SELF(T, OP, TIMES_##COUNT(WITH_SELF, T, OP))

/* Two links: a vector's sum is computed beside the product of the next one. */
#define SQUARE_ADD(a, b) ((a) * (a) + (b))
#define SCALE_ADD(a, b) ((a)*factor + (b))
#define FACTOR_SQUARE_ADD(T)
#define FACTOR_SCALE_ADD(T) const VECTOR(T) factor = *(const T *)link->operand - (VECTOR(T)){0};
#define OF_TWO(T, COUNT, WAY, n, OP)                                                               \
    case CODE(OP, ARRAY): {                                                                        \
        FACTOR_##OP(T) const char *at = (++link)->operand + offset;                                \
        TIMES_##COUNT(WITH_ARRAY, T, OP, WAY, n);                                                  \
        break;                                                                                     \
    }                                                                                              \
    case CODE(OP, PLACE): {                                                                        \
        FACTOR_##OP(T) const char *at = (++link)->operand;                                         \
        TIMES_##COUNT(WITH_ARRAY, T, OP, WAY, n);                                                  \
        break;                                                                                     \
    }                                                                                              \
    case CODE(OP, NUMBER): {                                                                       \
        FACTOR_##OP(T) const VECTOR(T) b = *(const T *)(++link)->operand - (VECTOR(T)){0};         \
        TIMES_##COUNT(WITH_NUMBER, T, OP);                                                         \
        break;                                                                                     \
    }

/* Running values take in the vectors; is_rest: these are kept beside them. */
#define OF_LANES(T, COUNT, WAY, OP)                                                                \
    case CODE(OP, ARRAY): {                                                                        \
        tni_lanes *of = (tni_lanes *)(void *)link->operand;                                        \
        if (is_rest) {                                                                             \
            char *at = of->rest + offset % TNI_LANE_BYTES;                                         \
            TIMES_##COUNT(STORE, T, WAY, n);                                                       \
            break;                                                                                 \
        }                                                                                          \
        VECTOR(T) *lanes = (VECTOR(T) *)(void *)(of->running + offset % TNI_LANE_BYTES);           \
        TIMES_##COUNT(TAKE_IN, T, OP);                                                             \
        break;                                                                                     \
    }

/* All links for as many vectors, or for n bytes of one. */
#define TILE(...) TILE_(__VA_ARGS__) /* MOST is its number */
#define TILE_(T, COUNT, WAY, name)                                                                 \
    static inline __attribute__((always_inline)) void name##_##T(                                  \
        const tni_link *links, int64_t offset, int64_t n, bool is_rest) {                          \
        VECTOR(T) TIMES_##COUNT(ZERO, T);                                                          \
        (void)n;                                                                                   \
        for (const tni_link *link = links;; link++) {                                              \
            switch (link->code) {                                                                  \
            case CODE(END, ARRAY): return;                                                         \
            default:                                                                               \
                __builtin_trap(); /* a link that forms/operations.c does not write */              \
                OF_ARRAY(T, BEGIN, TIMES_##COUNT(BEGIN, T, WAY, n))                                \
                OF_PLACE(T, BEGIN, TIMES_##COUNT(BEGIN, T, WAY, n))                                \
                OF_NUMBER(T, BEGIN, TIMES_##COUNT(BEGIN_NUMBER, T))                                \
                OF_ARRAY(T, STORE, TIMES_##COUNT(STORE, T, WAY, n))                                \
                OF_PLACE(T, STORE, TIMES_##COUNT(STORE, T, WAY, n))                                \
                OF_ARRAY(T, STREAM, TIMES_##COUNT(STREAM, T, WAY, n))                              \
                PAIRED(T, COUNT, WAY, n, ADD)                                                      \
                PAIRED(T, COUNT, WAY, n, SUBTRACT)                                                 \
                PAIRED(T, COUNT, WAY, n, SUBTRACT_FROM)                                            \
                PAIRED(T, COUNT, WAY, n, MULTIPLY)                                                 \
                PAIRED(T, COUNT, WAY, n, DIVIDE)                                                   \
                PAIRED(T, COUNT, WAY, n, DIVIDE_INTO)                                              \
                OF_SELF(T, SQRT, TIMES_##COUNT(SQRT, T))                                           \
                OF_SELF(T, NEGATE, TIMES_##COUNT(NEGATE, T))                                       \
                OF_SELF(T, ABSOLUTE, TIMES_##COUNT(ABSOLUTE, T))                                   \
                OF_TWO(T, COUNT, WAY, n, SQUARE_ADD)                                               \
                OF_TWO(T, COUNT, WAY, n, SCALE_ADD)                                                \
                OF_LANES(T, COUNT, WAY, FOLD_ADD)                                                  \
                OF_LANES(T, COUNT, WAY, FOLD_MULTIPLY)                                             \
                OF_LANES(T, COUNT, WAY, FOLD_MAXIMUM)                                              \
                OF_LANES(T, COUNT, WAY, FOLD_MINIMUM)                                              \
                OF_LANES(T, COUNT, WAY, FOLD_FMAX)                                                 \
                OF_LANES(T, COUNT, WAY, FOLD_FMIN)                                                 \
            }                                                                                      \
        }                                                                                          \
    }

#define CHAIN(T)                                                                                   \
    TILE(T, MOST, WHOLE, tile)                                                                     \
    TILE(T, 4, WHOLE, vectors)                                                                     \
    TILE(T, 1, WHOLE, single)                                                                      \
    TILE(T, 1, PART, part)                                                                         \
    static void chain_##T(const tni_link *links, int64_t count) {                                  \
        const int64_t bytes = count * (int64_t)sizeof(T), whole = bytes - bytes % TNI_LANE_BYTES;  \
        int64_t at = 0;                                                                            \
        for (; at + MOST * VECTOR_BYTES <= bytes; at += MOST * VECTOR_BYTES)                       \
            tile_##T(links, at, 0, false);                                                         \
        for (; at + 4 * VECTOR_BYTES <= bytes; at += 4 * VECTOR_BYTES)                             \
            vectors_##T(links, at, 0, at >= whole);                                                \
        for (; at + VECTOR_BYTES <= bytes; at += VECTOR_BYTES)                                     \
            single_##T(links, at, 0, at >= whole);                                                 \
        if (at < bytes) part_##T(links, at, bytes - at, true);                                     \
    }
CHAIN(float)
CHAIN(double)

extern const tni_chain_loop LEVEL(tni_chain_loops)[2];
const tni_chain_loop LEVEL(tni_chain_loops)[2] = {chain_float, chain_double};
