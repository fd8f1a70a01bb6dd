/* Products of Fourier transforms with factors of their frequencies, computed in f64. */
#include "backend/host/loops/image/fourier_loops.h"

#include "backend/host/loops/entry.h"

#define STAMP(name, T)                                                                             \
    static void scale_##name(T *output, const T *input, double outer, const double *inner,         \
                             int64_t n, int parts) {                                               \
        if (parts == 1)                                                                            \
            for (int64_t i = 0; i < n; i++)                                                        \
                output[i] = (T)((double)input[i] * (outer * inner[i]));                            \
        else                                                                                       \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const double factor = outer * inner[i];                                            \
                output[2 * i] = (T)((double)input[2 * i] * factor);                                \
                output[2 * i + 1] = (T)((double)input[2 * i + 1] * factor);                        \
            }                                                                                      \
    }                                                                                              \
    static void turn_##name(T *output, const T *input, const double outer[2], const double *inner, \
                            int64_t n) {                                                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const double a = inner[2 * i], b = inner[2 * i + 1];                                   \
            const double c = outer[0] * a - outer[1] * b, d = outer[0] * b + outer[1] * a;         \
            const double re = (double)input[2 * i], im = (double)input[2 * i + 1];                 \
            output[2 * i] = (T)(re * c - im * d);                                                  \
            output[2 * i + 1] = (T)(re * d + im * c);                                              \
        }                                                                                          \
    }
STAMP(f32, float)
STAMP(f64, double)

static void scale(tn_dtype dtype, void *output, const void *input, double outer,
                  const double *inner, int64_t n) {
    const int parts = tn_dtype_kind(dtype) == TN_KIND_COMPLEX ? 2 : 1;
    if (dtype == TN_F32 || dtype == TN_C64)
        scale_f32(output, input, outer, inner, n, parts);
    else
        scale_f64(output, input, outer, inner, n, parts);
}

static void turn(tn_dtype dtype, void *output, const void *input, const double outer[2],
                 const double *inner, int64_t n) {
    if (dtype == TN_C64)
        turn_f32(output, input, outer, inner, n);
    else
        turn_f64(output, input, outer, inner, n);
}

extern const tni_fourier_loops LEVEL(tni_fourier_loops);
const tni_fourier_loops LEVEL(tni_fourier_loops) = {scale, turn};
