/* a[key] and a[key] = value: keys of integers, slices and None at once, others as they are parsed
 * (key.h). */
#include "array/index.h"

#include "array/entries.h"
#include "array/key.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/stored.h"
#include "base/trace.h"
#include "base/types.h"
#include "exchange/foreign.h"
#include "values/convert.h"
#include "values/operands.h"

#include <string.h>

enum { SIMPLE_ENTRIES = 4 };

/* An integer, a slice or None of its exact type. 0: something else. */
static inline int read_basic(tn_index *index, PyObject *object) {
    if (PyLong_CheckExact(object)) return ext_read_integer(index, object) ? -1 : 1;
    if (PySlice_Check(object)) return ext_read_slice(index, object) ? -1 : 1;
    if (object == Py_None) index->kind = TN_INDEX_NEWAXIS;
    return object == Py_None;
}

/* Keys of few entries that need no memory: how many. 0: another key. */
static inline int read_simple(tn_index *items, PyObject *key) {
    if (!PyTuple_CheckExact(key)) return read_basic(items, key);
    Py_ssize_t count = PyTuple_Size(key);
    if (count > SIMPLE_ENTRIES) return 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        int state = read_basic(&items[k], PyTuple_GetItem(key, k));
        if (state <= 0) return state;
    }
    return (int)count;
}

/* One array of integers, in an index whose view has another axis there than the array that is
 * indexed. */
static bool shows_other_axis(const ext_parsed_key *m) {
    return m->count == 1 && m->axes[0] != m->shown[0];
}

static int64_t work(const ext_parsed_key *m) {
    int64_t size = tn_array_size(m->view);
    for (int k = 0; k < m->count; k++)
        size += tn_array_size(m->arrays[k]);
    return size;
}

static bool is_masked(const ext_parsed_key *m) {
    return m->count == 1 && ext_is_mask(m->arrays[0]);
}

/* --- Reading --- */

static tn_status take(tn_array **result, const ext_parsed_key *m) {
    if (m->count > 1)
        return tn_array_take_several(result, m->view, m->count, m->axes, m->shown,
                                     (const tn_array *const *)m->arrays, m->place, NULL);
    if (is_masked(m)) return tn_array_compress(result, m->view, m->arrays[0], m->axes[0], NULL);
    if (shows_other_axis(m))
        return tn_array_take_several(result, m->view, 1, m->axes, m->shown,
                                     (const tn_array *const *)m->arrays, m->axes[0], NULL);
    return tn_array_take(result, m->view, m->arrays[0], m->axes[0], TN_INDEX_RAISE, NULL);
}

/* The elements at an array of integers, which is the whole key. NULL without an exception:
 * another key. */
static PyObject *take_by_integers(PyObject *self, const tn_array *array, const tn_array *index) {
    tn_array *result = NULL;
    tn_kind kind = tn_dtype_kind(tn_array_dtype(index));
    if ((kind != TN_KIND_SIGNED && kind != TN_KIND_UNSIGNED) || tn_array_ndim(array) == 0)
        return NULL;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array) + tn_array_size(index),
                  tn_array_take(&result, array, index, 0, TN_INDEX_RAISE, NULL));
    return status ? ext_raise(status) : ext_wrap_like(result, self);
}

/* Whether a key names fields. */
static bool is_of_fields(PyObject *key) {
    if (PyList_Check(key) && PyList_Size(key) > 0) key = PyList_GetItem(key, 0);
    return PyUnicode_Check(key);
}

static PyObject *find_field(PyObject *self, PyObject *key) {
    PyObject *function = ext_import("tenorite._array.stored", "field");
    PyObject *found = function ? PyObject_CallFunctionObjArgs(function, self, key, NULL) : NULL;
    Py_XDECREF(function);
    if (found != Py_NotImplemented) return found;
    Py_DECREF(found);
    ext_refuse_index();
    return NULL;
}

static PyObject *subscript(PyObject *self, PyObject *key) {
    tn_array *view;
    if (Py_TYPE(key) == ext_ndarray_type) {
        PyObject *taken = take_by_integers(self, ext_array(self), ext_array(key));
        if (taken || PyErr_Occurred()) return taken;
    }
    tn_index simple[SIMPLE_ENTRIES];
    int entries = read_simple(simple, key);
    if (entries < 0) return NULL;
    tn_array *array = ext_array(self);
    if (entries > 0) {
        EXT_TRY(tn_array_slice(&view, array, entries, simple));
        return ext_wrap_view(view, self);
    }
    if (tn_dtype_is_stored(tn_array_dtype(array)) && is_of_fields(key))
        return find_field(self, key);
    ext_parsed_key m;
    if (ext_parse_key(&m, array, key)) return NULL;
    if (m.count == 0) return ext_wrap_view(m.view, self);
    tn_array *result = NULL;
    tn_status status;
    EXT_LONG_CALL(status, work(&m), take(&result, &m));
    ext_release_key(&m);
    return status ? ext_raise(status) : ext_wrap_like(result, self);
}

