/* Loops on f64. */
#include "backend/host/loops/entry.h"

#define D f64
#include "backend/host/loops/elementwise/stamp.h"
