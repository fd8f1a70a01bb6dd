/* Anything array-like made an array.
 *
 * What Python and NumPy know of lists, scalars and foreign objects is NumPy's business: they become
 * a NumPy array first, with its rules and its messages, and the elements are copied to the device.
 * Only lists with ndarrays in them are ours: their items are converted one by one and stacked. */
#include "values/convert.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/object.h"
#include "exchange/foreign.h"
#include "values/cast.h"
#include "values/numpy.h"
#include "values/plain.h"

#include <stdlib.h>
#include <string.h>

static void fail_copy(void) {
    PyErr_SetString(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.\n"
                                      "If using `tenorite.array(obj, copy=False)` replace it with "
                                      "`tenorite.asarray(obj)` to allow a copy when needed.");
}

/* --- From lists with ndarrays in them --- */

enum { DEEPEST = TN_MAX_NDIM };

static bool is_sequence(PyObject *object) {
    return PyList_Check(object) || PyTuple_Check(object);
}

static Py_ssize_t sequence_size(PyObject *object) {
    return PyList_Check(object) ? PyList_Size(object) : PyTuple_Size(object);
}

/* Borrowed; NULL where a list has become shorter meanwhile. */
static PyObject *sequence_item(PyObject *object, Py_ssize_t k) {
    return PyList_Check(object) ? PyList_GetItem(object, k) : PyTuple_GetItem(object, k);
}

/* -1: an exception. */
static int has_arrays(PyObject *object, int depth) {
    Py_ssize_t size = sequence_size(object);
    const PyTypeObject *known =
        NULL; /* of items that are none: a list has mostly items of one type */
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *item = sequence_item(object, k);
        if (!item) {
            PyErr_Clear();
            return 0;
        }
        if (Py_TYPE(item) == known) continue;
        bool is_deeper = is_sequence(item);
        if (!is_deeper) known = Py_TYPE(item);
        Py_INCREF(item); /* looking runs foreign code, which may change the list */
        int found = ext_is_array(item) ? 1 : ext_is_foreign(item);
        if (!found && is_deeper && depth < DEEPEST) found = has_arrays(item, depth + 1);
        Py_DECREF(item);
        if (found) return found;
    }
    return 0;
}

static tn_array *convert(PyObject *object, tn_dtype dtype, tn_order order, int depth);

static tn_array *stack_items(PyObject *const *items, Py_ssize_t size, tn_dtype dtype, int depth) {
    tn_array **arrays = calloc((size_t)size, sizeof *arrays), *made = NULL;
    if (!arrays) {
        PyErr_NoMemory();
        return NULL;
    }
    Py_ssize_t count = 0;
    bool is_even = true;
    for (; count < size; count++) {
        arrays[count] = convert(items[count], TN_DTYPE_NONE, TN_ORDER_C, depth + 1);
        if (!arrays[count]) goto cleanup;
        int ndim = tn_array_ndim(arrays[0]);
        is_even &= tn_array_ndim(arrays[count]) == ndim &&
                   memcmp(tn_array_shape(arrays[count]), tn_array_shape(arrays[0]),
                          (size_t)ndim * sizeof(int64_t)) == 0;
    }
    if (!is_even) {
        PyErr_Format(PyExc_ValueError,
                     "setting an array element with a sequence. The requested array has an "
                     "inhomogeneous shape after %d dimensions.",
                     depth + 1);
        goto cleanup;
    }
    tn_status status = tn_array_stack(&made, size, (const tn_array *const *)arrays, 0, dtype,
                                      TN_CASTING_UNSAFE, NULL);
    if (status) ext_raise(status);
cleanup:
    for (Py_ssize_t k = 0; k < count; k++)
        tn_array_release(arrays[k]);
    free(arrays);
    return made;
}

/* The items are held meanwhile: converting them runs foreign code, which may change the list. */
static tn_array *from_sequence(PyObject *object, tn_dtype dtype, int depth) {
    if (depth >= DEEPEST) {
        PyErr_Format(PyExc_ValueError, "the sequence is nested deeper than %d levels", DEEPEST);
        return NULL;
    }
    PyObject *tuple = PySequence_Tuple(object);
    if (!tuple) return NULL;
    Py_ssize_t size = PyTuple_Size(tuple);
    PyObject **items = calloc((size_t)size, sizeof *items);
    tn_array *made = NULL;
    if (items) {
        for (Py_ssize_t k = 0; k < size; k++)
            items[k] = PyTuple_GetItem(tuple, k);
        made = stack_items(items, size, dtype, depth);
    } else {
        PyErr_NoMemory();
    }
    free(items);
    Py_DECREF(tuple);
    return made;
}

