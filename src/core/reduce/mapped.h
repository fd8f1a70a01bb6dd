/* Reductions of what operations make of arrays, in one pass: sum(abs(x)), sum(a * b). */
#ifndef TNI_MAPPED_H
#define TNI_MAPPED_H

#include "core/reduce/map.h"
#include "core/reduce/reduce.h"

/* The reduction of what the last step makes. Of the request all but `array`, `map` and `body` is
 * set. One pass where the backend takes the body as the inputs lie. Else the steps come first; or,
 * with `is_done` (NULL: no), that is false and nothing has been computed. */
tn_status tni_reduce_mapped(tn_array **result, const tni_reduce_request *request,
                            const tni_map *map, bool *is_done, tn_stream *stream);

#endif
