/* Inner loops of lines that are filtered at another rate, of f32 and f64: dot products in vectors
 * along a line, or sums in vectors over lines that stand beside each other. */
#include "backend/host/loops/signal/upfirdn_loops.h"

#include "backend/host/loops/entry.h"

enum { VECTOR_BYTES = 64 };

/* Where an output's taps begin on the line, and those of them that meet it. */
typedef struct walk {
    int64_t phase, place, begin, end;
} walk;

static inline walk walk_begin(const tni_upfirdn_run *run) {
    return (walk){run->first % run->up, run->first / run->up - (run->width - 1), 0, 0};
}
static inline void walk_clip(walk *w, const tni_upfirdn_run *run) {
    const int64_t left = run->length - w->place;
    w->begin = w->place < 0 ? -w->place : 0;
    w->end = left < run->width ? left : run->width;
}
static inline void walk_next(walk *w, const tni_upfirdn_run *run, int64_t whole, int64_t part) {
    w->place += whole;
    w->phase += part;
    if (w->phase >= run->up) w->phase -= run->up, w->place++;
}

#define LOAD(name, from) ((vector_##name) * (const loose_##name *)(const void *)(from))

#define STAMP(name, T)                                                                             \
    typedef T vector_##name __attribute__((vector_size(VECTOR_BYTES)));                            \
    typedef T loose_##name                                                                         \
        __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));                 \
    enum { LANES_##name = VECTOR_BYTES / sizeof(T) };                                              \
    static inline T dot_##name(const T *a, const T *b, int64_t n) {                                \
        T sum = 0;                                                                                 \
        int64_t k = 0;                                                                             \
        if (n >= LANES_##name) {                                                                   \
            vector_##name sums[2] = {{0}, {0}};                                                    \
            for (; k + 2 * LANES_##name <= n; k += 2 * LANES_##name)                               \
                for (int v = 0; v < 2; v++)                                                        \
                    sums[v] += LOAD(name, a + k + v * LANES_##name) *                              \
                               LOAD(name, b + k + v * LANES_##name);                               \
            if (k + LANES_##name <= n) {                                                           \
                sums[0] += LOAD(name, a + k) * LOAD(name, b + k);                                  \
                k += LANES_##name;                                                                 \
            }                                                                                      \
            sums[0] += sums[1];                                                                    \
            for (int v = 0; v < LANES_##name; v++)                                                 \
                sum += sums[0][v];                                                                 \
        }                                                                                          \
        for (; k < n; k++)                                                                         \
            sum += a[k] * b[k];                                                                    \
        return sum;                                                                                \
    }                                                                                              \
    static inline T strided_##name(const T *a, const T *b, int64_t n, int64_t step) {              \
        T sum = 0;                                                                                 \
        for (int64_t k = 0; k < n; k++)                                                            \
            sum += a[k] * b[k * step];                                                             \
        return sum;                                                                                \
    }                                                                                              \
    static void line_##name(const tni_upfirdn_run *run) {                                          \
        const T *input = run->input, *taps = run->taps;                                            \
        T *output = run->output;                                                                   \
        const int64_t whole = run->down / run->up, part = run->down % run->up;                     \
        walk w = walk_begin(run);                                                                  \
        for (int64_t n = 0; n < run->count; n++) {                                                 \
            walk_clip(&w, run);                                                                    \
            const T *by = taps + w.phase * run->width + w.begin;                                   \
            const T *from = input + (w.place + w.begin) * run->step;                               \
            const int64_t terms = w.end - w.begin;                                                 \
            output[n * run->step] = run->step == 1 ? dot_##name(by, from, terms)                   \
                                                   : strided_##name(by, from, terms, run->step);   \
            walk_next(&w, run, whole, part);                                                       \
        }                                                                                          \
    }                                                                                              \
    static void lines_##name(const tni_upfirdn_run *run) {                                         \
        const T *input = run->input, *taps = run->taps;                                            \
        T *output = run->output;                                                                   \
        const int64_t whole = run->down / run->up, part = run->down % run->up;                     \
        walk w = walk_begin(run);                                                                  \
        for (int64_t n = 0; n < run->count; n++) {                                                 \
            walk_clip(&w, run);                                                                    \
            const T *by = taps + w.phase * run->width, *from = input + w.place * run->step;        \
            vector_##name sum = {0};                                                               \
            for (int64_t k = w.begin; k < w.end; k++)                                              \
                sum += by[k] * LOAD(name, from + k * run->step);                                   \
            *(loose_##name *)(void *)(output + n * run->step) = sum;                               \
            walk_next(&w, run, whole, part);                                                       \
        }                                                                                          \
    }
STAMP(f32, float)
STAMP(f64, double)

extern const tni_upfirdn_loops LEVEL(tni_upfirdn_loops)[];
const tni_upfirdn_loops LEVEL(tni_upfirdn_loops)[tni_dtype_count] = {
    [TN_F32] = {LANES_f32, line_f32, lines_f32},
    [TN_F64] = {LANES_f64, line_f64, lines_f64},
};
