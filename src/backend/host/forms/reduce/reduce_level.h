/* The compiled loops of reductions at the level in use. */
#ifndef TNI_HOST_FORMS_REDUCE_LEVEL_H
#define TNI_HOST_FORMS_REDUCE_LEVEL_H

#include "backend/host/loops/reduce/reduce_loops.h"

#include <tenorite/status.h>

#include <tenorite/elementwise.h>
const tni_reduce_loops *tni_host_reduce_loops(void);
const tni_fold *tni_host_fold_find(tn_op op, tn_dtype input, tn_dtype accumulator);
const tni_fold *tni_host_moment_find(tn_dtype input, bool skips_nan); /* f32 or f64 */
const tni_position_loops *tni_host_position_find(tn_op op, tn_dtype dtype);
const tni_scan_loops *tni_host_scan_find(tn_op op, tn_dtype dtype);

#endif
