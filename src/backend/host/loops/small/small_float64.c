/* Decompositions of small matrices in f64. */
typedef double real;
typedef long integer;
#define TNI_T_BYTES 8
#define SMALL(name) small_##name##_f64
#include "backend/host/loops/small/small_stamp.h"

extern const tni_small_loops LEVEL(tni_small_loops_f64);
const tni_small_loops LEVEL(tni_small_loops_f64) = LOOPS;
