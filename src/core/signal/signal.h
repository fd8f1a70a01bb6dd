/* What the drivers of the family share. */
#ifndef TNI_SIGNAL_H
#define TNI_SIGNAL_H

#include "core/array/array.h"

#include <tenorite/signal.h>

/* An axis in the middle of an array in order C. */
typedef struct tni_signal_lines {
    int64_t outer, length, inner;
} tni_signal_lines;

/* How the lines of a packed array lie, complex numbers as two real ones where `splits`. Makes the
 * axis positive; TN_ERROR_AXIS for one that is not there. */
tn_status tni_signal_lines_of(tni_signal_lines *lines, int *axis, const tn_array *array,
                              bool splits);
/* TN_ERROR_TYPE unless the dtype is f32, f64, c64 or c128. */
tn_status tni_signal_check_dtype(tn_dtype dtype);

#endif
