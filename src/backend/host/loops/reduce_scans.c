/* Running sums of a block of contiguous elements.
 *
 * A running sum waits for each addition before the next. So the block is cut into four parts that run
 * side by side, each from zero; then each part but the first is raised by the total of those before it,
 * and all by the offset. What is added when depends on the block's length alone. Sums of non-negative
 * numbers never fall: where one part ends and the next begins the same total stands. */
#include "backend/host/loops/reduce_form.h"

enum { PARTS = 4 };

#define PLUS(a, b) ((a) + (b))
#define SCAN(S, T, plus)                                                                           \
    static void scan_##S(char *out, const char *x, int64_t n, const void *offset, void *total) {   \
        T *restrict to = (void *)out;                                                              \
        const T *restrict a = (const void *)x;                                                     \
        const int64_t length = n / PARTS;                                                          \
        T zero = {0}, running[PARTS] = {zero, zero, zero, zero};                                   \
        for (int64_t i = 0; i < length; i++)                                                       \
            for (int part = 0; part < PARTS; part++) {                                             \
                running[part] = plus(running[part], a[part * length + i]);                         \
                to[part * length + i] = running[part];                                             \
            }                                                                                      \
        T before = offset ? *(const T *)offset : zero, raised = zero;                              \
        for (int part = 0; part < PARTS; part++) {                                                 \
            T *restrict at = to + part * length;                                                   \
            for (int64_t i = 0; i < length; i++) at[i] = plus(before, plus(raised, at[i]));        \
            raised = plus(raised, running[part]);                                                  \
        }                                                                                          \
        for (int64_t i = PARTS * length; i < n; i++) {                                             \
            raised = plus(raised, a[i]);                                                           \
            to[i] = plus(before, raised);                                                          \
        }                                                                                          \
        *(T *)total = raised;                                                                      \
    }

SCAN(i32, tn_i32, PLUS)
SCAN(u32, tn_u32, PLUS)
SCAN(i64, tn_i64, PLUS)
SCAN(u64, tn_u64, PLUS)
SCAN(f32, float, PLUS)
SCAN(f64, double, PLUS)
SCAN(c64, tn_c64, m_add)
SCAN(c128, tn_c128, m_add)

#define ENTRY(S) {tni_op_add, tni_dtype_##S, scan_##S}
extern const tni_scan_loops LEVEL(tni_scan_loops)[];
const tni_scan_loops LEVEL(tni_scan_loops)[] = {ENTRY(i32), ENTRY(u32), ENTRY(i64), ENTRY(u64),
                                                ENTRY(f32), ENTRY(f64), ENTRY(c64), ENTRY(c128),
                                                {.op = -1}};
