/* Taking along one axis, as other drivers of indexing use it. */
#ifndef TNI_TAKE_H
#define TNI_TAKE_H

#include "core/index/index.h"

/* tn_array_take() with the axis that messages name. */
tn_status tni_take_axis(tn_array **result, const tn_array *array, const tn_array *indices, int axis,
                        tni_index_rule rule, tn_stream *stream);

#endif
