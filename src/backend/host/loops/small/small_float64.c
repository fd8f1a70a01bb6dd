/* Decompositions of small matrices in f64. */
#include <float.h>
#include <math.h>

typedef double real;
typedef long integer;
#define TNI_T_BYTES 8
#define ROUNDING DBL_EPSILON
#define LEAST 0x1p-300
#define TINIEST 0x1p-1020
#define MOST 0x1p300
#define ROOT_OF(x) sqrt(x)
#define SMALL(name) small_##name##_f64
#include "backend/host/loops/small/small_stamp.h"

extern const tni_small_loops LEVEL(tni_small_loops_f64);
const tni_small_loops LEVEL(tni_small_loops_f64) = LOOPS;
