/* What errors.c gives to other files. */
#ifndef TENORITE_EXT_BASE_ERRORS_H
#define TENORITE_EXT_BASE_ERRORS_H

#include "base/ext.h"
#include "base/hold.h"

/* Sets the exception of a status with tn_error_message(); returns NULL. An exception that is set
 * already (by a callback) stays. */
PyObject *ext_raise(tn_status status);
/* NumPy's ComplexWarning, if a cast drops imaginary parts. -1: it is an exception. */
int ext_warn_complex(tn_dtype from, tn_dtype to);
/* Returns from a PyObject * function when the call fails. */
#define EXT_TRY(expression)                                                                        \
    do {                                                                                           \
        tn_status ext_status_ = (expression);                                                      \
        EXT_SETTLE();                                                                              \
        if (ext_status_ != TN_OK) return ext_raise(ext_status_);                                   \
    } while (0)

#endif
