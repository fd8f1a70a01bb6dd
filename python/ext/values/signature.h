/* Calls with signature=, which names a loop by the dtypes of operands and results. */
#ifndef TENORITE_EXT_VALUES_SIGNATURE_H
#define TENORITE_EXT_VALUES_SIGNATURE_H

#include "base/arguments.h"

/* The call of the function of this name, which Python's tenorite._array.ufuncs makes: operands are
 * converted first. `keywords` has signature= or sig=. */
PyObject *ext_by_signature(const char *function, PyObject *arguments, PyObject *keywords);
/* The same with arguments as METH_FASTCALL | METH_KEYWORDS gives them. */
PyObject *ext_by_signature_of(const char *function, PyObject *const *arguments, Py_ssize_t count,
                              PyObject *keywords);

#endif
