/* Weighted sums of f64, rounded after each operation as in SciPy. */
typedef double real;
#define NAME(name) name##_f64
#include "backend/host/loops/image/sum_loops.h"
