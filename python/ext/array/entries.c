/* Objects as entries of a key. Lists, NumPy arrays and what else numpy.asarray() takes become
 * arrays beside the indexed one. */
#include "array/entries.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "values/convert.h"

int ext_refuse_index(void) {
    PyErr_SetString(PyExc_IndexError,
                    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                    "integer or boolean arrays are valid indices");
    return -1;
}

static int refuse_index_dtype(void) {
    PyErr_SetString(PyExc_IndexError,
                    "arrays used as indices must be of integer (or boolean) type");
    return -1;
}

int ext_check_index(tn_array *array) {
    if (tn_dtype_kind(tn_array_dtype(array)) <= TN_KIND_UNSIGNED) return 0;
    return refuse_index_dtype();
}

/* Lists, NumPy arrays and whatever numpy.asarray() takes. An empty list indexes nothing. */
static int read_sequence(ext_entry *entry, PyObject *object, const tn_array *beside) {
    tn_array *array = ext_convert_beside(object, beside);
    if (!array) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            return PyObject_HasAttrString(object, "dtype") ? refuse_index_dtype()
                                                           : ext_refuse_index();
        }
        return -1;
    }
    entry->array = array;
    bool is_list = PyList_Check(object) || PyTuple_Check(object);
    if (is_list && tn_array_size(array) == 0) {
        tn_status status = tn_array_astype(&entry->array, array, TN_I64, TN_ORDER_C,
                                           TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED, NULL);
        tn_array_release(array);
        if (status) {
            entry->array = NULL;
            ext_raise(status);
            return -1;
        }
    }
    if (tn_dtype_kind(tn_array_dtype(entry->array)) > TN_KIND_UNSIGNED && tn_array_ndim(array) == 0)
        return ext_refuse_index();
    return ext_check_index(entry->array);
}

static int read_bool(ext_entry *entry, bool value, const tn_array *beside) {
    tn_stream *stream = tn_stream_get_current(tn_array_device(beside));
    tn_status status = tn_array_new_scalar(&entry->array, tn_scalar_bool(value), TN_B8, stream);
    if (status) ext_raise(status);
    return status ? -1 : 0;
}

/* `beside`: the indexed array, on whose device arrays are made. */
static int read_entry(ext_entry *entry, PyObject *object, const tn_array *beside) {
    tn_scalar scalar;
    entry->array = NULL;
    if (PyLong_CheckExact(object)) return ext_read_integer(&entry->basic, object);
    if (PySlice_Check(object)) return ext_read_slice(&entry->basic, object);
    if (object == Py_None || object == Py_Ellipsis) {
        entry->basic.kind = object == Py_None ? TN_INDEX_NEWAXIS : TN_INDEX_ELLIPSIS;
        return 0;
    }
    if (ext_is_array(object)) {
        entry->array = tn_array_retain(ext_array(object));
        return ext_check_index(entry->array);
    }
    if (object == Py_True || object == Py_False) return read_bool(entry, object == Py_True, beside);
    if (PyList_Check(object) || PyTuple_Check(object)) return read_sequence(entry, object, beside);
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyFloat_Check(object))
        return ext_refuse_index();
    int is_scalar = PyLong_Check(object) ? 0 : ext_scalar(object, &scalar);
    if (is_scalar < 0) return -1;
    if (is_scalar && scalar.dtype == TN_B8)
        return read_bool(entry, scalar.value.bytes[0] != 0, beside);
    if (is_scalar && tn_dtype_kind(scalar.dtype) > TN_KIND_UNSIGNED) return ext_refuse_index();
    if (PyIndex_Check(object)) { /* arrays of NumPy say so too, and then refuse */
        if (!ext_read_integer(&entry->basic, object)) return 0;
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Clear();
    }
    return read_sequence(entry, object, beside);
}

void ext_release_entries(ext_entry *entries, int count) {
    for (int k = 0; k < count; k++)
        tn_array_release(entries[k].array);
}

int ext_entry_axes(const ext_entry *entry) {
    if (entry->array) return ext_is_mask(entry->array) ? tn_array_ndim(entry->array) : 1;
    return entry->basic.kind == TN_INDEX_INTEGER || entry->basic.kind == TN_INDEX_SLICE;
}

int ext_read_entries(ext_entry *entries, PyObject *key, const tn_array *beside) {
    if (!PyTuple_Check(key))
        return read_entry(entries, key, beside) ? ext_release_entries(entries, 1), -1 : 1;
    Py_ssize_t count = PyTuple_Size(key);
    if (count > EXT_ENTRIES) {
        PyErr_SetString(PyExc_IndexError, "too many indices for array");
        return -1;
    }
    for (int k = 0; k < count; k++)
        if (read_entry(&entries[k], PyTuple_GetItem(key, k), beside)) {
            ext_release_entries(entries, k + 1);
            return -1;
        }
    return (int)count;
}

int ext_count_arrays(ext_entry *entries, int count) {
    int arrays = 0;
    for (int k = 0; k < count; k++)
        arrays += entries[k].array != NULL;
    for (int k = 0; k < count && arrays > 1; k++) {
        tn_scalar scalar;
        int64_t value;
        tn_array *array = entries[k].array;
        if (!array || ext_is_mask(array) || tn_array_ndim(array) > 0) continue;
        tn_status status = tn_array_item(&scalar, array, NULL);
        if (!status) status = tn_scalar_convert(&value, scalar, TN_I64);
        if (status) return ext_raise(status), -1;
        tn_array_release(array);
        entries[k].array = NULL;
        ext_set_integer(&entries[k].basic, value);
        arrays--;
    }
    return arrays;
}
