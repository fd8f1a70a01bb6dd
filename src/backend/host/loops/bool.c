/* Loops on b8. */
#include "backend/host/loops/entry.h"

#define D b8
#define T tn_u8
#define PICK_B KEEP
#include "backend/host/loops/stamp.h"
