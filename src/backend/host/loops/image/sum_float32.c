/* Weighted sums of f32, which the compiler may contract. */
typedef float real;
#define NAME(name) name##_f32
#include "backend/host/loops/image/sum_loops.h"
