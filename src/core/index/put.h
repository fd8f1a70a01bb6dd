/* The common parts of storing by indices and by masks. */
#ifndef TNI_PUT_H
#define TNI_PUT_H

#include "core/index/index.h"

/* The first step of storing: checks that `to` may be written, and finds the stream of the call (in:
 * the caller's wish). */
tn_status tni_put_begin(tn_stream **stream, const tn_array *to, const tn_array *indices,
                        const tn_operand *values);

/* tn_array_put() with the axis that messages name. */
tn_status tni_put_axis(tn_array *to, const tn_array *indices, int axis, const tn_operand *values,
                       tni_index_rule rule, tn_stream *stream);

#endif
