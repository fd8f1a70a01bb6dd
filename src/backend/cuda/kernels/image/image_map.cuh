/* What kernels of interpolated images share: weights and taps of a place, and the store.
 *
 * The program defines Real (of coefficients), Stored (of the result), image_weights (ops/spline.h),
 * Stored image_cast(Real, or of integers double), ORDER, WIDE_INDEX, BITS of an integer result (1:
 * bool, 0: a float) and IS_SIGNED. Taps are offsets in numbers; -1 stands for the value beyond all
 * edges. */
#ifndef IMAGE_MAP_CUH
#define IMAGE_MAP_CUH

#include "access.cuh"

#define TAPS (ORDER + 1)

/* Apart, since its divisions are seldom needed. */
static __device__ __noinline__ tn_i64 tap_beyond(tn_i64 at, tn_i64 size, int border) {
    return m_spline_tap(at, size, border);
}
static __device__ __noinline__ double place_beyond(double at, tn_i64 size, int border) {
    return m_spline_place(at, size, border);
}

/* The weights and taps of a place along an axis; false: it is beyond all edges. */
__device__ __forceinline__ bool image_taps(Real (&weights)[TAPS], Index (&taps)[TAPS], double at,
                                           tn_i64 size, tn_i64 step, int border) {
    if (!(at >= 0 && at <= (double)(size - 1))) {
        at = place_beyond(at, size, border);
        if (at == M_SPLINE_NOWHERE) return false;
    }
    const double middle = m_spline_middle(at, ORDER);
    const tn_i64 first = (tn_i64)middle - ORDER / 2;
    image_weights(weights, (Real)(at - middle), ORDER);
    if (first >= 0 && first + ORDER < size) {
        const Index origin = (Index)(first * step);
#pragma unroll
        for (int k = 0; k < TAPS; k++) taps[k] = origin + k * (Index)step;
    } else {
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            const tn_i64 tap = tap_beyond(first + k, size, border);
            taps[k] = (Index)(tap < 0 ? -1 : tap * step);
        }
    }
    return true;
}

__device__ __forceinline__ void image_store(Stored *result, tn_i64 at, Real value) {
#if BITS == 0
    result[at] = image_cast(value);
#elif BITS == 1
    result[at] = (Stored) !(value > -1 && value < 1);
#else
    result[at] = image_cast(m_spline_rounded((double)value, BITS, IS_SIGNED));
#endif
}

/* The sum over the taps along one axis, whose coefficients stand after `from`. */
__device__ __forceinline__ Real image_sum(const Real *from, const Real (&weights)[TAPS],
                                          const Index (&taps)[TAPS], bool is_grid, Real outside) {
    Real sum = 0;
    if (is_grid) {
#pragma unroll
        for (int k = 0; k < TAPS; k++) sum += weights[k] * (taps[k] < 0 ? outside : from[taps[k]]);
    } else {
#pragma unroll
        for (int k = 0; k < TAPS; k++) sum += weights[k] * from[taps[k]];
    }
    return sum;
}

#endif
