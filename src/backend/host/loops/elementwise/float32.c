/* Loops on f32. */
#include "backend/host/loops/entry.h"

#define D f32
#include "backend/host/loops/elementwise/stamp.h"
