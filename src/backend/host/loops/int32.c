/* Loops on i32 and u32. */
#include "backend/host/loops/entry.h"

#define D i32
#define T tn_i32
#define PICK_I KEEP
#include "backend/host/loops/stamp.h"

#define D u32
#define T tn_u32
#define PICK_I KEEP
#include "backend/host/loops/stamp.h"
