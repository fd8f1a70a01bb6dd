/* What number.c gives to other files. */
#ifndef TENORITE_EXT_ARRAY_NUMBER_H
#define TENORITE_EXT_ARRAY_NUMBER_H

#include "base/ext.h"

/* Operators (number.c): slots of ndarray, ended by slot 0. */
extern const PyType_Slot ext_number_slots[];
/* After an operand's TypeError: NotImplemented where the other operand may know better, else NULL. */
PyObject *ext_refuse(PyObject *a, PyObject *b);
/* Whether the other operand, another library's array, would have the operator itself; -1 with an exception. */
int ext_defers(PyObject *a, PyObject *b);

/* Of two operands of subclasses the one whose class a result has: of higher priority, else the first. NULL
 * with an exception. */
PyObject *ext_dominant(PyObject *a, PyObject *b);

#endif
