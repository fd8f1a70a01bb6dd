/* Loops on i16 and u16. */
#include "backend/host/loops/entry.h"

#define D i16
#define T tn_i16
#define PICK_I KEEP
#include "backend/host/loops/stamp.h"

#define D u16
#define T tn_u16
#define PICK_I KEEP
#include "backend/host/loops/stamp.h"
