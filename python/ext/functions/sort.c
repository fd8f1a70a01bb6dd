/* Functions of sorting and searching, as methods and as plain functions: sort, argsort, partition,
 * argpartition, searchsorted.
 *
 * A function is a sorting (of elements or positions), and the parameters that it takes; those of a
 * method are the same without the array. What the parameters mean is read by one function into a
 * request. */
#include "functions/sort.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/trace.h"
#include "documents.h"
#include "values/convert.h"
#include "values/kinds.h"
#include "values/operands.h"
#include "values/take_over.h"

typedef tn_status (*sorting)(tn_array **result, const tn_array *array,
                             const tn_sort_options *options, tn_stream *stream);

/* Parameters after the array and kth; `*kth` is NULL for a sorting of all ranks. */
enum { AXIS, KIND, ORDER, STABLE, DESCENDING, PARAMETERS };

typedef struct request {
    tn_sort_options options;
    int axis;
    bool is_flat; /* the array is flattened */
    int64_t *kth; /* owned; as given: negative ones count from the end */
    int64_t kth_count;
    tn_rank_range *ranges; /* owned */
} request;

static void request_deinit(request *r) {
    PyMem_Free(r->kth);
    PyMem_Free(r->ranges);
}

/* --- Parameters --- */

static bool is_given(PyObject *object) {
    return object && object != Py_None;
}

/* NumPy goes by the first letter. 1: the sort is stable; -1: an exception. */
static int read_kind(PyObject *kind) {
    if (!PyUnicode_Check(kind)) {
        PyErr_Format(PyExc_TypeError, "sort kind must be str, not %s",
                     Py_TYPE(kind) == &PyBool_Type ? "bool" : "another type");
        return -1;
    }
    Py_UCS4 letter = PyUnicode_GetLength(kind) > 0 ? PyUnicode_ReadChar(kind, 0) : 0;
    if (letter == 's' || letter == 'm' || letter == 'S' || letter == 'M') return 1;
    if (letter == 'q' || letter == 'h' || letter == 'Q' || letter == 'H') return 0;
    PyErr_Format(PyExc_ValueError, "sort kind must be one of 'quick', 'heap', or 'stable' (got %R)",
                 kind);
    return -1;
}

static int read_selection(PyObject *kind) {
    if (!is_given(kind) ||
        (PyUnicode_Check(kind) && !PyUnicode_CompareWithASCIIString(kind, "introselect")))
        return 0;
    if (PyUnicode_Check(kind))
        PyErr_Format(PyExc_ValueError, "select kind must be 'introselect' (got %R)", kind);
    else
        PyErr_Format(PyExc_TypeError, "select kind must be str, not %R", Py_TYPE(kind));
    return -1;
}

/* NumPy takes any truth as `stable`. */
static int read_order(request *r, PyObject *const *values, bool is_selection) {
    int stable = 0;
    if (is_selection) return read_selection(values[KIND]);
    bool has_keywords = is_given(values[STABLE]);
    if (is_given(values[KIND]) && has_keywords) {
        PyErr_SetString(PyExc_ValueError, "`kind` and keyword parameters can't be provided at the "
                                          "same time. Use only one of them.");
        return -1;
    }
    if (is_given(values[KIND])) stable = read_kind(values[KIND]);
    if (has_keywords) stable = PyObject_IsTrue(values[STABLE]);
    r->options.is_stable = stable > 0;
    return stable < 0 ? -1 : ext_bool(values[DESCENDING], &r->options.is_descending, false);
}

static bool is_integer(tn_dtype dtype) {
    return tn_dtype_kind(dtype) == TN_KIND_SIGNED || tn_dtype_kind(dtype) == TN_KIND_UNSIGNED;
}

static int read_one_kth(PyObject *object, int64_t *kth) {
    if (PyBool_Check(object)) {
        PyErr_SetString(PyExc_ValueError, "Booleans unacceptable as partition index");
        return -1;
    }
    if (!PyIndex_Check(object) || PyFloat_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "Partition index must be integer");
        return -1;
    }
    return ext_int64(object, kth);
}

