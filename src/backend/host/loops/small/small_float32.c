/* Decompositions of small matrices in f32. */
#include <float.h>
#include <math.h>

typedef float real;
typedef int integer;
#define TNI_T_BYTES 4
#define ROUNDING FLT_EPSILON
#define LEAST 0x1p-20
#define TINIEST 0x1p-124
#define MOST 0x1p40
#define ROOT_OF(x) sqrtf(x)
#define SMALL(name) small_##name##_f32
#include "backend/host/loops/small/small_stamp.h"

extern const tni_small_loops LEVEL(tni_small_loops_f32);
const tni_small_loops LEVEL(tni_small_loops_f32) = LOOPS;
