/* Inner loops of labels. Elements that two lines have in common are found 64 at a time; the number
 * of a run is how many begin up to an element. */
#include "backend/host/loops/image/label_loops.h"

#include "backend/host/loops/entry.h"

#include <string.h>

enum { BITS = 64 };

/* Where runs begin; `before` is the word before. */
static inline uint64_t begins(uint64_t word, uint64_t before, bool is_joined) {
    return is_joined ? word & ~(word << 1 | before >> 63) : word;
}

static int64_t count_runs(const uint64_t *bits, int64_t words, bool is_joined) {
    int64_t count = 0;
    uint64_t before = 0;
    for (int64_t w = 0; w < words; w++) {
        count += __builtin_popcountll(begins(bits[w], before, is_joined));
        before = bits[w];
    }
    return count;
}

/* A line at a word: the bits, those one place further and back, where runs begin, and how many
 * began before. */
typedef struct window {
    uint64_t here, ahead, back, begins, next_begins;
    int64_t count;
} window;

static inline void look(window *at, const uint64_t *bits, int64_t w, int64_t words,
                        bool is_joined) {
    const uint64_t before = w ? bits[w - 1] : 0, next = w + 1 < words ? bits[w + 1] : 0;
    at->here = bits[w];
    at->ahead = at->here >> 1 | next << 63;
    at->back = at->here << 1 | before >> 63;
    at->begins = begins(at->here, before, is_joined);
    at->next_begins = begins(next, at->here, is_joined);
}

/* How many runs begin before the window and in it up to place x + step. */
static inline int64_t rank(const window *at, int x, int step) {
    const uint64_t up_to = (UINT64_C(1) << (step + 1) << x) - 1;
    const int64_t beyond = step > 0 && x == BITS - 1 ? (int64_t)(at->next_begins & 1) : 0;
    return at->count + __builtin_popcountll(at->begins & up_to) + beyond;
}

/* The elements from which a step leads to the other line; of those which lead from one run to one
 * other, the first. `carried`: the word before. A step aside needs no look where the step straight
 * on leads between the same runs. */
static inline uint64_t touch(const window *a, const window *b, int step, bool is_level,
                             bool is_joined, uint64_t *carried) {
    const uint64_t other = step > 0 ? b->ahead : step < 0 ? b->back : b->here;
    const uint64_t beside = step > 0 ? a->ahead : a->back;
    uint64_t both = a->here & other;
    if (!is_joined) return both;
    if (step && is_level) return both & ~b->here & ~beside;
    const uint64_t firsts = both & ~(both << 1 | *carried >> 63);
    *carried = both;
    return firsts;
}

#define STAMP(name, T)                                                                             \
    static inline T find_##name(T *parents, T run) {                                               \
        while (parents[run] != run) {                                                              \
            const T above = parents[parents[run]];                                                 \
            parents[run] = above;                                                                  \
            run = above;                                                                           \
        }                                                                                          \
        return run;                                                                                \
    }                                                                                              \
    static inline void unite_##name(T *parents, T a, T b) {                                        \
        a = find_##name(parents, a);                                                               \
        b = find_##name(parents, b);                                                               \
        if (a < b)                                                                                 \
            parents[b] = a;                                                                        \
        else                                                                                       \
            parents[a] = b;                                                                        \
    }                                                                                              \
    static void unite_lines_##name(void *to, tni_label_line line, tni_label_line other,            \
                                   int64_t words, int steps, bool is_joined) {                     \
        T *parents = to;                                                                           \
        window a = {.count = line.first - 1}, b = {.count = other.first - 1};                      \
        uint64_t carried[3] = {0, 0, 0};                                                           \
        const bool is_level = steps & TNI_LABEL_LEVEL;                                             \
        for (int64_t w = 0; w < words; w++) {                                                      \
            look(&a, line.bits, w, words, is_joined);                                              \
            look(&b, other.bits, w, words, is_joined);                                             \
            for (int step = -1; step <= 1; step++) {                                               \
                if (!(steps & 1 << (step + 1))) continue;                                          \
                uint64_t left = touch(&a, &b, step, is_level, is_joined, &carried[step + 1]);      \
                for (; left; left &= left - 1) {                                                   \
                    const int x = __builtin_ctzll(left);                                           \
                    unite_##name(parents, (T)rank(&a, x, 0), (T)rank(&b, x, step));                \
                }                                                                                  \
            }                                                                                      \
            a.count += __builtin_popcountll(a.begins);                                             \
            b.count += __builtin_popcountll(b.begins);                                             \
        }                                                                                          \
    }                                                                                              \
    /* n elements of a word, of which `run` is the run so far. */                                  \
    static inline int64_t write_word_##name(T *to, int n, uint64_t word, uint64_t starts,          \
                                            const T *labels, int64_t run) {                        \
        for (int k = 0; k < n; k++) {                                                              \
            run += (int64_t)(starts >> k & 1);                                                     \
            to[k] = labels[run] & -(T)(word >> k & 1);                                             \
        }                                                                                          \
        return run;                                                                                \
    }                                                                                              \
    static void write_##name(void *to, int64_t length, tni_label_line line, const void *from,      \
                             bool is_joined) {                                                     \
        const T *labels = from;                                                                    \
        T *out = to;                                                                               \
        int64_t run = line.first - 1, w = 0;                                                       \
        uint64_t before = 0;                                                                       \
        for (; length > 0; length -= BITS, out += BITS, w++) {                                     \
            const uint64_t word = line.bits[w], starts = begins(word, before, is_joined);          \
            before = word;                                                                         \
            if (length < BITS) {                                                                   \
                write_word_##name(out, (int)length, word, starts, labels, run);                    \
            } else if (!word) {                                                                    \
                memset(out, 0, BITS * sizeof *out);                                                \
            } else if (!~word && !starts) {                                                        \
                for (int k = 0; k < BITS; k++)                                                     \
                    out[k] = labels[run];                                                          \
            } else {                                                                               \
                run = write_word_##name(out, BITS, word, starts, labels, run);                     \
            }                                                                                      \
        }                                                                                          \
    }

STAMP(i32, int32_t)
STAMP(i64, int64_t)

extern const tni_label_loops LEVEL(tni_label_loops)[2];
const tni_label_loops LEVEL(tni_label_loops)[2] = {
    {count_runs, unite_lines_i32, write_i32},
    {count_runs, unite_lines_i64, write_i64},
};
