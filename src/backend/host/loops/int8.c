/* Loops on i8 and u8. */
#include "backend/host/loops/entry.h"

#define D i8
#define T tn_i8
#define PICK_I KEEP
#include "backend/host/loops/stamp.h"

#define D u8
#define T tn_u8
#define PICK_I KEEP
#include "backend/host/loops/stamp.h"
