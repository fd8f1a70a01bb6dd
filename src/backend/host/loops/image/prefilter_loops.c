/* The recursive filter of splines: a row of the panel is a few vectors, whose recurrences do not
 * wait for each other. */
#include "backend/host/loops/image/prefilter_loops.h"

#include "backend/host/loops/entry.h"
#include "backend/host/loops/vector_bytes.h"

enum { VECTORS = TNI_SPLINE_ROW_BYTES / VECTOR_BYTES };

#define STAMP(name, T)                                                                             \
    typedef T vector_##name __attribute__((vector_size(VECTOR_BYTES), may_alias));                 \
    /* What y is before row 0, of one vector of a row: sums over a period of the line. */          \
    static vector_##name before_##name(const vector_##name *at, int64_t rows, T z,                 \
                                       tni_spline_fold fold) {                                     \
        const int64_t period = fold == TNI_FOLD_WRAP      ? rows                                   \
                               : fold == TNI_FOLD_REFLECT ? 2 * rows                               \
                                                          : 2 * rows - 2;                          \
        vector_##name sum = at[0] * 0;                                                             \
        T part = 1;                                                                                \
        for (int64_t row = 1; row <= period; row++, part *= z)                                     \
            sum += at[tni_spline_folded(-row, rows, fold) * VECTORS] * part;                       \
        return sum / (1 - part);                                                                   \
    }                                                                                              \
    /* What c is after the last row. */                                                            \
    static vector_##name after_##name(const vector_##name *at, int64_t rows, T z,                  \
                                      tni_spline_fold fold) {                                      \
        const T rest = 1 - z;                                                                      \
        const vector_##name last = at[(rows - 1) * VECTORS];                                       \
        vector_##name sum = last * 0;                                                              \
        T part = 1;                                                                                \
        if (fold == TNI_FOLD_REFLECT) return last * rest;                                          \
        if (fold == TNI_FOLD_MIRROR)                                                               \
            return (at[(rows - 2) * VECTORS] + last * z) * (rest / (1 + z));                       \
        for (int64_t row = 0; row < rows; row++, part *= z)                                        \
            sum += at[row * VECTORS] * part;                                                       \
        return sum * (rest * rest / (1 - part));                                                   \
    }                                                                                              \
    static void filter_##name(void *panel, int64_t rows, const double *poles, int count,           \
                              const tni_spline_fold *fold) {                                       \
        vector_##name *at = panel, line[VECTORS];                                                  \
        for (int pole = 0; pole < count; pole++) {                                                 \
            const T z = (T)poles[pole], rest = (T)(1 - poles[pole]), gain = rest * rest;           \
            for (int v = 0; v < VECTORS; v++)                                                      \
                if (fold)                                                                          \
                    line[v] = before_##name(at + v, rows, z, *fold);                               \
                else                                                                               \
                    line[v] = at[v] / rest;                                                        \
            for (int64_t row = 0; row < rows; row++)                                               \
                for (int v = 0; v < VECTORS; v++)                                                  \
                    at[row * VECTORS + v] = line[v] = at[row * VECTORS + v] + line[v] * z;         \
            for (int v = 0; v < VECTORS; v++)                                                      \
                if (fold)                                                                          \
                    line[v] = after_##name(at + v, rows, z, *fold);                                \
                else                                                                               \
                    line[v] = line[v] * rest;                                                      \
            for (int64_t row = rows - 1; row >= 0; row--)                                          \
                for (int v = 0; v < VECTORS; v++)                                                  \
                    at[row * VECTORS + v] = line[v] = at[row * VECTORS + v] * gain + line[v] * z;  \
        }                                                                                          \
    }
STAMP(f32, float)
STAMP(f64, double)

extern const tni_prefilter_loops LEVEL(tni_prefilter_loops);
const tni_prefilter_loops LEVEL(tni_prefilter_loops) = {filter_f32, filter_f64};
