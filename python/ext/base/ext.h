/* What the files of the extension share. They see Python's limited API and include/tenorite
 * alone.
 *
 * A function that returns PyObject * sets an exception and returns NULL on failure; one that
 * returns int gives 0, or -1 with an exception set.
 *
 * What is borrowed, and for how long. An ndarray holds one tn_array, which ext_array() lends.
 * Whatever runs Python may give the object another array and drop the old one: converting an
 * argument (__bool__, __index__, __class__, ...), a warning, __array_finalize__, Py_DECREF,
 * another thread while the GIL is given up. So
 *  1. a function converts all its arguments first and borrows arrays last: between that and the
 *     call of the library that uses them no Python runs (the reader of rows sees to that for
 *     private functions: base/call.h);
 *  2. through that one call borrowed arrays stay, although Python may run inside it (hold.c sees
 *     to that), and no longer;
 *  3. what is used after it, or across Python, is held: a reference is taken (tn_array_retain),
 *     or the object is asked again.
 * Objects that came as arguments stay through the whole function; their parts do in a tuple alone.
 * What a list, a dict or an attribute gave is held by a reference. tools/check_borrowed.py reads
 * every function for this rule. */
#ifndef TENORITE_EXT_H
#define TENORITE_EXT_H

#define PY_SSIZE_T_CLEAN
#include <pyconfig.h>
/* A Python whose threads are free has no limited API before 3.15. */
#if !defined Py_LIMITED_API && !defined Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <tenorite/tenorite.h>

#endif
