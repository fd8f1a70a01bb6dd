/* Functions of images that measure. Functions with an underscore are what Python's functions of
 * SciPy's names compute by: these check and complete what they were given. */
#include "functions/image/measure.h"

#include "base/hold.h"
#include "values/kinds.h"

#include <stdlib.h>

/* A structure's flags, 3 to the power of the number of axes. */
static tn_status read_structure(const bool **structure, ext_bytes_given given,
                                const tn_array *array) {
    int64_t places = 1;
    for (int axis = 0; axis < tn_array_ndim(array) && places <= given.count; axis++)
        places *= 3;
    if (places != given.count) {
        tn_error_set("structure and input must have equal rank");
        return TN_ERROR_VALUE;
    }
    *structure = (const bool *)given.at;
    return TN_OK;
}

static tn_status label_parts(tn_array **labels, int64_t *count, const tn_array *array,
                             ext_bytes_given given) {
    const bool *structure;
    const tn_status status = read_structure(&structure, given, array);
    return status ? status : tn_array_label(labels, count, array, structure, NULL);
}

EXT_FORWARD(label, label_parts(&call->labels, &call->count, call->array, call->structure),
            EXT_SIZED, (array, array), (bytes, structure), (made, labels), (made_int64, count))

/* --- Boxes --- */

/* The largest label. */
static tn_status largest(int64_t *label, const tn_array *labels) {
    static const int64_t flat = -1;
    tn_array *row = NULL;
    tn_scalar ends[2];
    tn_status status =
        tn_array_reshape(&row, labels, 1, &flat, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    if (!status) status = tn_array_extent(&ends[0], &ends[1], row, NULL);
    if (!status) status = tn_scalar_convert(label, ends[1], TN_I64);
    tn_array_release(row);
    return status;
}

/* The boxes of labels up to `count` (below 1: the largest) in memory that the caller frees. */
static tn_status read_boxes(int64_t **boxes, int64_t *count, const tn_array *labels) {
    tn_array *made = NULL;
    tn_status status = *count < 1 ? largest(count, labels) : TN_OK;
    *boxes = NULL;
    if (status) return status;
    if (*count < 0) *count = 0;
    status = tn_array_label_boxes(&made, labels, *count, NULL);
    if (!status) {
        *boxes = malloc((size_t)tn_array_size(made) * sizeof **boxes + 1);
        if (!*boxes) status = TN_ERROR_MEMORY;
    }
    if (!status) status = tn_array_read(*boxes, NULL, made, NULL);
    if (!status) status = tn_stream_synchronize(NULL, -1);
    tn_array_release(made);
    return status;
}

static PyObject *make_slice(int64_t start, int64_t stop) {
    PyObject *first = PyLong_FromLongLong(start), *end = PyLong_FromLongLong(stop), *slice = NULL;
    if (first && end) slice = PySlice_New(first, end, NULL);
    Py_XDECREF(first);
    Py_XDECREF(end);
    return slice;
}

/* A slice for each axis, or None for a label that is nowhere. */
static PyObject *make_box(const int64_t *box, int ndim, const int64_t *shape) {
    if (ndim > 0 && box[1] == 0) return Py_NewRef(Py_None);
    PyObject *slices = PyTuple_New(ndim);
    for (int axis = 0; slices && axis < ndim; axis++) {
        PyObject *slice = make_slice(shape[axis] - box[2 * axis], box[2 * axis + 1]);
        if (!slice || PyTuple_SetItem(slices, axis, slice)) Py_CLEAR(slices);
    }
    return slices;
}

/* The collector waits: it would walk through all boxes again for every few hundred new ones. */
static PyObject *make_boxes(const int64_t *boxes, int64_t count, int ndim, const int64_t *shape) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    const int collects = PyGC_Disable();
    for (int64_t k = 0; list && k < count; k++) {
        PyObject *box = make_box(boxes + 2 * ndim * k, ndim, shape);
        if (!box || PyList_SetItem(list, (Py_ssize_t)k, box)) Py_CLEAR(list);
    }
    if (collects) PyGC_Enable();
    return list;
}

