/* Loops on i16 and u16. */
#include "backend/host/loops/entry.h"

#define D i16
#include "backend/host/loops/elementwise/stamp.h"

#define D u16
#include "backend/host/loops/elementwise/stamp.h"
