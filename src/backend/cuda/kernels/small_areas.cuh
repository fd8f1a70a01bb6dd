/* What a thread's decomposition works on, for the text of ops/small_matrix.h: numbers `step` apart,
 * between those of other threads. A program defines Real. */
#ifndef SMALL_AREAS_CUH
#define SMALL_AREAS_CUH

struct Area {
    Real *at;
    tn_i64 step;
    __device__ __forceinline__ Real &operator[](int k) const { return at[k * step]; }
    __device__ __forceinline__ Area operator+(int k) const { return {at + k * step, step}; }
};
__device__ __forceinline__ double root_of(double x) { return sqrt(x); }
__device__ __forceinline__ float root_of(float x) { return sqrtf(x); }

#define ONE_MATRIX
#define IS_WIDE            (sizeof(Real) == 8)
#define VALUE              Real
#define AREA               Area
#define GIVEN              Area
#define MASK               int
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define ROOT(x)            root_of(x)
#define MAGNITUDE(x)       ((x) < 0 ? -(x) : (x))
#define NUMBER(x)          ((Real)(x))
#define ANY(mask)          (mask)
#define SMALL(name)        small_##name
#define ROUNDING           (IS_WIDE ? 2.220446049250313e-16 : 1.1920928955078125e-7)
#define LEAST              (IS_WIDE ? 1e-90 : 1e-6)
#define MOST               (IS_WIDE ? 1e90 : 1e12)
#define TINIEST            (IS_WIDE ? 1e-307 : 1e-37)
#include "small_matrix.h"

#endif
