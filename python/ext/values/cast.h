/* Conversion to another dtype, which of elements that are no numbers is Python's. */
#ifndef TENORITE_EXT_VALUES_CAST_H
#define TENORITE_EXT_VALUES_CAST_H

#include "base/ext.h"

/* tn_array_astype(): a new reference, or NULL with an exception. */
tn_array *ext_cast(tn_array *array, tn_dtype dtype, tn_order order, tn_casting casting,
                   tn_copy copy);

#endif
