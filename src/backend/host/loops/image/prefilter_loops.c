/* The recursive filter of splines: a row of the panel is a few vectors, whose recurrences do not
 * wait for each other. */
#include "backend/host/loops/image/prefilter_loops.h"

#include "backend/host/loops/entry.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
enum { VECTORS = TNI_SPLINE_ROW_BYTES / VECTOR_BYTES };

#define STAMP(name, T)                                                                             \
    typedef T vector_##name __attribute__((vector_size(VECTOR_BYTES), may_alias));                 \
    /* What stands before row 0 of a short line, of one vector of a row. */                        \
    static vector_##name before_##name(const vector_##name *at, int64_t rows, T z) {               \
        T part = z, whole = z;                                                                     \
        for (int64_t row = 1; row < rows; row++)                                                   \
            whole *= z;                                                                            \
        vector_##name sum = at[0] + at[(rows - 1) * VECTORS] * whole;                              \
        for (int64_t row = 1; row < rows; row++, part *= z) {                                      \
            vector_##name other = at[(rows - 1 - row) * VECTORS];                                  \
            if (row == rows - 1) other = sum;                                                      \
            sum += (at[row * VECTORS] + other * whole) * part;                                     \
        }                                                                                          \
        return sum / (1 - whole * whole);                                                          \
    }                                                                                              \
    static void filter_##name(void *panel, int64_t rows, const double *poles, int count,           \
                              bool is_short) {                                                     \
        vector_##name *at = panel, line[VECTORS];                                                  \
        for (int pole = 0; pole < count; pole++) {                                                 \
            const T z = (T)poles[pole], rest = (T)(1 - poles[pole]), gain = rest * rest;           \
            for (int v = 0; v < VECTORS; v++)                                                      \
                if (is_short)                                                                      \
                    line[v] = before_##name(at + v, rows, z);                                      \
                else                                                                               \
                    line[v] = at[v] / rest;                                                        \
            for (int64_t row = 0; row < rows; row++)                                               \
                for (int v = 0; v < VECTORS; v++)                                                  \
                    at[row * VECTORS + v] = line[v] = at[row * VECTORS + v] + line[v] * z;         \
            for (int v = 0; v < VECTORS; v++)                                                      \
                line[v] = line[v] * rest;                                                          \
            for (int64_t row = rows - 1; row >= 0; row--)                                          \
                for (int v = 0; v < VECTORS; v++)                                                  \
                    at[row * VECTORS + v] = line[v] = at[row * VECTORS + v] * gain + line[v] * z;  \
        }                                                                                          \
    }
STAMP(f32, float)
STAMP(f64, double)

extern const tni_prefilter_loops LEVEL(tni_prefilter_loops);
const tni_prefilter_loops LEVEL(tni_prefilter_loops) = {filter_f32, filter_f64};
