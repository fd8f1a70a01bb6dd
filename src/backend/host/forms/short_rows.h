/* Copies whose rows are short (short_rows.c). */
#ifndef TNI_HOST_FORMS_SHORT_ROWS_H
#define TNI_HOST_FORMS_SHORT_ROWS_H

#include "forms/elementwise.h"

#include <stdbool.h>

/* Makes the copy if its rows are short; else `is_done` is false. */
tn_status tni_short_rows_copy(const tni_elementwise *call, bool *is_done);

#endif