static int read_kth(request *r, PyObject *object) {
    /* An array has an __index__, too, but for one element alone. */
    bool is_sequence = PySequence_Check(object) && PySequence_Size(object) >= 0;
    PyErr_Clear();
    PyObject *list = is_sequence ? PySequence_List(object) : NULL;
    if (is_sequence && !list) return -1;
    r->kth_count = list ? PyList_Size(list) : 1;
    r->kth = PyMem_Malloc(sizeof *r->kth * (size_t)(r->kth_count + 1));
    int failed = 0;
    if (!r->kth) PyErr_NoMemory(), failed = -1;
    if (!failed && !list) failed = read_one_kth(object, r->kth);
    /* No places at all are no floats only as an array of integers. */
    bool is_places = ext_is_array(object) && is_integer(tn_array_dtype(ext_array(object)));
    if (!failed && list && r->kth_count == 0 && !is_places) {
        PyErr_SetString(PyExc_TypeError, "Partition index must be integer");
        failed = -1;
    }
    for (int64_t k = 0; !failed && list && k < r->kth_count; k++) {
        PyObject *item = PyList_GetItem(list, k);
        Py_XINCREF(item);
        failed = item ? read_one_kth(item, &r->kth[k]) : -1;
        Py_XDECREF(item);
    }
    Py_XDECREF(list);
    return failed;
}

/* Reads all but the array. `may_flatten`: axis=None flattens it. */
static int read_request(request *r, PyObject *kth, PyObject *const *values, bool may_flatten) {
    static const tn_sort_options defaults = TN_SORT_DEFAULTS;
    *r = (request){.options = defaults, .axis = -1};
    r->is_flat = may_flatten && values[AXIS] == Py_None;
    if (!r->is_flat && ext_axis(values[AXIS], &r->options.axis)) return -1;
    if (kth && read_kth(r, kth)) return -1;
    return read_order(r, values, kth != NULL);
}

/* The ranks of an array whose shape is known now. */
static int find_ranges(request *r, const tn_array *array) {
    int axis = r->options.axis;
    if (!r->kth) return 0;
    tn_status status = tn_axis_check(&axis, tn_array_ndim(array));
    if (status) return ext_raise(status), -1;
    const int64_t length = tn_array_shape(array)[axis];
    r->ranges = PyMem_Malloc(sizeof *r->ranges * (size_t)r->kth_count);
    if (!r->ranges) return PyErr_NoMemory(), -1;
    r->options.ranges = r->ranges;
    if (tn_array_size(array) == 0) return 0;
    for (int64_t k = 0; k < r->kth_count; k++) {
        int64_t at = r->kth[k] < 0 ? r->kth[k] + length : r->kth[k];
        if (at < 0 || at >= length) {
            PyErr_Format(PyExc_ValueError, "kth(=%lld) out of bounds (%lld)", (long long)at,
                         (long long)length);
            return -1;
        }
        r->ranges[k] = (tn_rank_range){at, at + 1};
    }
    r->options.range_count = r->kth_count;
    return 0;
}

/* --- Sorting --- */

