/* a[key] and a[key] = value.
 *
 * A key becomes a list of entries. Integers, slices, newaxis and the ellipsis are basic: they
 * alone give a view. One array of integers or bools among them is applied to the view that the
 * basic ones make, at the axis where it stands; as in NumPy its axes come first if a slice
 * stands between it and an integer. Several arrays, masks as the places where they are true,
 * index the view together. Lists and NumPy arrays are converted. */
#include "array/index.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "exchange/foreign.h"
#include "values/convert.h"
#include "values/operands.h"

#include <string.h>

enum { ENTRIES = 2 * TN_MAX_NDIM + 1, SIMPLE_ENTRIES = 4 };

typedef struct entry {
    tn_index basic;
    tn_array *array; /* owned; NULL: basic */
} entry;

static int fail_kind(void) {
    PyErr_SetString(PyExc_IndexError,
                    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                    "integer or boolean arrays are valid indices");
    return -1;
}

/* --- Entries --- */

static inline void set_integer(tn_index *index, int64_t value) {
    index->kind = TN_INDEX_INTEGER;
    index->start = value;
}

static int read_slice(tn_index *index, PyObject *slice) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step)) return -1;
    *index = (tn_index){TN_INDEX_SLICE, start, stop, step, true, true};
    return 0;
}

static int read_integer(tn_index *index, PyObject *object) {
    int64_t value;
    if (ext_int64(object, &value)) {
        return PyErr_ExceptionMatches(PyExc_OverflowError) ? fail_kind() : -1;
    }
    set_integer(index, value);
    return 0;
}

static int check_array(tn_array *array) {
    if (tn_dtype_kind(tn_array_dtype(array)) <= TN_KIND_UNSIGNED) return 0;
    PyErr_SetString(PyExc_IndexError,
                    "arrays used as indices must be of integer (or boolean) type");
    return -1;
}

/* Lists, NumPy arrays and whatever numpy.asarray() takes. An empty list indexes nothing. */
static int read_sequence(entry *entry, PyObject *object, const tn_array *beside) {
    tn_array *array = ext_convert_beside(object, beside);
    if (!array) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            fail_kind();
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
        return fail_kind();
    return check_array(entry->array);
}

static int read_bool(entry *entry, bool value, const tn_array *beside) {
    tn_stream *stream = tn_stream_get_current(tn_array_device(beside));
    tn_status status = tn_array_new_scalar(&entry->array, tn_scalar_bool(value), TN_B8, stream);
    if (status) ext_raise(status);
    return status ? -1 : 0;
}

/* `beside`: the indexed array, on whose device arrays are made. */
static int read_entry(entry *entry, PyObject *object, const tn_array *beside) {
    tn_scalar scalar;
    entry->array = NULL;
    if (PyLong_CheckExact(object)) return read_integer(&entry->basic, object);
    if (PySlice_Check(object)) return read_slice(&entry->basic, object);
    if (object == Py_None || object == Py_Ellipsis) {
        entry->basic.kind = object == Py_None ? TN_INDEX_NEWAXIS : TN_INDEX_ELLIPSIS;
        return 0;
    }
    if (ext_is_array(object)) {
        entry->array = tn_array_retain(ext_array(object));
        return check_array(entry->array);
    }
    if (object == Py_True || object == Py_False) return read_bool(entry, object == Py_True, beside);
    if (PyList_Check(object) || PyTuple_Check(object)) return read_sequence(entry, object, beside);
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyFloat_Check(object))
        return fail_kind();
    int is_scalar = PyLong_Check(object) ? 0 : ext_scalar(object, &scalar);
    if (is_scalar < 0) return -1;
    if (is_scalar && scalar.dtype == TN_B8)
        return read_bool(entry, scalar.value.bytes[0] != 0, beside);
    if (is_scalar && tn_dtype_kind(scalar.dtype) > TN_KIND_UNSIGNED) return fail_kind();
    if (PyIndex_Check(object)) { /* arrays of NumPy say so too, and then refuse */
        if (!read_integer(&entry->basic, object)) return 0;
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Clear();
    }
    return read_sequence(entry, object, beside);
}

