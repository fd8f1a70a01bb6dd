/* The recursive filter of splines over many lines at a time. */
#ifndef TNI_PREFILTER_LOOPS_H
#define TNI_PREFILTER_LOOPS_H

#include "forms/image_map.h"

enum { TNI_SPLINE_ROW_BYTES = 128 };

typedef struct tni_prefilter_loops {
    /* A panel of `rows` rows of TNI_SPLINE_ROW_BYTES, in which a line is a column: filtered by each
     * of `count` poles forwards and backwards, as lines that are constant beyond both ends, or
     * (fold not NULL) as lines of two numbers or more that go on so. */
    void (*filter_f32)(void *panel, int64_t rows, const double *poles, int count,
                       const tni_spline_fold *fold);
    void (*filter_f64)(void *panel, int64_t rows, const double *poles, int count,
                       const tni_spline_fold *fold);
} tni_prefilter_loops;

#endif
