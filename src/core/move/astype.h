/* Which conversions a casting rule allows. */
#ifndef TNI_ASTYPE_H
#define TNI_ASTYPE_H

#include <tenorite/array.h>

/* TN_ERROR_TYPE naming both dtypes and the rule where it forbids the conversion. */
tn_status tni_cast_check(tn_dtype from, tn_dtype to, tn_casting casting);

#endif