static void release_entries(entry *entries, int count) {
    for (int k = 0; k < count; k++)
        tn_array_release(entries[k].array);
}

static bool is_mask(const tn_array *array) {
    return tn_array_dtype(array) == TN_B8;
}

/* Axes of the indexed array that an entry takes. */
static int axes_taken(const entry *entry) {
    if (entry->array) return is_mask(entry->array) ? tn_array_ndim(entry->array) : 1;
    return entry->basic.kind == TN_INDEX_INTEGER || entry->basic.kind == TN_INDEX_SLICE;
}

/* --- Keys --- */

typedef ext_meaning meaning;

static void init_meaning(meaning *m) { /* the rest is long, and not read */
    m->view = NULL;
    m->count = m->place = 0;
    m->is_borrowed = false;
}

static void release_meaning(meaning *m) {
    if (m->is_borrowed) return;
    tn_array_release(m->view);
    for (int k = 0; k < m->count; k++)
        tn_array_release(m->arrays[k]);
}

/* Before foreign code runs, which may give the indexed objects other arrays. */
static void own_meaning(meaning *m) {
    if (!m->is_borrowed) return;
    tn_array_retain(m->view);
    for (int k = 0; k < m->count; k++)
        tn_array_retain(m->arrays[k]);
    m->is_borrowed = false;
}

static int read_key(entry *entries, PyObject *key, const tn_array *beside) {
    if (!PyTuple_Check(key))
        return read_entry(entries, key, beside) ? release_entries(entries, 1), -1 : 1;
    Py_ssize_t count = PyTuple_Size(key);
    if (count > ENTRIES) {
        PyErr_SetString(PyExc_IndexError, "too many indices for array");
        return -1;
    }
    for (int k = 0; k < count; k++)
        if (read_entry(&entries[k], PyTuple_GetItem(key, k), beside)) {
            release_entries(entries, k + 1);
            return -1;
        }
    return (int)count;
}

/* Where several arrays stand in a key, those of one integer are read. How many are left. */
static int count_arrays(entry *entries, int count) {
    int arrays = 0;
    for (int k = 0; k < count; k++)
        arrays += entries[k].array != NULL;
    for (int k = 0; k < count && arrays > 1; k++) {
        tn_scalar scalar;
        int64_t value;
        tn_array *array = entries[k].array;
        if (!array || is_mask(array) || tn_array_ndim(array) > 0) continue;
        tn_status status = tn_array_item(&scalar, array, NULL);
        if (!status) status = tn_scalar_convert(&value, scalar, TN_I64);
        if (status) return ext_raise(status), -1;
        tn_array_release(array);
        entries[k].array = NULL;
        set_integer(&entries[k].basic, value);
        arrays--;
    }
    return arrays;
}

static int check_count(const tn_array *array, int axes) {
    if (axes <= tn_array_ndim(array)) return 0;
    PyErr_Format(PyExc_IndexError,
                 "too many indices for array: array is %d-dimensional, but %d were indexed",
                 tn_array_ndim(array), axes);
    return -1;
}

/* The axes that a key takes; -1 if it takes, or means, too many. */
static int count_axes(const tn_array *array, const entry *entries, int count) {
    int all = 0, arrays = 0;
    for (int k = 0; k < count; k++) {
        int axes = axes_taken(&entries[k]);
        all += axes;
        if (entries[k].array) arrays += axes ? axes : 1;
    }
    if (check_count(array, all)) return -1;
    if (arrays <= TN_MAX_NDIM) return all;
    PyErr_SetString(PyExc_IndexError, "too many indices for array");
    return -1;
}

