/* Loops on b8. */
#include "backend/host/loops/entry.h"

#define D b8
#include "backend/host/loops/elementwise/stamp.h"