/* A new array; takes over the request. */
static PyObject *sorted_of(sorting sorting, PyObject *object, tn_array *owned, request *r) {
    static const int64_t all = -1;
    tn_array *array = ext_lend(object, owned), *flat = NULL, *made = NULL;
    tn_status status = TN_OK;
    PyObject *result = NULL;
    if (r->is_flat || (sorting == tn_array_argsort && tn_array_ndim(array) == 0)) {
        status = tn_array_reshape(&flat, array, 1, &all, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
        array = flat;
    }
    if (status)
        ext_raise(status);
    else if (!find_ranges(r, array)) {
        EXT_LONG_CALL(status, tn_array_size(array), sorting(&made, array, &r->options, NULL));
        result = ext_result(status, NULL, made, object);
    }
    tn_array_release(flat);
    request_deinit(r);
    return result;
}

static PyObject *in_place(PyObject *self, request *r, const char *name) {
    tn_array *array = ext_array(self);
    bool is_good = tn_array_is_writeable(array);
    tn_status status = TN_OK;
    if (!is_good)
        PyErr_Format(PyExc_ValueError, "%s array is read-only", name);
    else if ((is_good = !find_ranges(r, array)))
        EXT_LONG_CALL(status, tn_array_size(array),
                      tn_array_sort(&array, array, &r->options, NULL));
    request_deinit(r);
    if (!is_good) return NULL;
    EXT_TRY(status);
    Py_RETURN_NONE;
}

#define SORT_NAMES "axis", "kind", "order", "*stable", "*descending", NULL
#define SELECT_NAMES "kth", "axis", "kind", "order", NULL
static const char *const of_sort[] = {"a", SORT_NAMES};
static const char *const of_partition[] = {"a", SELECT_NAMES};

/* `names` begins with the array; a method leaves that one out. Takes over what it reads. */
static int read_call(request *r, PyObject **array, const char *name, bool is_selection,
                     bool is_method, bool may_flatten, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *keywords) {
    PyObject *read[PARAMETERS + 2] = {NULL}, *kth = NULL;
    const char *const *names = is_selection ? of_partition : of_sort;
    if (ext_parse(name, arguments, count, keywords, names + is_method, !is_method + is_selection,
                  read + is_method))
        return -1;
    if (is_selection) kth = read[1];
    if (!is_method) *array = read[0];
    const bool has_order = is_given(read[1 + is_selection + ORDER]);
    if (has_order && !ext_only_array(*array)) return -1;
    if (!read_request(r, kth, read + 1 + is_selection, may_flatten)) {
        if (!has_order) return 0;
        /* An array of structures has fields: the order is Python's. */
        const tn_dtype dtype = tn_array_dtype(ext_array(*array));
        PyErr_SetString(tn_dtype_is_stored(dtype) ? PyExc_TypeError : PyExc_ValueError,
                        "Cannot specify order when the array has no fields.");
    }
    request_deinit(r);
    return -1;
}

static PyObject *as_function(sorting sorting, const char *name, bool is_selection,
                             PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    request r;
    PyObject *object;
    tn_array *owned;
    if (read_call(&r, &object, name, is_selection, false, true, arguments, count, keywords))
        return NULL;
    if (ext_own(object, NULL, &owned)) {
        request_deinit(&r);
        return NULL;
    }
    PyObject *result = sorted_of(sorting, object, owned, &r);
    tn_array_release(owned);
    return result;
}

#define FUNCTION(name, sorting, is_selection)                                                      \
    static PyObject *name##_function(ARGUMENTS) {                                                  \
        return as_function(sorting, #name, is_selection, arguments, count, keywords);              \
    }
FUNCTION(sort, tn_array_sort, false)
FUNCTION(argsort, tn_array_argsort, false)
FUNCTION(partition, tn_array_sort, true)
FUNCTION(argpartition, tn_array_argsort, true)

#define METHOD_IN_PLACE(name, is_selection)                                                        \
    static PyObject *name(ARGUMENTS) {                                                             \
        request r;                                                                                 \
        if (read_call(&r, &self, #name, is_selection, true, false, arguments, count, keywords))    \
            return NULL;                                                                           \
        return in_place(self, &r, #name);                                                          \
    }
METHOD_IN_PLACE(sort, false)
METHOD_IN_PLACE(partition, true)

#define METHOD(name, is_selection)                                                                 \
    static PyObject *name(ARGUMENTS) {                                                             \
        request r;                                                                                 \
        if (read_call(&r, &self, #name, is_selection, true, true, arguments, count, keywords))     \
            return NULL;                                                                           \
        return sorted_of(tn_array_argsort, self, NULL, &r);                                        \
    }
METHOD(argsort, false)
METHOD(argpartition, true)

/* As argsort, but only the first k positions are in order. */
EXT_CALL(argsort_first, EXT_SIZED, (array, array), (int64, k), (number, axis),
         (truth, is_descending), (made, order)) {
    const tn_rank_range range = {0, call->k};
    const tn_sort_options options = {call->axis, call->is_descending, false, 1, &range};
    return tn_array_argsort(&call->order, call->array, &options, NULL);
}

/* --- By several keys --- */

enum { MOST_KEYS = 8 };

/* Held keys of one axis and one size. The number of them; 0: the object is none such. */
static int read_keys(tn_array **keys, PyObject *object) {
    if (!PyTuple_CheckExact(object) && !PyList_CheckExact(object)) return 0;
    const bool is_tuple = PyTuple_CheckExact(object);
    const Py_ssize_t count = is_tuple ? PyTuple_Size(object) : PyList_Size(object);
    if (count > MOST_KEYS) return 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *key = is_tuple ? PyTuple_GetItem(object, k) : PyList_GetItem(object, k);
        if (Py_TYPE(key) != ext_ndarray_type || tn_array_ndim(ext_array(key)) != 1 ||
            ext_is_stored(key))
            return 0;
        keys[k] = ext_array(key);
        if (tn_array_size(keys[k]) != tn_array_size(keys[0])) return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++)
        tn_array_retain(keys[k]);
    return (int)count;
}

/* Positions in order, which another key puts in order anew. */
static tn_status reorder(tn_array **order, const tn_array *key) {
    static const tn_sort_options defaults = TN_SORT_DEFAULTS;
    tn_array *taken = NULL, *ranks = NULL, *made = NULL;
    tn_status status = tn_array_take(&taken, key, *order, 0, TN_INDEX_RAISE, NULL);
    if (!status) status = tn_array_argsort(&ranks, taken, &defaults, NULL);
    if (!status) status = tn_array_take(&made, *order, ranks, 0, TN_INDEX_RAISE, NULL);
    tn_array_release(taken);
    tn_array_release(ranks);
    if (status) return status;
    tn_array_release(*order);
    *order = made;
    return TN_OK;
}

static tn_status sort_by_keys(tn_array **result, int count, tn_array *const *keys) {
    static const tn_sort_options defaults = TN_SORT_DEFAULTS;
    tn_array *order = NULL;
    tn_status status = tn_array_argsort(&order, keys[0], &defaults, NULL);
    for (int k = 1; !status && k < count; k++)
        status = reorder(&order, keys[k]);
    if (status)
        tn_array_release(order);
    else
        *result = order;
    return status;
}

/* None where the keys are no few arrays of one axis. */
EXT_CALL(lexsort, EXT_SHORT, (object, keys), (made_or_none, order)) {
    tn_array *keys[MOST_KEYS];
    tn_status status = TN_OK;
    const int count = read_keys(keys, call->keys);
    if (count)
        EXT_LONG_CALL(status, tn_array_size(keys[0]), sort_by_keys(&call->order, count, keys));
    for (int k = 0; k < count; k++)
        tn_array_release(keys[k]);
    return status;
}

/* --- searchsorted --- */

static int read_side(PyObject *object, bool *is_right) {
    *is_right = false;
    if (!object) return 0;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "search side must be str, not %R", Py_TYPE(object));
        return -1;
    }
    *is_right = !PyUnicode_CompareWithASCIIString(object, "right");
    if (*is_right || !PyUnicode_CompareWithASCIIString(object, "left")) return 0;
    PyErr_Format(PyExc_ValueError, "search side must be 'left' or 'right' (got %R)", object);
    return -1;
}

/* Whether positions lie outside of [0, count), negative ones, too, as NumPy has it for a sorter.
 * Sets the exception. */
static bool is_beyond(const tn_array *order, int64_t count) {
    tn_scalar least, largest;
    if (count == 0) return false;
    tn_status status = tn_array_extent(&least, &largest, order, NULL);
    if (status) return ext_raise(status), true;
    bool is_unsigned = least.dtype == TN_U64;
    if ((is_unsigned || least.value.i64 >= 0) && largest.value.u64 < (uint64_t)count) return false;
    PyErr_SetString(PyExc_ValueError, "Sorter index out of range.");
    return true;
}

/* The sorted array as the sorter has it; new reference, NULL with an exception. */
static tn_array *take_sorted(const tn_array *array, PyObject *sorter) {
    tn_array *order, *made = NULL;
    if (!is_given(sorter)) return tn_array_retain((tn_array *)(uintptr_t)array);
    tn_array *held = tn_array_retain((tn_array *)(uintptr_t)array);
    order = ext_convert_beside(sorter, held);
    tn_status status = TN_OK;
    if (order) {
        tn_kind kind = tn_dtype_kind(tn_array_dtype(order));
        if (kind != TN_KIND_SIGNED && kind != TN_KIND_UNSIGNED)
            PyErr_SetString(PyExc_TypeError, "sorter must only contain integers");
        else if (tn_array_ndim(order) != 1 || tn_array_size(order) != tn_array_size(held))
            PyErr_SetString(PyExc_ValueError, "sorter.size must equal a.size");
        else if (!is_beyond(order, tn_array_size(held)))
            EXT_LONG_CALL(status, tn_array_size(held),
                          tn_array_take(&made, held, order, 0, TN_INDEX_RAISE, NULL));
    }
    if (status) ext_raise(status);
    tn_array_release(order);
    tn_array_release(held);
    return made;
}

/* A scalar counts with the dtype that an array of it has, as in NumPy. */
static int read_values(PyObject *object, const tn_array *beside, tn_array **values) {
    tn_scalar scalar;
    int is_scalar = ext_scalar(object, &scalar);
    *values = NULL;
    if (is_scalar < 0) return -1;
    if (!is_scalar) return (*values = ext_convert_beside(object, beside)) ? 0 : -1;
    tn_stream *stream = tn_stream_get_current(tn_array_device(beside));
    tn_status status = tn_array_new_scalar(values, scalar, TN_DTYPE_NONE, stream);
    return status ? (ext_raise(status), -1) : 0;
}

static PyObject *search(PyObject *self, PyObject *const *parameters) {
    bool is_right;
    tn_array *values = NULL, *made = NULL;
    PyObject *result = NULL;
    if (read_side(parameters[1], &is_right)) return NULL;
    if (tn_array_ndim(ext_array(self)) != 1)
        return PyErr_Format(PyExc_ValueError, "object %s desired array",
                            tn_array_ndim(ext_array(self)) ? "too deep for"
                                                           : "of too small depth for");
    tn_array *sorted = take_sorted(ext_array(self), parameters[2]);
    if (!sorted) return NULL;
    if (!read_values(parameters[0], sorted, &values)) {
        tn_status status;
        EXT_LONG_CALL(status, tn_array_size(values),
                      tn_array_searchsorted(&made, sorted, values, is_right, NULL));
        result = ext_result(status, NULL, made, self);
    }
    tn_array_release(values);
    tn_array_release(sorted);
    return result;
}

static PyObject *searchsorted(ARGUMENTS) {
    static const char *const names[] = {"v", "side", "sorter", NULL};
    PyObject *values[3];
    if (ext_parse("searchsorted", arguments, count, keywords, names, 1, values)) return NULL;
    return search(self, values);
}

static PyObject *searchsorted_function(ARGUMENTS) {
    static const char *const names[] = {"a", "v", "side", "sorter", NULL};
    PyObject *values[4];
    if (ext_parse("searchsorted", arguments, count, keywords, names, 2, values) ||
        !ext_only_array(values[0]))
        return NULL;
    return search(values[0], values + 1);
}

/* --- Of structures, void and times, too --- */

EXT_METHOD_OF_ANY(sort, "ndarray.sort")
EXT_METHOD_OF_ANY(argsort, "argsort")
EXT_METHOD_OF_ANY(partition, "ndarray.partition")
EXT_METHOD_OF_ANY(argpartition, "argpartition")
EXT_METHOD_OF_ANY(searchsorted, "searchsorted")
EXT_OF_ANY(sort_function, "sort", NULL)
EXT_OF_ANY(argsort_function, "argsort", NULL)
EXT_OF_ANY(partition_function, "partition", NULL)
EXT_OF_ANY(argpartition_function, "argpartition", NULL)
EXT_OF_ANY(searchsorted_function, "searchsorted", NULL)
EXT_OR_NUMPY(argsort_function_of_any, "argsort")
EXT_OR_NUMPY(argpartition_function_of_any, "argpartition")

/* clang-format off */
EXT_TRACED(sort_of_any, "sort")
EXT_TRACED(argsort_of_any, "argsort")
EXT_TRACED(partition_of_any, "partition")
EXT_TRACED(argpartition_of_any, "argpartition")
EXT_TRACED(searchsorted_of_any, "searchsorted")
EXT_TRACED(sort_function_of_any, "sort")
EXT_TRACED(argsort_function_of_any_or_numpy, "argsort")
EXT_TRACED(partition_function_of_any, "partition")
EXT_TRACED(argpartition_function_of_any_or_numpy, "argpartition")
EXT_TRACED(searchsorted_function_of_any, "searchsorted")
/* clang-format on */

PyMethodDef ext_sort_methods[] = {
    {"sort", FAST(sort_of_any_traced), DOC_ndarray_sort},
    {"argsort", FAST(argsort_of_any_traced), DOC_ndarray_argsort},
    {"partition", FAST(partition_of_any_traced), DOC_ndarray_partition},
    {"argpartition", FAST(argpartition_of_any_traced), DOC_ndarray_argpartition},
    {"searchsorted", FAST(searchsorted_of_any_traced), DOC_ndarray_searchsorted},
    {NULL, NULL, 0, NULL},
};

PyMethodDef ext_sort_functions[] = {
    {"sort", FAST(sort_function_of_any_traced), DOC_sort},
    {"argsort", FAST(argsort_function_of_any_or_numpy_traced), DOC_argsort},
    {"partition", FAST(partition_function_of_any_traced), DOC_partition},
    {"argpartition", FAST(argpartition_function_of_any_or_numpy_traced), DOC_argpartition},
    {"searchsorted", FAST(searchsorted_function_of_any_traced), DOC_searchsorted},
    EXT_ENTRY(lexsort),
    EXT_ENTRY(argsort_first),
    {NULL, NULL, 0, NULL},
};
