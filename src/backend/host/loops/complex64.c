/* Loops on c64. */
#include "backend/host/loops/entry.h"

#define D c64
#define T tn_c64
#define PART_TYPE float
#define PICK_C KEEP
#include "backend/host/loops/stamp.h"
