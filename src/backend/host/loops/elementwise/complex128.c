/* Loops on c128. */
#include "backend/host/loops/entry.h"

#define D c128
#define PART_TYPE double
#include "backend/host/loops/elementwise/stamp.h"
