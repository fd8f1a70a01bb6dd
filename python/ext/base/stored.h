/* NumPy's dtypes of elements that are no numbers (structures, void, dates, durations) as dtypes of
 * the library. Equal dtypes are one; beyond the size only NumPy's object says what one means. */
#ifndef TENORITE_EXT_BASE_STORED_H
#define TENORITE_EXT_BASE_STORED_H

#include "base/ext.h"

/* Of a dtype object, in the machine's order of bytes whichever it has. 1: found or made, 0: it is
 * no such dtype (no exception), -1: an exception, also for elements that hold objects. */
int ext_stored_dtype(PyObject *object, tn_dtype *dtype);

/* NumPy's dtype object (borrowed). */
PyObject *ext_stored_object(tn_dtype dtype);

/* Asks Python for the type by which kernels call elements, if that was not asked before; dtypes
 * whose fields share bytes, and others than these, have none. 0, or -1 with an exception. */
int ext_stored_define(tn_dtype dtype);

/* Whether a structure has bytes that no field has, or that several share: of such a dtype fields
 * are written one by one. */
bool ext_stored_has_gaps(tn_dtype dtype);

#endif
