/* Inner loops of pooling. A fold keeps a block of places in registers while it goes over taps. */
#include "backend/host/loops/neural/pooling_loops.h"

#include "backend/host/loops/entry.h"
#include "backend/host/loops/neural/vector.h"

enum { VECTORS = 4 }; /* of a block */

#define SUFFIX f32
#define W float
#define BITS tn_i32
#include "backend/host/loops/neural/pooling_stamp.h"

#define SUFFIX f64
#define W double
#define BITS tn_i64
#include "backend/host/loops/neural/pooling_stamp.h"
