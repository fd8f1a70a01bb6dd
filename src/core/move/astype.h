/* Which conversions a casting rule allows, and arrays as most forms take them. */
#ifndef TNI_ASTYPE_H
#define TNI_ASTYPE_H

#include <tenorite/array.h>

/* TN_ERROR_TYPE naming both dtypes and the rule where it forbids the conversion. */
tn_status tni_cast_check(tn_dtype from, tn_dtype to, tn_casting casting);

/* An array of a dtype whose elements are aligned and lie side by side in order C: itself or a
 * copy. `stream` is not NULL. */
tn_status tni_array_packed(tn_array **result, const tn_array *array, tn_dtype dtype,
                           tn_stream *stream);

#endif
