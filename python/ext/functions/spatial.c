/* Distances, trees of points and triangles, for the functions of tenorite.scipy.spatial. */
#include "functions/spatial.h"

#include "base/arguments.h"
#include "values/kinds.h"

/* A tree as Python keeps it: (points, boxes, order, periods or None, levels). */
typedef tn_tree ext_given_tree;

static int read_tree(void *to, PyObject *object, const ext_parameter *which) {
    tn_tree *tree = to;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 5) {
        PyErr_SetString(PyExc_TypeError, "a tree is a tuple of 5");
        return -1;
    }
    for (int k = 0; k < 4; k++) {
        PyObject *part = PyTuple_GetItem(object, k);
        if ((k < 3 || part != Py_None) && ext_read_array(NULL, part, which)) return -1;
    }
    int64_t levels;
    if (ext_int64(PyTuple_GetItem(object, 4), &levels)) return -1;
    tree->levels = levels < 0 || levels > 64 ? -1 : (int)levels;
    return 0;
}

static void lend_tree(void *to, PyObject *object) {
    tn_tree *tree = to;
    PyObject *periods = PyTuple_GetItem(object, 3);
    tree->points = ext_array(PyTuple_GetItem(object, 0));
    tree->boxes = ext_array(PyTuple_GetItem(object, 1));
    tree->order = ext_array(PyTuple_GetItem(object, 2));
    tree->periods = periods == Py_None ? NULL : ext_array(periods);
}
static const ext_kind ext_kind_tree = {.read = read_tree, .lend = lend_tree};

EXT_CALL(distances, EXT_LONG, (array, a), (optional_array, b), (number, metric), (real, p),
         (optional_array, weights), (out, out)) {
    return tn_array_distances(&call->out, call->a, call->b, (tn_metric)call->metric, call->p,
                              call->weights, NULL);
}

EXT_FORWARD(hilbert, tn_array_hilbert(&call->made, call->places, call->bits, NULL), EXT_SIZED,
            (array, places), (number, bits), (made, made))
EXT_FORWARD(tree_boxes, tn_tree_boxes(&call->made, call->points, call->levels, NULL), EXT_SIZED,
            (array, points), (number, levels), (made, made))

EXT_CALL(tree_query, EXT_LONG, (tree, tree), (array, x), (optional_array, turns), (int64, k),
         (real, p), (real, eps), (real, bound), (made, distances), (made, numbers)) {
    const tn_tree_options options = {call->p, call->eps, call->bound, call->k, call->turns};
    return tn_tree_query(&call->distances, &call->numbers, &call->tree, call->x, &options, NULL);
}

EXT_CALL(tree_count, EXT_LONG, (tree, tree), (array, x), (array, radii), (optional_array, after),
         (optional_array, turns), (real, p), (made, counts)) {
    const tn_tree_options options = {.p = call->p, .turns = call->turns};
    return tn_tree_count(&call->counts, &call->tree, call->x, call->radii, call->after, &options,
                         NULL);
}

EXT_CALL(tree_weigh, EXT_LONG, (tree, tree), (array, x), (array, radii), (array, weights),
         (optional_array, turns), (real, p), (made, sums)) {
    const tn_tree_options options = {.p = call->p, .turns = call->turns};
    return tn_tree_weigh(&call->sums, &call->tree, call->x, call->radii, call->weights, &options,
                         NULL);
}

/* Distances are None unless they are asked for. */
EXT_CALL(tree_collect, EXT_LONG, (tree, tree), (array, x), (array, radii), (optional_array, after),
         (array, starts), (int64, total), (optional_array, turns), (real, p),
         (truth, has_distances), (made, numbers), (made_or_none, distances)) {
    const tn_tree_options options = {.p = call->p, .turns = call->turns};
    return tn_tree_collect(&call->numbers, call->has_distances ? &call->distances : NULL,
                           &call->tree, call->x, call->radii, call->after, call->starts,
                           call->total, &options, NULL);
}

/* Of the host: counts and numbers at once. */
EXT_CALL(tree_gather, EXT_LONG, (tree, tree), (array, x), (array, radii), (optional_array, after),
         (optional_array, turns), (real, p), (truth, has_distances), (made, counts),
         (made, numbers), (made_or_none, distances)) {
    const tn_tree_options options = {.p = call->p, .turns = call->turns};
    return tn_tree_gather(&call->counts, &call->numbers,
                          call->has_distances ? &call->distances : NULL, &call->tree, call->x,
                          call->radii, call->after, &options, NULL);
}

/* --- Sets of pairs --- */