/* --- All of them --- */

int ext_single(PyObject *object, tn_scalar *scalar) {
    int is_scalar = ext_scalar(object, scalar);
    if (is_scalar) return is_scalar;
    int is_numpy = ext_is_numpy(object);
    if (is_numpy <= 0) return is_numpy;
    PyObject *empty = PyTuple_New(0);
    PyObject *item = empty ? PyObject_GetItem(object, empty) : NULL;
    Py_XDECREF(empty);
    if (!item) return -1;
    is_numpy = ext_is_numpy(item);
    is_scalar = is_numpy ? (is_numpy < 0 ? -1 : 0) : ext_scalar(item, scalar);
    Py_DECREF(item);
    return is_scalar;
}

static tn_array *from_array(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy) {
    tn_array *array = ext_array(object);
    if (dtype == TN_DTYPE_NONE) dtype = tn_array_dtype(array);
    return ext_cast(array, dtype, order, TN_CASTING_UNSAFE, copy);
}

static tn_array *convert(PyObject *object, tn_dtype dtype, tn_order order, int depth) {
    tn_array *made = NULL;
    tn_scalar scalar;
    PyObject *stand_in;
    if (ext_is_array(object)) return from_array(object, dtype, order, TN_COPY_IF_NEEDED);
    if (ext_foreign(object, &stand_in)) return NULL;
    if (stand_in) {
        made = from_array(stand_in, dtype, order, TN_COPY_IF_NEEDED);
        Py_DECREF(stand_in);
        return made;
    }
    if (is_sequence(object)) {
        made = tn_dtype_is_stored(dtype) ? NULL : ext_from_plain(object, dtype);
        if (made || PyErr_Occurred()) return made;
        int state = has_arrays(object, depth);
        if (state < 0) return NULL;
        return state ? from_sequence(object, dtype, depth)
                     : ext_numpy_convert(object, dtype, order);
    }
    int is_scalar = tn_dtype_is_stored(dtype) ? 0 : ext_scalar(object, &scalar);
    if (is_scalar < 0) return NULL;
    if (is_scalar && scalar.weak && dtype != TN_DTYPE_NONE && ext_element(&scalar, dtype))
        return NULL;
    if (!is_scalar) return ext_numpy_convert(object, dtype, order);
    tn_status status = tn_array_new_scalar(&made, scalar, dtype, NULL);
    if (status) ext_raise(status);
    return made;
}

tn_array *ext_convert(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy) {
    if (ext_is_array(object)) return from_array(object, dtype, order, copy);
    if (copy == TN_COPY_NEVER) {
        fail_copy();
        return NULL;
    }
    tn_array *made = convert(object, dtype, order, 0);
    if (!made || order != TN_ORDER_F || tn_array_is_f_contiguous(made)) return made;
    tn_array *ordered = NULL; /* a stack is made in order C */
    tn_status status = tn_array_astype(&ordered, made, tn_array_dtype(made), order, TN_CASTING_NO,
                                       TN_COPY_IF_NEEDED, NULL);
    tn_array_release(made);
    if (status) ext_raise(status);
    return ordered;
}

static tn_array *convert_on(tn_device device, PyObject *object, tn_dtype dtype) {
    tn_device current = tn_device_get_current();
    if (tn_device_is_equal(current, device) || ext_is_array(object))
        return ext_convert(object, dtype, TN_ORDER_C, TN_COPY_IF_NEEDED);
    if (tn_device_set_current(device)) {
        ext_raise(TN_ERROR_DEVICE);
        return NULL;
    }
    tn_array *made = ext_convert(object, dtype, TN_ORDER_C, TN_COPY_IF_NEEDED);
    tn_device_set_current(current);
    return made;
}

tn_array *ext_convert_beside(PyObject *object, const tn_array *beside) {
    return convert_on(tn_array_device(beside), object, TN_DTYPE_NONE);
}

int ext_is_host_values(PyObject *object) {
    return is_sequence(object) ? 1 : ext_is_numpy(object);
}

tn_array *ext_convert_like(PyObject *object, const tn_array *like) {
    return convert_on(tn_array_device(like), object, tn_array_dtype(like));
}