/* A mask must have the sizes of the axes that it takes, from `axis` on. */
static int check_mask(const tn_array *array, const tn_array *mask, int axis) {
    for (int k = 0; k < tn_array_ndim(mask); k++) {
        int64_t size = tn_array_shape(array)[axis + k], mask_size = tn_array_shape(mask)[k];
        if (size == mask_size) continue;
        PyErr_Format(PyExc_IndexError,
                     "boolean index did not match indexed array along axis %d; size of axis is "
                     "%lld but size of corresponding boolean axis is %lld",
                     axis + k, (long long)size, (long long)mask_size);
        return -1;
    }
    return 0;
}

/* Whether something stands between the arrays and integers of the key. */
static bool stands_apart(const entry *entries, int count) {
    int first = count, last = -1;
    for (int k = 0; k < count; k++)
        if (entries[k].array || entries[k].basic.kind == TN_INDEX_INTEGER) {
            if (k < first) first = k;
            last = k;
        }
    for (int k = first; k <= last; k++)
        if (!entries[k].array && entries[k].basic.kind != TN_INDEX_INTEGER) return true;
    return false;
}

/* The view with these `count` axes of it in front. */
static int move_to_front(meaning *m, int count, const int *front) {
    int axes[TN_MAX_NDIM], ndim = tn_array_ndim(m->view), used = count;
    uint64_t moved_axes = 0;
    for (int k = 0; k < count; k++)
        moved_axes |= UINT64_C(1) << (axes[k] = front[k]);
    for (int k = 0; k < ndim; k++)
        if (!(moved_axes >> k & 1)) axes[used++] = k;
    tn_array *moved;
    tn_status status = tn_array_transpose(&moved, m->view, ndim, axes);
    if (status) return ext_raise(status), -1;
    tn_array_release(m->view);
    m->view = moved;
    return 0;
}

/* The axes that a lone array takes. */
static int move_lone_to_front(meaning *m, int count) {
    int axes[TN_MAX_NDIM];
    for (int k = 0; k < count; k++)
        axes[k] = m->axes[0] + k;
    m->axes[0] = 0;
    return move_to_front(m, count, axes);
}

/* tn_op_at has the axes of neighbours in their place, but NumPy puts them in front where an
 * integer stood apart from them. */
static int move_places_to_front(meaning *m) {
    if (m->count == 0 || m->place == m->axes[0]) return 0;
    if (move_to_front(m, m->count, m->axes)) return -1;
    for (int k = 0; k < m->count; k++)
        m->axes[k] = k;
    return 0;
}

/* Notes an array that indexes the view at `axis`; takes it over. */
static void add_array(meaning *m, tn_array *index, int axis, int original_axis) {
    m->axes[m->count] = axis;
    m->shown[m->count] = original_axis;
    m->arrays[m->count++] = index;
}

/* A mask among other arrays is the places where it is true: as many arrays as it has axes. One
 * without axes adds one, of size 1 or 0, as if it had been an array of that size. Waits. */
static int add_mask(meaning *m, const tn_array *mask, int axis, int original_axis) {
    int ndim = tn_array_ndim(mask);
    tn_array *places[TN_MAX_NDIM];
    tn_status status;
    if (ndim == 0) {
        tn_scalar truth;
        status = tn_array_item(&truth, mask, NULL);
        int64_t size = !status && truth.value.bytes[0];
        if (!status)
            status = tn_array_new_zeros(&places[0], TN_I64, 1, &size, TN_ORDER_C,
                                        tn_stream_get_current(tn_array_device(mask)));
    } else {
        status = tn_array_nonzero(places, mask, NULL);
    }
    if (status) return ext_raise(status), -1;
    for (int k = 0; k < (ndim ? ndim : 1); k++)
        add_array(m, places[k], axis + k, original_axis + k);
    return 0;
}

