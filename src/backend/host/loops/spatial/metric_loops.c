/* Inner loops of distances of rows, stamped for f32 and f64.
 *
 * A block of sums stays in vector registers while the columns pass: a lane is a row of b, and each
 * element of a is multiplied with, or taken from, all lanes at once. So a sum runs over the columns
 * in order, as it does on other backends. */
#include "backend/host/loops/spatial/metric_loops.h"

#include "backend/host/loops/entry.h"
#include "backend/host/loops/vector_bytes.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { VECTORS = 2, ROWS = TNI_DISTANCE_ROWS };
_Static_assert(VECTORS *VECTOR_BYTES <= TNI_DISTANCE_BYTES, "lanes are too many");
#define INLINE static inline __attribute__((always_inline))

#define T float
#define I int32_t
#define M(function) function##f
#define N(name) name##_f32
#include "backend/host/loops/spatial/distance_stamp.h"
#define T double
#define I int64_t
#define M(function) function
#define N(name) name##_f64
#include "backend/host/loops/spatial/distance_stamp.h"

extern const tni_metric_loops *const LEVEL(tni_metric_loops)[2];
const tni_metric_loops *const LEVEL(tni_metric_loops)[2] = {&loops_f32, &loops_f64};
