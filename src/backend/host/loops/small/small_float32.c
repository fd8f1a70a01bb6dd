/* Decompositions of small matrices in f32. */
typedef float real;
typedef int integer;
#define TNI_T_BYTES 4
#define SMALL(name) small_##name##_f32
#include "backend/host/loops/small/small_stamp.h"

extern const tni_small_loops LEVEL(tni_small_loops_f32);
const tni_small_loops LEVEL(tni_small_loops_f32) = LOOPS;