/* In the basic index, full slices stand for an array. A lone mask is left as it is. */
static int apply_arrays(meaning *m, const tn_array *array, const entry *entries, int count,
                        bool is_lone) {
    tn_index items[ENTRIES + TN_MAX_NDIM];
    int used = 0, taken = 0, before = 0, lone_axes = 0, all = count_axes(array, entries, count);
    bool has_ellipsis = false;
    if (all < 0) return -1;
    for (int k = 0; k < count; k++) {
        tn_array *index = entries[k].array;
        int axes = axes_taken(&entries[k]);
        if (index) {
            if (is_mask(index) && check_mask(array, index, taken)) return -1;
            if (is_lone || !is_mask(index))
                add_array(m, tn_array_retain(index), before, taken);
            else if (add_mask(m, index, before, taken))
                return -1;
            for (int n = 0; n < axes; n++)
                items[used++] = (tn_index){TN_INDEX_SLICE, 0, 0, 1, false, false};
            before += lone_axes = axes;
            if (axes == 0 && !is_lone) { /* a bool */
                items[used++] = (tn_index){TN_INDEX_NEWAXIS, 0, 0, 0, false, false};
                before++;
            }
        } else {
            tn_index_kind kind = entries[k].basic.kind;
            items[used++] = entries[k].basic;
            if (kind == TN_INDEX_ELLIPSIS && !has_ellipsis) {
                has_ellipsis = true;
                axes = tn_array_ndim(array) - all;
                before += axes;
            } else if (kind == TN_INDEX_SLICE || kind == TN_INDEX_NEWAXIS) {
                before++;
            }
        }
        taken += axes;
    }
    tn_status status = tn_array_slice(&m->view, array, used, items);
    if (status) return ext_raise(status), -1;
    bool is_apart = stands_apart(entries, count);
    if (is_apart && is_lone && move_lone_to_front(m, lone_axes)) return -1;
    m->place = is_apart ? 0 : m->axes[0];
    return 0;
}

static int apply_basic(meaning *m, const tn_array *array, const entry *entries, int count) {
    tn_index items[ENTRIES];
    for (int k = 0; k < count; k++)
        items[k] = entries[k].basic;
    tn_status status = tn_array_slice(&m->view, array, count, items);
    if (status) ext_raise(status);
    return status ? -1 : 0;
}

/* A key that is an array needs no view but the indexed array itself; the caller's objects keep
 * both. */
static int read_lone(meaning *m, tn_array *array, tn_array *index) {
    int taken = is_mask(index) ? tn_array_ndim(index) : 1;
    if (check_array(index) || check_count(array, taken) ||
        (is_mask(index) && check_mask(array, index, 0)))
        return -1;
    m->view = array;
    m->is_borrowed = true;
    add_array(m, index, 0, 0);
    return 0;
}

/* `as_places`: as ext_read_places() has it. */
static int read_any(meaning *m, tn_array *array, PyObject *key, bool as_places) {
    entry entries[ENTRIES];
    int count = read_key(entries, key, array), failed;
    if (count < 0) return -1;
    int arrays = count_arrays(entries, count);
    if (arrays == 0)
        failed = apply_basic(m, array, entries, count);
    else
        failed =
            arrays < 0 ? -1 : apply_arrays(m, array, entries, count, arrays == 1 && !as_places);
    release_entries(entries, count);
    if (!failed && as_places) failed = move_places_to_front(m);
    if (failed) release_meaning(m);
    return failed;
}

static int read_meaning_as(meaning *m, tn_array *array, PyObject *key, bool as_places) {
    init_meaning(m);
    if (ext_is_array(key) && !(as_places && is_mask(ext_array(key))))
        return read_lone(m, array, ext_array(key));
    tn_array_retain(array); /* foreign code in the key may give the indexed object another */
    int failed = read_any(m, array, key, as_places);
    tn_array_release(array);
    return failed;
}

static int read_meaning(meaning *m, tn_array *array, PyObject *key) {
    return read_meaning_as(m, array, key, false);
}

int ext_read_places(ext_meaning *m, tn_array *array, PyObject *key) {
    return read_meaning_as(m, array, key, true);
}

