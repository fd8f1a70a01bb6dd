/* Coefficients of splines, for other drivers. */
#ifndef TNI_SPLINE_H
#define TNI_SPLINE_H

#include "core/array/array.h"
#include "forms/image_map.h"

typedef struct tni_spline_work {
    int order; /* 2 to 5 */
    tn_spline_border border;
    int64_t pad; /* of each filtered axis */
    double outside[2];
} tni_spline_work;

/* Filters a packed array of a dtype of tn_spline_dtype() along axes. `result` may be the array
 * itself, where all axes have one element and no pad. */
tn_status tni_spline_filter(tn_array **result, const tn_array *packed, const tni_spline_work *work,
                            int count, const int *axes, tn_stream *stream);
/* TN_ERROR_VALUE for an order outside of [least, 5] and for a border that is none. */
tn_status tni_spline_check(int order, int least, tn_spline_border border);

#endif
