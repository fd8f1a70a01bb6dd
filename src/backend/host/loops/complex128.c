/* Loops on c128. */
#include "backend/host/loops/entry.h"

#define D c128
#define T tn_c128
#define PART_TYPE double
#define PICK_C KEEP
#define PICK_c128 KEEP
#include "backend/host/loops/stamp.h"