static EXT_COLD PyObject *subscript_traced(PyObject *self, PyObject *key) {
    int64_t begun = ext_trace_begin();
    PyObject *result = subscript(self, key), *const objects[] = {self, key};
    ext_trace_end(begun, "getitem", objects, 2, result);
    return result;
}

PyObject *ext_subscript(PyObject *self, PyObject *key) {
    return ext_is_traced() ? subscript_traced(self, key) : subscript(self, key);
}

/* --- Writing --- */

static bool is_same(const tn_array *a, const tn_array *b) {
    int ndim = tn_array_ndim(a);
    size_t bytes = (size_t)ndim * sizeof(int64_t);
    return tn_array_buffer(a) == tn_array_buffer(b) && tn_array_offset(a) == tn_array_offset(b) &&
           tn_array_dtype(a) == tn_array_dtype(b) && ndim == tn_array_ndim(b) &&
           memcmp(tn_array_shape(a), tn_array_shape(b), bytes) == 0 &&
           memcmp(tn_array_strides(a), tn_array_strides(b), bytes) == 0;
}

/* After a[key] += b Python stores the view into itself: nothing is to be done then. */
static tn_status assign_view(tn_array *view, const tn_operand *value) {
    tn_status status;
    if (!value->array) {
        EXT_LONG_CALL(status, tn_array_size(view), tn_array_fill(view, value->scalar, NULL));
        return status;
    }
    if (is_same(view, value->array) && tn_array_is_writeable(view)) return TN_OK;
    EXT_LONG_CALL(status, tn_array_size(view),
                  tn_array_assign(view, value->array, TN_CASTING_UNSAFE, NULL));
    return status;
}

/* 1: a list, tuple or NumPy array, which waits until the key is known. */
static int read_value(PyObject *object, tn_operand *value) {
    if (ext_is_array(object)) {
        *value = tn_operand_array(ext_array(object));
        return 0;
    }
    tn_scalar scalar;
    int state = ext_single(object, &scalar);
    if (state > 0) *value = tn_operand_scalar(scalar);
    if (state) return state < 0 ? -1 : 0;
    state = ext_is_host_values(object);
    return state ? state : ext_operand(object, value);
}

/* Host values come to the device, converted to the array's dtype. */
static int convert_value(tn_operand *value, tn_array **owned, PyObject *object, ext_parsed_key *m) {
    ext_own_key(m);
    *owned = ext_convert_like(object, m->view);
    if (*owned) *value = tn_operand_array(*owned);
    return *owned ? 0 : -1;
}

/* An array stored by a mask that is the whole key has one dimension at most. */
static int check_dimensions(const tn_operand *value, const ext_parsed_key *m, PyObject *key) {
    if (!value->array || PyTuple_Check(key) || !is_masked(m) ||
        tn_array_ndim(m->arrays[0]) != tn_array_ndim(m->view) || tn_array_ndim(value->array) < 2)
        return 0;
    PyErr_Format(PyExc_TypeError,
                 "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                 "input has %d dimensions",
                 tn_array_ndim(value->array));
    return -1;
}

/* A warning runs Python: what is borrowed is held before, or borrowed again. */
static int warn_of_cast(tn_operand *value, PyObject *object, ext_parsed_key *m) {
    if (!value->array) return 0;
    tn_dtype from = tn_array_dtype(value->array), to = tn_array_dtype(m->view);
    if (tn_dtype_kind(from) != TN_KIND_COMPLEX || tn_dtype_kind(to) == TN_KIND_COMPLEX) return 0;
    ext_own_key(m);
    if (ext_warn_complex(from, to)) return -1;
    if (ext_is_array(object)) value->array = ext_array(object);
    return 0;
}

static tn_status put(const ext_parsed_key *m, const tn_operand *value) {
    if (m->count > 1)
        return tn_array_put_several(m->view, m->count, m->axes, m->shown,
                                    (const tn_array *const *)m->arrays, m->place, value, NULL);
    if (is_masked(m)) return tn_array_expand(m->view, m->arrays[0], m->axes[0], value, NULL);
    if (shows_other_axis(m))
        return tn_array_put_several(m->view, 1, m->axes, m->shown,
                                    (const tn_array *const *)m->arrays, m->axes[0], value, NULL);
    return tn_array_put(m->view, m->arrays[0], m->axes[0], value, TN_INDEX_RAISE, NULL);
}

