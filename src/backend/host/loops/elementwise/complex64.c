/* Loops on c64. */
#include "backend/host/loops/entry.h"

#define D c64
#define PART_TYPE float
#include "backend/host/loops/elementwise/stamp.h"
