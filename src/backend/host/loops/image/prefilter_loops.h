/* The recursive filter of splines over many lines at a time. */
#ifndef TNI_PREFILTER_LOOPS_H
#define TNI_PREFILTER_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { TNI_SPLINE_ROW_BYTES = 128 };

typedef struct tni_prefilter_loops {
    /* A panel of `rows` rows of TNI_SPLINE_ROW_BYTES, in which a line is a column: filtered by each
     * of `count` poles forwards and backwards, as lines that were constant beyond both ends, or
     * (is_short) as short reflected ones. */
    void (*filter_f32)(void *panel, int64_t rows, const double *poles, int count, bool is_short);
    void (*filter_f64)(void *panel, int64_t rows, const double *poles, int count, bool is_short);
} tni_prefilter_loops;

#endif
