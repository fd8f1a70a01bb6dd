/* Inner loops of distances of rows (ops/metrics.h): what one instruction-set level offers, for f32
 * and f64.
 *
 * A panel is `lanes` rows of b, a column of all of them beside each other: panel[k * lanes + j].
 * A block is TNI_DISTANCE_ROWS rows of a by one panel. */
#ifndef TNI_METRIC_LOOPS_H
#define TNI_METRIC_LOOPS_H

#include "forms/spatial.h"

enum { TNI_DISTANCE_ROWS = 4, TNI_DISTANCE_BYTES = 128 /* of the lanes, at most */ };

typedef struct tni_distance_block {
    const void *rows[TNI_DISTANCE_ROWS]; /* of a */
    const void *panel, *weights;
    int64_t columns;
    double p;
    void *sums, *others; /* [TNI_DISTANCE_ROWS][lanes]: s and t, all of them are written */
} tni_distance_block;

/* Sums of a block that become distances, in place in `sums`. */
typedef struct tni_distance_ends {
    tn_metric_end end;
    const void *norms; /* of the rows of a */
    const void *panel_norms;
    double p, scale, total;
    void *sums;
    const void *others;
} tni_distance_ends;

typedef struct tni_metric_loops {
    int lanes;
    /* Without and with weights. */
    void (*sums[tn_metric_sum_count][2])(const tni_distance_block *block);
    void (*end)(const tni_distance_ends *ends);
    /* norms[i] of `count` rows that lie `columns` apart. */
    void (*norms)(void *norms, const void *rows, const void *weights, int64_t count,
                  int64_t columns, tn_metric_norm norm);
} tni_metric_loops;

#endif