EXT_CALL(find_objects, EXT_SHORT, (array, labels), (int64, max_label), (made_object, boxes)) {
    int64_t *boxes, count = call->max_label, shape[TN_MAX_NDIM];
    const int ndim = tn_array_ndim(call->labels);
    tn_status status;
    for (int axis = 0; axis < ndim; axis++)
        shape[axis] = tn_array_shape(call->labels)[axis];
    EXT_LONG_CALL(status, tn_array_size(call->labels), read_boxes(&boxes, &count, call->labels));
    if (!status) call->boxes = make_boxes(boxes, count, ndim, shape);
    free(boxes);
    return status;
}

/* --- Elements by their values --- */

/* Groups of elements: what tn_array_value_indices() gives, with the groups in host memory. */
typedef struct grouped {
    int64_t *groups, count;
    tn_array *indices;
} grouped;

/* The least dtype, with a sign, that has room for the longest axis. */
static tn_dtype dtype_of_indices(const tn_array *array) {
    int64_t longest = 1;
    for (int axis = 0; axis < tn_array_ndim(array); axis++)
        if (tn_array_shape(array)[axis] > longest) longest = tn_array_shape(array)[axis];
    return longest <= -INT8_MIN    ? TN_I8
           : longest <= -INT16_MIN ? TN_I16
           : longest <= INT32_MAX  ? TN_I32
                                   : TN_I64;
}

/* The groups of an array. */
static tn_status group_elements(grouped *g, const tn_array *array, bool is_adaptive) {
    tn_array *groups = NULL, *indices = NULL;
    tn_status status = tn_array_value_indices(&groups, &indices, array, NULL);
    if (!status)
        status =
            tn_array_astype(&g->indices, indices, is_adaptive ? dtype_of_indices(array) : TN_I64,
                            TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED, NULL);
    if (!status) {
        g->count = tn_array_shape(groups)[0];
        g->groups = malloc((size_t)tn_array_bytes(groups) + 1);
        if (!g->groups) status = TN_ERROR_MEMORY;
    }
    if (!status) status = tn_array_read(g->groups, NULL, groups, NULL);
    if (!status) status = tn_stream_synchronize(NULL, -1);
    tn_array_release(indices);
    tn_array_release(groups);
    return status;
}

/* A vector for each axis: the indices of the elements from `begin` to `end`. */
static PyObject *make_places(const tn_array *indices, int ndim, int64_t begin, int64_t end) {
    const int64_t count = end - begin, bytes = tn_array_strides(indices)[1];
    PyObject *places = PyTuple_New(ndim);
    for (int axis = 0; places && axis < ndim; axis++) {
        const int64_t from = tn_array_offset(indices) + axis * tn_array_strides(indices)[0];
        tn_array *view = NULL;
        const tn_status status =
            tn_array_new_view(&view, tn_array_buffer(indices), from + begin * bytes,
                              tn_array_dtype(indices), 1, &count, NULL);
        PyObject *vector = ext_wrap_status(status, view);
        if (!vector || PyTuple_SetItem(places, axis, vector)) Py_CLEAR(places);
    }
    return places;
}

/* The collector waits, as for boxes. */
static PyObject *make_groups(const grouped *g, int ndim, bool is_unsigned) {
    PyObject *made = PyDict_New();
    const int collects = PyGC_Disable();
    for (int64_t k = 0; made && k < g->count; k++) {
        const int64_t value = g->groups[2 * k], begin = k ? g->groups[2 * k - 1] : 0;
        PyObject *key =
            is_unsigned ? PyLong_FromUnsignedLongLong((uint64_t)value) : PyLong_FromLongLong(value);
        PyObject *places = key ? make_places(g->indices, ndim, begin, g->groups[2 * k + 1]) : NULL;
        if (!places || PyDict_SetItem(made, key, places)) Py_CLEAR(made);
        Py_XDECREF(places);
        Py_XDECREF(key);
    }
    if (collects) PyGC_Enable();
    return made;
}

