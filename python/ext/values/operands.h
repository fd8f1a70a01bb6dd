/* Operands, optional arrays, out=, where= and initial= as arguments; the object that a call
 * gives back. */
#ifndef TENORITE_EXT_VALUES_OPERANDS_H
#define TENORITE_EXT_VALUES_OPERANDS_H

#include "base/ext.h"

/* An array, a NumPy scalar or a Python bool, int, float or complex as an operand; anything else is
 * TypeError "Unsupported type <class ...>" (NULL or None: the same). */
int ext_operand(PyObject *object, tn_operand *operand);
/* The same, and the TypeError names the argument of the function. */
int ext_operand_of(PyObject *object, tn_operand *operand, const char *function,
                   const char *argument);
/* The array of an ndarray (borrowed); anything else is NULL and TypeError "Unsupported type
 * ...". */
tn_array *ext_only_array(PyObject *object);
/* An operand that need be no ndarray: a scalar, on the device of the ndarray `beside` (NULL: the
 * current one), or another library's array becomes *owned, which is NULL for an ndarray. When
 * all arguments are converted ext_lend() borrows the array. */
int ext_own(PyObject *object, PyObject *beside, tn_array **owned);
tn_array *ext_lend(PyObject *object, tn_array *owned);
/* Borrows the arrays of operands again, after reading the others may have run Python. */
void ext_lend_operands(int count, PyObject *const *objects, tn_operand *operands);
/* An ndarray or None/NULL (NULL); `name` for the TypeError. */
int ext_optional_array(PyObject *object, tn_array **array, const char *name);
/* out=: an array, None, or a tuple of one; *object becomes the array's object or NULL. */
int ext_out(PyObject **object, tn_array **array);
/* What a call with out= returns: `out`, or if that is NULL or None what was made, in the class
 * of `like`. ext_raise on failure. */
PyObject *ext_result(tn_status status, PyObject *out, tn_array *made, PyObject *like);
/* The ComplexWarning of a call that makes something else of complex elements: `dtype` is what it
 * computes in, as it was given, and without that `out` holds the result (NULL and None: neither was
 * given). It may run Python, so it comes before arrays are borrowed. -1: an exception. */
int ext_warn_made(tn_dtype from, PyObject *dtype, PyObject *out);
/* Reads where=: NULL and True are no mask; an array is the mask; False and None give a new 0-d
 * one in `owned`. */
int ext_where(PyObject *object, tn_array **mask, tn_array **owned);
/* initial= of a reduction: a scalar, None (no initial value) or NULL (the operation's own).
 * `initial` must live as long as the options. */
int ext_initial(PyObject *object, tn_reduce_options *options, tn_scalar *initial);

#endif
