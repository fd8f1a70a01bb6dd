// What the bodies of operations call (src/ops), for programs that tn_op_write() gave text to.
#include "scalar.h"
#include "half.h"
#include "complex_scalar.h"
