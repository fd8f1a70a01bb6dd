/* Loops on f64. */
#include "backend/host/loops/entry.h"

#define D f64
#define T double
#define PICK_F KEEP
#define PICK_f64 KEEP
#include "backend/host/loops/stamp.h"
