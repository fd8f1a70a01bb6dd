/* Each of NumPy's dtypes that elements are stored in gets a dtype of the library when it is first
 * met, and keeps it: (the dtype, the class of its scalars) is the key. NumPy's dtypes are compared
 * by what they say, so programs that write a structure anew in each call make one dtype. */
#include "base/stored.h"

#include "base/errors.h"
#include "base/types.h"

#include <stdlib.h>

static PyObject *found;   /* dict: key -> number */
static PyObject *objects; /* list: NumPy's dtype by number - TN_DTYPE_COUNT; None: not ours */
static bool *have_gaps;   /* by the same */

/* Rows of the tables up to the one of a dtype; its row, or -1 with an exception. */
static Py_ssize_t row_of(tn_dtype dtype) {
    const Py_ssize_t row = (Py_ssize_t)dtype - TN_DTYPE_COUNT;
    if (!objects && !(objects = PyList_New(0))) return -1;
    if (row < PyList_Size(objects)) return row;
    bool *grown = realloc(have_gaps, (size_t)row + 1);
    if (!grown) {
        PyErr_NoMemory();
        return -1;
    }
    have_gaps = grown;
    while (PyList_Size(objects) <= row) {
        have_gaps[PyList_Size(objects)] = false;
        if (PyList_Append(objects, Py_None)) return -1;
    }
    return row;
}

/* Kind 'V', 'M' or 'm', and no array in each element. */
static int is_kind(PyObject *object) {
    PyObject *kind = PyObject_GetAttrString(object, "kind");
    PyObject *inner = kind ? PyObject_GetAttrString(object, "subdtype") : NULL;
    PyObject *name = inner ? PyObject_GetAttrString(object, "name") : NULL;
    int is = -1;
    if (name)
        is = inner == Py_None && PyUnicode_CompareWithASCIIString(name, "bfloat16") &&
             (!PyUnicode_CompareWithASCIIString(kind, "V") ||
              !PyUnicode_CompareWithASCIIString(kind, "M") ||
              !PyUnicode_CompareWithASCIIString(kind, "m"));
    Py_XDECREF(name);
    Py_XDECREF(inner);
    Py_XDECREF(kind);
    return is;
}

/* A number of a dtype object; -1 with an exception. */
static int64_t read_number(PyObject *object, const char *name) {
    PyObject *attribute = PyObject_GetAttrString(object, name);
    int64_t value = attribute ? PyLong_AsLongLong(attribute) : -1;
    Py_XDECREF(attribute);
    return value;
}

static int refuse(PyObject *object) {
    PyObject *kind = ext_import("tenorite.exceptions", "UnsupportedDtypeError");
    if (kind)
        PyErr_Format(kind, "Unsupported dtype %S: elements are bytes, at least one, and no objects",
                     object);
    Py_XDECREF(kind);
    return -1;
}

/* The sum of the fields' sizes against that of the element. */
static int look_for_gaps(PyObject *object, int64_t item_bytes, bool *gaps) {
    PyObject *names = PyObject_GetAttrString(object, "names");
    int64_t sum = 0;
    bool is_good = names != NULL;
    for (Py_ssize_t k = 0; is_good && names != Py_None && k < PyTuple_Size(names); k++) {
        PyObject *field = PyObject_GetItem(object, PyTuple_GetItem(names, k));
        int64_t bytes = field ? read_number(field, "itemsize") : -1;
        Py_XDECREF(field);
        sum += bytes;
        is_good = bytes >= 0;
    }
    *gaps = is_good && names != Py_None && sum != item_bytes;
    Py_XDECREF(names);
    return is_good ? 0 : -1;
}