/* The elements of an array of i64, of one dimension, in memory of PyMem_Malloc; or an exception. */
static int64_t *read_numbers(PyObject *object, int64_t *size) {
    tn_array *array = ext_is_array(object) ? ext_array(object) : NULL;
    if (!array || tn_array_dtype(array) != TN_I64 || tn_array_ndim(array) != 1) {
        PyErr_SetString(PyExc_TypeError, "numbers are an array of int64 of one dimension");
        return NULL;
    }
    *size = tn_array_size(array);
    int64_t *numbers = PyMem_Malloc((size_t)(*size ? *size : 1) * sizeof *numbers);
    if (!numbers) return (int64_t *)PyErr_NoMemory();
    tn_stream *stream = tn_stream_get_current(tn_array_device(array));
    tn_status status = tn_array_read(numbers, NULL, array, stream);
    if (!status) status = tn_stream_synchronize(stream, -1);
    if (!status) return numbers;
    PyMem_Free(numbers);
    ext_raise(status);
    return NULL;
}

static int add_pair(PyObject *set, int64_t first, int64_t second) {
    PyObject *pair = Py_BuildValue("(LL)", (long long)(first < second ? first : second),
                                   (long long)(first < second ? second : first));
    const int failed = !pair || PySet_Add(set, pair);
    Py_XDECREF(pair);
    return failed;
}

/* Pairs of firsts[i] and each of the next counts[i] of `others`, the lesser number first. */
static PyObject *pairs_set_called(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    int64_t *numbers[3] = {NULL, NULL, NULL}, sizes[3] = {0, 0, 0}, at = 0;
    PyObject *made = NULL;
    (void)self;
    if (count != 3) return ext_refuse_count("pairs_set", 3, count);
    for (int k = 0; k < 3; k++)
        if (!(numbers[k] = read_numbers(arguments[k], &sizes[k]))) goto cleanup;
    made = PySet_New(NULL);
    for (int64_t i = 0; made && i < sizes[0] && i < sizes[1]; i++)
        for (int64_t end = at + numbers[1][i]; made && at < end && at < sizes[2]; at++)
            if (add_pair(made, numbers[0][i], numbers[2][at])) Py_CLEAR(made);
cleanup:
    for (int k = 0; k < 3; k++)
        PyMem_Free(numbers[k]);
    return made;
}

EXT_FORWARD(triangulate,
            tn_array_triangulate(&call->corners, &call->neighbors, &call->coplanar, call->points,
                                 call->turns, NULL),
            EXT_LONG, (array, points), (array, turns), (made, corners), (made, neighbors),
            (made, coplanar))
EXT_FORWARD(hull, tn_array_hull(&call->corners, call->points, call->turns, NULL), EXT_LONG,
            (array, points), (array, turns), (made, corners))
EXT_FORWARD(locate,
            tn_array_locate(&call->found, call->x, call->points, call->corners, call->neighbors,
                            call->starts, call->eps, call->has_last, NULL),
            EXT_LONG, (array, x), (array, points), (array, corners), (array, neighbors),
            (optional_array, starts), (real, eps), (truth, has_last), (made, found))

EXT_CALL(triangle_values, EXT_LONG, (array, x), (array, found), (array, points), (array, corners),
         (array, neighbors), (array, values), (optional_array, slopes), (real, fill),
         (real, odd_fill), (made, result)) {
    const double fill[2] = {call->fill, call->odd_fill};
    return tn_array_triangle_values(&call->result, call->x, call->found, call->points,
                                    call->corners, call->neighbors, call->values, call->slopes,
                                    fill, NULL);
}

EXT_FORWARD(triangle_slopes,
            tn_array_triangle_slopes(&call->slopes, &call->left, call->points, call->corners,
                                     call->neighbors, call->values, call->tolerance, call->most,
                                     NULL),
            EXT_LONG, (array, points), (array, corners), (array, neighbors), (array, values),
            (real, tolerance), (int64, most), (made, slopes), (made_int64, left))

PyMethodDef ext_spatial_functions[] = {
    EXT_ENTRY(distances),       EXT_ENTRY(hilbert),         EXT_ENTRY(tree_boxes),
    EXT_ENTRY(tree_query),      EXT_ENTRY(tree_count),      EXT_ENTRY(tree_weigh),
    EXT_ENTRY(tree_collect),    EXT_ENTRY(triangulate),     EXT_ENTRY(hull),
    EXT_ENTRY(locate),          EXT_ENTRY(tree_gather),     EXT_ENTRY(pairs_set),
    EXT_ENTRY(triangle_values), EXT_ENTRY(triangle_slopes), {NULL, NULL, 0, NULL},
};