void ext_release_meaning(ext_meaning *m) {
    release_meaning(m);
}

/* An integer, a slice or None of its exact type. 0: something else. */
static inline int read_basic(tn_index *index, PyObject *object) {
    if (PyLong_CheckExact(object)) return read_integer(index, object) ? -1 : 1;
    if (PySlice_Check(object)) return read_slice(index, object) ? -1 : 1;
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
static bool shows_other_axis(const meaning *m) {
    return m->count == 1 && m->axes[0] != m->shown[0];
}

static int64_t work(const meaning *m) {
    int64_t size = tn_array_size(m->view);
    for (int k = 0; k < m->count; k++)
        size += tn_array_size(m->arrays[k]);
    return size;
}

static bool is_masked(const meaning *m) {
    return m->count == 1 && is_mask(m->arrays[0]);
}

/* --- Reading --- */

static tn_status take(tn_array **result, const meaning *m) {
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

PyObject *ext_subscript(PyObject *self, PyObject *key) {
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
    meaning m;
    if (read_meaning(&m, array, key)) return NULL;
    if (m.count == 0) return ext_wrap_view(m.view, self);
    tn_array *result = NULL;
    tn_status status;
    EXT_LONG_CALL(status, work(&m), take(&result, &m));
    release_meaning(&m);
    return status ? ext_raise(status) : ext_wrap_like(result, self);
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
static int convert_value(tn_operand *value, tn_array **owned, PyObject *object, meaning *m) {
    own_meaning(m);
    *owned = ext_convert_like(object, m->view);
    if (*owned) *value = tn_operand_array(*owned);
    return *owned ? 0 : -1;
}

/* An array stored by a mask that is the whole key has one dimension at most. */
static int check_dimensions(const tn_operand *value, const meaning *m, PyObject *key) {
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
static int warn_of_cast(tn_operand *value, PyObject *object, meaning *m) {
    if (!value->array) return 0;
    tn_dtype from = tn_array_dtype(value->array), to = tn_array_dtype(m->view);
    if (tn_dtype_kind(from) != TN_KIND_COMPLEX || tn_dtype_kind(to) == TN_KIND_COMPLEX) return 0;
    own_meaning(m);
    if (ext_warn_complex(from, to)) return -1;
    if (ext_is_array(object)) value->array = ext_array(object);
    return 0;
}

static tn_status put(const meaning *m, const tn_operand *value) {
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

static int assign_scalar(tn_array *array, int entries, const tn_index *index,
                         const tn_operand *value) {
    tn_array *view;
    tn_status status = tn_array_slice(&view, array, entries, index);
    if (status) return ext_raise(status), -1;
    status = assign_view(view, value);
    tn_array_release(view);
    return status ? (ext_raise(status), -1) : 0;
}

int ext_assign_subscript(PyObject *self, PyObject *key, PyObject *value) {
    tn_array *converted = NULL;
    tn_operand operand;
    meaning m;
    tn_index simple[SIMPLE_ENTRIES];
    if (!value) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
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
    init_meaning(&m);
    if (entries > 0)
        status = tn_array_slice(&m.view, array, entries, simple);
    else if (read_meaning(&m, array, key))
        return -1;
    if (status) return ext_raise(status), -1;
    if (ext_is_array(value)) operand.array = ext_array(value); /* reading the key may run Python */
    if ((is_host && convert_value(&operand, &converted, value, &m)) ||
        check_dimensions(&operand, &m, key) || warn_of_cast(&operand, value, &m)) {
        tn_array_release(converted);
        release_meaning(&m);
        return -1;
    }
    if (m.count == 0)
        status = assign_view(m.view, &operand);
    else
        EXT_LONG_CALL(status, work(&m), put(&m, &operand));
    release_meaning(&m);
    tn_array_release(converted);
    if (status) ext_raise(status);
    return status ? -1 : 0;
}
