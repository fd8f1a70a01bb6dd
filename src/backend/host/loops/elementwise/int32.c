/* Loops on i32 and u32. */
#include "backend/host/loops/entry.h"

#define D i32
#include "backend/host/loops/elementwise/stamp.h"

#define D u32
#include "backend/host/loops/elementwise/stamp.h"
