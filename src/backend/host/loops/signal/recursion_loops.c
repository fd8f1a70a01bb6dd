/* Inner loops of recursive filters, stamped by dtype: of f32 and f64 one line, or a vector of lines
 * that stand beside each other; of complex numbers one line. */
#include "backend/host/loops/signal/recursion_loops.h"

#include "backend/host/loops/entry.h"

enum { VECTOR_BYTES = 64 };

typedef float vector_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef float loose_f32 __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef double vector_f64 __attribute__((vector_size(VECTOR_BYTES)));
typedef double loose_f64 __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

#define T float
#define V float
#define LOOSE float
#define N(name) name##_f32
#include "backend/host/loops/signal/recursion_stamp.h"
#undef V
#undef LOOSE
#undef N
#define V vector_f32
#define LOOSE loose_f32
#define N(name) name##_lines_f32
#include "backend/host/loops/signal/recursion_stamp.h"
#undef T
#undef V
#undef LOOSE
#undef N
#define T double
#define V double
#define LOOSE double
#define N(name) name##_f64
#include "backend/host/loops/signal/recursion_stamp.h"
#undef V
#undef LOOSE
#undef N
#define V vector_f64
#define LOOSE loose_f64
#define N(name) name##_lines_f64
#include "backend/host/loops/signal/recursion_stamp.h"
#undef T
#undef V
#undef LOOSE
#undef N

/* a + b c, and a - b c. */
#define STAMP_COMPLEX(name, Z)                                                                     \
    static inline Z plus_##name(Z a, Z b, Z c) {                                                   \
        return (Z){a.re + b.re * c.re - b.im * c.im, a.im + b.re * c.im + b.im * c.re};            \
    }                                                                                              \
    static inline Z minus_##name(Z a, Z b, Z c) {                                                  \
        return (Z){a.re - b.re * c.re + b.im * c.im, a.im - b.re * c.im - b.im * c.re};            \
    }                                                                                              \
    static void filter_##name(const tni_recursion_run *run) {                                      \
        const int64_t order = run->order, width = 2 * order + 1;                                   \
        const Z *from = run->input;                                                                \
        Z *to = run->output;                                                                       \
        for (int64_t n = 0; n < run->count; n++) {                                                 \
            Z y = *from;                                                                           \
            for (int64_t s = 0; s < run->sections; s++) {                                          \
                const Z *by = (const Z *)run->coefficients + s * width;                            \
                Z *z = (Z *)run->state + s * (order + 1);                                          \
                const Z x = y;                                                                     \
                y = plus_##name(z[0], by[0], x);                                                   \
                for (int64_t k = 0; k < order; k++) {                                              \
                    const Z next = plus_##name(z[k + 1], by[1 + 2 * k], x);                        \
                    z[k] = minus_##name(next, by[2 + 2 * k], y);                                   \
                }                                                                                  \
            }                                                                                      \
            *to = y;                                                                               \
            from += run->input_step;                                                               \
            to += run->output_step;                                                                \
        }                                                                                          \
    }
STAMP_COMPLEX(c64, tn_c64)
STAMP_COMPLEX(c128, tn_c128)

extern const tni_recursion_loops LEVEL(tni_recursion_loops)[];
const tni_recursion_loops LEVEL(tni_recursion_loops)[tni_dtype_count] = {
    [TN_F32] = {VECTOR_BYTES / sizeof(float), filter_f32, filter_lines_f32},
    [TN_F64] = {VECTOR_BYTES / sizeof(double), filter_f64, filter_lines_f64},
    [TN_C64] = {0, filter_c64, NULL},
    [TN_C128] = {0, filter_c128, NULL},
};
