/* Loops on i64 and u64. */
#include "backend/host/loops/entry.h"

#define D i64
#define T tn_i64
#define OTHER tn_u64
#define PICK_I KEEP
#define PICK_i64 KEEP
#include "backend/host/loops/stamp.h"

#define D u64
#define T tn_u64
#define OTHER tn_i64
#define PICK_I KEEP
#define PICK_u64 KEEP
#include "backend/host/loops/stamp.h"