/* A dtype for a native dtype object that has none. */
static int add(PyObject *object, PyObject *key, tn_dtype *dtype) {
    const int64_t bytes = read_number(object, "itemsize");
    PyObject *text = PyObject_Str(object), *number = NULL;
    const char *name = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    bool gaps;
    int failed = -1;
    if (!name || bytes < 0 || look_for_gaps(object, bytes, &gaps)) goto cleanup;
    const tn_status status = tn_dtype_new(dtype, name, bytes);
    if (status) {
        ext_raise(status);
        goto cleanup;
    }
    const Py_ssize_t row = row_of(*dtype);
    if (row < 0 || PyList_SetItem(objects, row, Py_NewRef(object))) goto cleanup;
    have_gaps[row] = gaps;
    number = PyLong_FromLong((long)*dtype);
    failed = number ? PyDict_SetItem(found, key, number) : -1;
cleanup:
    Py_XDECREF(number);
    Py_XDECREF(text);
    return failed;
}

static int find(PyObject *object, tn_dtype *dtype) {
    PyObject *type = PyObject_GetAttrString(object, "type");
    PyObject *aligned = type ? PyObject_GetAttrString(object, "isalignedstruct") : NULL;
    PyObject *key = aligned ? PyTuple_Pack(3, object, type, aligned) : NULL;
    PyObject *number = key ? PyDict_GetItemWithError(found, key) : NULL;
    int failed = -1;
    if (number) {
        *dtype = (tn_dtype)PyLong_AsLong(number);
        failed = 0;
    } else if (key && !PyErr_Occurred()) {
        failed = add(object, key, dtype);
    }
    Py_XDECREF(key);
    Py_XDECREF(aligned);
    Py_XDECREF(type);
    return failed;
}

int ext_stored_dtype(PyObject *object, tn_dtype *dtype) {
    const int is = is_kind(object);
    if (is <= 0) return is;
    if (!found && !(found = PyDict_New())) return -1;
    PyObject *holds = PyObject_GetAttrString(object, "hasobject");
    const int64_t bytes = holds ? read_number(object, "itemsize") : -1;
    const bool is_refused = holds == Py_True || bytes == 0;
    Py_XDECREF(holds);
    if (bytes < 0) return -1;
    if (is_refused) return refuse(object);
    PyObject *native = PyObject_CallMethod(object, "newbyteorder", "s", "=");
    const int failed = native ? find(native, dtype) : -1;
    Py_XDECREF(native);
    return failed ? -1 : 1;
}

PyObject *ext_stored_object(tn_dtype dtype) {
    const Py_ssize_t row = row_of(dtype);
    if (row < 0 || PyList_GetItem(objects, row) != Py_None)
        return row < 0 ? NULL : PyList_GetItem(objects, row);
    PyObject *make = ext_import("numpy", "dtype"); /* made by a program in C: bytes, to Python */
    PyObject *made =
        make ? PyObject_CallFunction(make, "((sn))", "V", (Py_ssize_t)tn_dtype_size(dtype)) : NULL;
    Py_XDECREF(make);
    return made && !PyList_SetItem(objects, row, made) ? made : NULL;
}

int ext_stored_define(tn_dtype dtype) {
    if (!tn_dtype_is_stored(dtype) || tn_dtype_has_type(dtype)) return 0;
    PyObject *object = ext_stored_object(dtype), *defined = NULL;
    PyObject *define = object ? ext_import("tenorite._kernels.structures", "define") : NULL;
    const char *c_type, *c_text;
    if (define) defined = PyObject_CallFunctionObjArgs(define, object, NULL);
    Py_XDECREF(define);
    const bool is_read = defined && PyArg_ParseTuple(defined, "zz", &c_type, &c_text);
    const tn_status status = is_read && c_type ? tn_dtype_set_type(dtype, c_type, c_text) : TN_OK;
    Py_XDECREF(defined);
    if (status) ext_raise(status);
    return is_read && !status ? 0 : -1;
}

bool ext_stored_has_gaps(tn_dtype dtype) {
    return objects && (Py_ssize_t)dtype - TN_DTYPE_COUNT < PyList_Size(objects) &&
           have_gaps[dtype - TN_DTYPE_COUNT];
}
