/* What data.c gives to other files. */
#ifndef TNI_DATA_H
#define TNI_DATA_H

#include <tenorite/linalg.h>

/* Whether an array of a signed dtype has a negative element; waits. */
tn_status tni_array_has_negative(bool *result, const tn_array *array, tn_stream *stream);

#endif