/* A value that was refused may stand for an array. */
static int assign_foreign(PyObject *self, PyObject *key, PyObject *value) {
    PyObject *stand_in = ext_stand_in(value, false);
    if (!stand_in) return -1;
    int failed = ext_assign_subscript(self, key, stand_in);
    Py_DECREF(stand_in);
    return failed;
}

static bool names_element(const tn_array *array, int entries, const tn_index *index) {
    for (int k = 0; k < entries; k++)
        if (index[k].kind != TN_INDEX_INTEGER) return false;
    return entries == tn_array_ndim(array);
}

static int assign_scalar(tn_array *array, int entries, const tn_index *index,
                         const tn_operand *value) {
    tn_array *view;
    tn_status status;
    if (names_element(array, entries, index)) {
        status = tn_array_fill_slice(array, entries, index, value->scalar, NULL);
        EXT_SETTLE();
        return status ? (ext_raise(status), -1) : 0;
    }
    status = tn_array_slice(&view, array, entries, index);
    if (status) return ext_raise(status), -1;
    status = assign_view(view, value);
    tn_array_release(view);
    return status ? (ext_raise(status), -1) : 0;
}

/* Python's part in storing elements that are no numbers: fields, conversions, structures with gaps
 * between their fields. NULL: there is none, elements of the same dtype move. */
static const char *assigner(const tn_array *array, PyObject *key, PyObject *value) {
    const tn_dtype to = tn_array_dtype(array);
    const tn_dtype from = ext_is_array(value) ? tn_array_dtype(ext_array(value)) : TN_DTYPE_NONE;
    if (!tn_dtype_is_stored(to) && !tn_dtype_is_stored(from)) return NULL;
    if (from != to || is_of_fields(key)) return "assign";
    return ext_stored_has_gaps(to) ? "assign_fields" : NULL;
}

static int assign_in_python(const char *name, PyObject *self, PyObject *key, PyObject *value) {
    PyObject *function = ext_import("tenorite._array.stored", name);
    PyObject *done =
        function ? PyObject_CallFunctionObjArgs(function, self, key, value, NULL) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int assign_subscript(PyObject *self, PyObject *key, PyObject *value) {
    tn_array *converted = NULL;
    tn_operand operand;
    ext_parsed_key m;
    tn_index simple[SIMPLE_ENTRIES];
    if (!value) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    const char *name = assigner(ext_array(self), key, value);
    if (name) return assign_in_python(name, self, key, value);
    int is_host = read_value(value, &operand);
    if (is_host < 0) return assign_foreign(self, key, value);
    int entries = read_simple(simple, key);
    if (entries < 0) return -1;
    tn_array *array = ext_array(self);
    if (!is_host && !operand.array && ext_element(&operand.scalar, tn_array_dtype(array)))
        return -1;
    if (entries > 0 && !is_host && !operand.array)
        return assign_scalar(array, entries, simple, &operand);
    tn_status status = TN_OK;
    /* Reading integers runs no Python (bounds of slices may), so the value is still borrowed. */
    if (entries > 0 && !is_host && operand.array && names_element(array, entries, simple) &&
        tn_array_ndim(operand.array) == 0 &&
        tn_array_dtype(operand.array) == tn_array_dtype(array)) {
        status = tn_array_assign_slice(array, entries, simple, operand.array, NULL);
        EXT_SETTLE();
        return status ? (ext_raise(status), -1) : 0;
    }
    ext_init_key(&m);
    if (entries > 0)
        status = tn_array_slice(&m.view, array, entries, simple);
    else if (ext_parse_key(&m, array, key))
        return -1;
    if (status) return ext_raise(status), -1;
    if (ext_is_array(value)) operand.array = ext_array(value); /* reading the key may run Python */
    if ((is_host && convert_value(&operand, &converted, value, &m)) ||
        check_dimensions(&operand, &m, key) || warn_of_cast(&operand, value, &m)) {
        tn_array_release(converted);
        ext_release_key(&m);
        return -1;
    }
    if (m.count == 0)
        status = assign_view(m.view, &operand);
    else
        EXT_LONG_CALL(status, work(&m), put(&m, &operand));
    ext_release_key(&m);
    tn_array_release(converted);
    if (status) ext_raise(status);
    return status ? -1 : 0;
}

static EXT_COLD int assign_subscript_traced(PyObject *self, PyObject *key, PyObject *value) {
    int64_t begun = ext_trace_begin();
    PyObject *const objects[] = {self, key, value};
    int failed = assign_subscript(self, key, value);
    ext_trace_end(begun, "setitem", objects, 3, NULL);
    return failed;
}

int ext_assign_subscript(PyObject *self, PyObject *key, PyObject *value) {
    return ext_is_traced() ? assign_subscript_traced(self, key, value)
                           : assign_subscript(self, key, value);
}
