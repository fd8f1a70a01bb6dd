/* Lines along one axis, as forms take them (forms/line.h). */
#ifndef TNI_CORE_LINE_H
#define TNI_CORE_LINE_H

#include "core/array/array.h"
#include "forms/line.h"

/* The lines of the input along `axis`, and those of an output that has the same other axes; `to`
 * and `from` are the addresses of both. */
void tni_line_describe(tni_line *line, const tn_array *output, void *to, const tn_array *input,
                       const void *from, int axis);

#endif
