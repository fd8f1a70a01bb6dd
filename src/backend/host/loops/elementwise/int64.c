/* Loops on i64 and u64. */
#include "backend/host/loops/entry.h"

#define D i64
#define OTHER tn_u64
#include "backend/host/loops/elementwise/stamp.h"

#define D u64
#define OTHER tn_i64
#include "backend/host/loops/elementwise/stamp.h"
