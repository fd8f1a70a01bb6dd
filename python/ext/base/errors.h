/* Statuses as exceptions, warnings, and exceptions that are put aside. */
#ifndef TENORITE_EXT_BASE_ERRORS_H
#define TENORITE_EXT_BASE_ERRORS_H

#include "base/ext.h"
#include "base/hold.h"

/* Sets the exception of a status with tn_error_message(); returns NULL. An exception that is set
 * already (by a callback) stays. */
PyObject *ext_raise(tn_status status);
/* Sets the exception with these words. A note names the page of the documentation on them, if there
 * is one. */
void ext_raise_words(PyObject *exception, const char *words);
/* NumPy's ComplexWarning, if a cast drops imaginary parts. -1: it is an exception. */
int ext_warn_complex(tn_dtype from, tn_dtype to);
/* The exception that was set, put aside while other Python runs. Each one that is taken is put
 * back or dropped. */
typedef struct ext_error {
    PyObject *type, *value, *traceback; /* NULL: none was set */
} ext_error;
ext_error ext_error_take(void);
void ext_error_put_back(ext_error error);
void ext_error_drop(ext_error error);
/* Drops the exception where the call it refused was answered in another way, or another
 * exception is set; else puts it back. */
void ext_error_settle(ext_error error, bool is_answered);

/* Around Python in what the library calls at any time (a hook, a destructor): an exception that is
 * on its way is put aside meanwhile. False: Python has ended, and there is nothing to close. */
typedef struct ext_visit {
    ext_python python;
    ext_error error;
} ext_visit;
bool ext_visit_open(ext_visit *visit);
void ext_visit_close(const ext_visit *visit);
/* Returns from a PyObject * function when the call fails. */
#define EXT_TRY(expression)                                                                        \
    do {                                                                                           \
        tn_status ext_status_ = (expression);                                                      \
        EXT_SETTLE();                                                                              \
        if (ext_status_ != TN_OK) return ext_raise(ext_status_);                                   \
    } while (0)

#endif