/* None of arrays that are not the host's. */
EXT_CALL(value_indices, EXT_SHORT, (array, array), (truth, is_adaptive), (made_object, groups)) {
    grouped g = {.groups = NULL};
    const int ndim = tn_array_ndim(call->array);
    const bool is_unsigned = tn_array_dtype(call->array) == TN_U64;
    tn_status status;
    if (tn_array_device(call->array).backend != TN_BACKEND_HOST) {
        call->groups = Py_NewRef(Py_None);
        return TN_OK;
    }
    EXT_LONG_CALL(status, tn_array_size(call->array),
                  group_elements(&g, call->array, call->is_adaptive));
    if (!status) call->groups = make_groups(&g, ndim, is_unsigned);
    free(g.groups);
    tn_array_release(g.indices);
    return status;
}

/* --- Distances --- */

static tn_status measure_distance(tn_array **distances, tn_array **indices, const tn_array *array,
                                  int metric, ext_bytes_given sampling, int none) {
    const bool is_sampled = sampling.count > 0;
    double samplings[TN_MAX_NDIM];
    if (is_sampled && sampling.count != tn_array_ndim(array) * (int64_t)sizeof *samplings) {
        tn_error_set("sequence argument must have length equal to input rank");
        return TN_ERROR_VALUE;
    }
    if (metric < 0 || metric > TN_DISTANCE_CHESSBOARD || none < 0 || none > TN_DISTANCE_ITSELF) {
        tn_error_set("distance metric not supported");
        return TN_ERROR_VALUE;
    }
    for (int64_t k = 0; k < sampling.count; k++)
        ((char *)samplings)[k] = sampling.at[k];
    return tn_array_distance(distances, indices, array, (tn_distance_metric)metric,
                             is_sampled ? samplings : NULL, (tn_distance_none)none, NULL);
}

EXT_FORWARD(distance,
            measure_distance(&call->distances, call->wants_indices ? &call->indices : NULL,
                             call->array, call->metric, call->sampling, call->none),
            EXT_SIZED, (array, array), (number, metric), (bytes, sampling), (number, none),
            (truth, wants_indices), (made, distances), (made_or_none, indices))

static tn_status walk_chamfer(tn_array **distances, tn_array **nearest, const tn_array *array,
                              ext_bytes_given given) {
    const bool *structure;
    const tn_status status = read_structure(&structure, given, array);
    return status ? status : tn_array_chamfer(distances, nearest, array, structure, NULL);
}

EXT_FORWARD(chamfer,
            walk_chamfer(&call->distances, call->wants_nearest ? &call->nearest : NULL, call->array,
                         call->structure),
            EXT_SIZED, (array, array), (bytes, structure), (truth, wants_nearest),
            (made, distances), (made_or_none, nearest))

/* --- The watershed --- */

static tn_status flood_image(tn_array **labels, const tn_array *image, const tn_array *markers,
                             ext_bytes_given given) {
    const bool *structure;
    const tn_status status = read_structure(&structure, given, image);
    return status ? status : tn_array_watershed(labels, image, markers, structure, NULL);
}

EXT_FORWARD(watershed, flood_image(&call->labels, call->image, call->markers, call->structure),
            EXT_SIZED, (array, image), (array, markers), (bytes, structure), (made, labels))

PyMethodDef ext_measure_functions[] = {
    EXT_ENTRY(label),   EXT_ENTRY(find_objects), EXT_ENTRY(value_indices), EXT_ENTRY(distance),
    EXT_ENTRY(chamfer), EXT_ENTRY(watershed),    {NULL, NULL, 0, NULL},
};
