/* Loops on i8 and u8. */
#include "backend/host/loops/entry.h"

#define D i8
#include "backend/host/loops/elementwise/stamp.h"

#define D u8
#include "backend/host/loops/elementwise/stamp.h"
