/* Windows over images, for tenorite.scipy.ndimage, which checks and completes what it was given.
 * Results go to an array that is given. */
#include "functions/image/filters.h"

#include "values/kinds.h"

#include <tenorite/image.h>

/* --- Kinds of arguments --- */

/* A tuple of ints, a number for each axis. */
typedef struct ext_given_numbers {
    int count;
    int64_t at[TN_MAX_NDIM];
} ext_given_numbers;

static int read_numbers(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_numbers *numbers = to;
    const Py_ssize_t count = PyTuple_Check(object) ? PyTuple_Size(object) : -1;
    if (count < 0 || count > TN_MAX_NDIM)
        return ext_refuse_kind(which, "a tuple of int, one for each axis", object);
    numbers->count = (int)count;
    for (Py_ssize_t k = 0; k < count; k++) {
        numbers->at[k] = PyLong_AsLongLong(PyTuple_GetItem(object, k));
        if (numbers->at[k] == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}
static const ext_kind ext_kind_numbers = {.read = read_numbers};

static int read_doubles(double *to, PyObject *tuple) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(tuple); k++) {
        to[k] = PyFloat_AsDouble(PyTuple_GetItem(tuple, k));
        if (to[k] == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}

/* An array, a tuple of a few float, or None. */
typedef struct ext_given_weights {
    bool is_array, has_values;
    int count;
    double values[TN_WINDOW_VALUES];
    tn_array *array;
} ext_given_weights;

static int read_weights(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_weights *weights = to;
    weights->array = NULL;
    weights->is_array = object != Py_None && !PyTuple_Check(object);
    weights->has_values = PyTuple_Check(object);
    if (weights->is_array) return ext_read_array(to, object, which);
    weights->count = weights->has_values ? (int)PyTuple_Size(object) : 0;
    if (weights->count > TN_WINDOW_VALUES)
        return ext_refuse_kind(which, "an array, or a tuple of up to 64 float", object);
    return weights->has_values ? read_doubles(weights->values, object) : 0;
}
static void lend_weights(void *to, PyObject *object) {
    ext_given_weights *weights = to;
    if (weights->is_array) weights->array = ext_array(object);
}
static const ext_kind ext_kind_weights = {.read = read_weights, .lend = lend_weights};

/* A tuple of (axis, size, low, edge, tuple of float or None). */
typedef struct ext_given_windows {
    double *values; /* of all */
    int count;
    tn_axis_window at[TN_MAX_NDIM];
} ext_given_windows;

static Py_ssize_t count_values(PyObject *tuple) {
    Py_ssize_t count = 0;
    for (Py_ssize_t k = 0; k < PyTuple_Size(tuple); k++) {
        PyObject *item = PyTuple_GetItem(tuple, k);
        if (!PyTuple_Check(item) || PyTuple_Size(item) != 5) return -1;
        PyObject *values = PyTuple_GetItem(item, 4);
        if (values != Py_None && !PyTuple_Check(values)) return -1;
        count += values == Py_None ? 0 : PyTuple_Size(values);
    }
    return count;
}

static int read_window(tn_axis_window *window, double **values, PyObject *item) {
    int64_t numbers[4];
    PyObject *weights = PyTuple_GetItem(item, 4);
    for (int k = 0; k < 4; k++) {
        numbers[k] = PyLong_AsLongLong(PyTuple_GetItem(item, k));
        if (numbers[k] == -1 && PyErr_Occurred()) return -1;
    }
    *window =
        (tn_axis_window){(int)numbers[0], numbers[1], numbers[2], (tn_image_edge)numbers[3], NULL};
    if (weights == Py_None) return 0;
    if (PyTuple_Size(weights) != window->size) {
        PyErr_SetString(PyExc_ValueError, "the values of a window are as many as its size");
        return -1;
    }
    window->values = *values;
    *values += window->size;
    return read_doubles((double *)(uintptr_t)window->values, weights);
}

static int read_windows(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_windows *windows = to;
    const Py_ssize_t count = PyTuple_Check(object) ? PyTuple_Size(object) : -1;
    const Py_ssize_t values = count < 0 || count > TN_MAX_NDIM ? -1 : count_values(object);
    if (values < 0) return ext_refuse_kind(which, "a tuple of windows", object);
    windows->values = PyMem_Calloc((size_t)values + 1, sizeof(double));
    if (!windows->values) return PyErr_NoMemory(), -1;
    windows->count = (int)count;
    double *next = windows->values;
    for (Py_ssize_t k = 0; k < count; k++)
        if (read_window(&windows->at[k], &next, PyTuple_GetItem(object, k))) return -1;
    return 0;
}
static void release_windows(void *from) {
    PyMem_Free(((ext_given_windows *)from)->values);
}
static const ext_kind ext_kind_windows = {
    .read = read_windows, .release = release_windows, .pointers = 1};

/* --- Functions --- */

static tn_status check_counts(const tn_array *array, const ext_given_numbers *size,
                              const ext_given_numbers *low, int edges) {
    const int ndim = tn_array_ndim(array);
    if (size->count == ndim && low->count == ndim && edges == ndim) return TN_OK;
    tn_error_set("a window has a size, a place and an edge for each axis");
    return TN_ERROR_VALUE;
}

static void take_edges(tn_image_edge *edges, const ext_given_numbers *numbers) {
    for (int k = 0; k < numbers->count; k++)
        edges[k] = (tn_image_edge)numbers->at[k];
}

/* weights: an array, a tuple, or None. */
EXT_CALL(image_filter, EXT_SIZED, (array, output), (array, input), (number, op), (numbers, size),
         (numbers, low), (numbers, edges), (real, beyond), (optional_array, places),
         (weights, weights), (int64, rank), (optional_array, mask), (truth, is_wide)) {
    tn_image_edge edges[TN_MAX_NDIM];
    const tn_window window = {.op = (tn_window_op)call->op,
                              .size = call->size.at,
                              .low = call->low.at,
                              .edges = edges,
                              .beyond = call->beyond,
                              .places = call->places,
                              .weights = call->weights.array,
                              .values = call->weights.has_values ? call->weights.values : NULL,
                              .rank = call->rank,
                              .mask = call->mask,
                              .is_wide = call->is_wide};
    tn_status status = check_counts(call->input, &call->size, &call->low, call->edges.count);
    if (status) return status;
    int64_t count = call->places ? tn_array_size(call->places) : 1;
    for (int k = 0; !call->places && k < call->size.count && count <= TN_WINDOW_VALUES; k++)
        count *= call->size.at[k];
    if (window.values && count != call->weights.count) {
        tn_error_set("the weights of a window are as many as its places");
        return TN_ERROR_VALUE;
    }
    take_edges(edges, &call->edges);
    return tn_image_filter(call->output, call->input, &window, NULL);
}

EXT_FORWARD(image_filter_axes,
            tn_image_filter_axes(call->output, call->input, (tn_window_op)call->op,
                                 call->windows.count, call->windows.at, call->beyond, call->is_wide,
                                 NULL),
            EXT_SIZED, (array, output), (array, input), (number, op), (windows, windows),
            (real, beyond), (truth, is_wide))

/* In place. */
EXT_CALL(image_propagate, EXT_SIZED, (array, image), (optional_array, mask), (numbers, size),
         (numbers, low), (real, beyond), (optional_array, places)) {
    tn_image_edge edges[TN_MAX_NDIM];
    const tn_window window = {.op = TN_WINDOW_MOST,
                              .size = call->size.at,
                              .low = call->low.at,
                              .edges = edges,
                              .beyond = call->beyond,
                              .places = call->places};
    for (int k = 0; k < TN_MAX_NDIM; k++)
        edges[k] = TN_EDGE_CONSTANT;
    tn_status status = check_counts(call->image, &call->size, &call->low, call->low.count);
    return status ? status : tn_image_propagate(call->image, call->mask, &window, NULL);
}

PyMethodDef ext_image_filter_functions[] = {
    EXT_ENTRY(image_filter),
    EXT_ENTRY(image_filter_axes),
    EXT_ENTRY(image_propagate),
    {NULL, NULL, 0, NULL},
};
