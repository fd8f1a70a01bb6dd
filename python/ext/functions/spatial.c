/* Distances, trees of points and triangles, for the functions of tenorite.scipy.spatial. */
#include "functions/spatial.h"

#include "base/arguments.h"
#include "base/hold.h"
#include "values/kinds.h"

#include <stdlib.h>

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

/* --- Lists and sets of what is near, of the host --- */

/* Counts of rows, and the numbers of one row after the other. */
typedef struct near_rows {
    int64_t *counts, *numbers, rows;
} near_rows;

/* The elements of an array of i64 in memory that the caller frees. */
static tn_status copy_numbers(int64_t **numbers, const tn_array *array) {
    *numbers = malloc((size_t)tn_array_bytes(array) + 1);
    return *numbers ? tn_array_read(*numbers, NULL, array, NULL) : TN_ERROR_MEMORY;
}

/* What lies within `radii`, or (NULL) one radius. */
static tn_status find_near(near_rows *near, const tn_tree *tree, const tn_array *x,
                           const tn_array *radii, double radius, const tn_array *after,
                           const tn_tree_options *options) {
    tn_array *made[3] = {NULL, NULL, NULL};
    const tn_scalar value = {.dtype = TN_F64, .value.f64 = radius};
    near->rows = tn_array_ndim(x) ? tn_array_shape(x)[0] : 0;
    tn_status status = TN_OK;
    if (!radii) {
        status = tn_array_new(&made[2], TN_F64, 1, &near->rows, TN_ORDER_C, NULL);
        if (!status) status = tn_array_fill(made[2], value, NULL);
        radii = made[2];
    }
    if (!status)
        status = tn_tree_gather(&made[0], &made[1], NULL, tree, x, radii, after, options, NULL);
    if (!status) status = copy_numbers(&near->counts, made[0]);
    if (!status) status = copy_numbers(&near->numbers, made[1]);
    if (!status) status = tn_stream_synchronize(NULL, -1);
    for (int k = 0; k < 3; k++)
        tn_array_release(made[k]);
    return status;
}

static void free_near(near_rows *near) {
    free(near->counts);
    free(near->numbers);
}

static int compare_numbers(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static PyObject *make_list(const int64_t *numbers, int64_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (int64_t k = 0; list && k < count; k++) {
        PyObject *number = PyLong_FromLongLong(numbers[k]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)k, number)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *make_lists(const near_rows *near, bool is_sorted) {
    PyObject *lists = PyList_New((Py_ssize_t)near->rows);
    int64_t *numbers = near->numbers;
    for (int64_t i = 0; lists && i < near->rows; numbers += near->counts[i++]) {
        if (is_sorted && near->counts[i] > 1)
            qsort(numbers, (size_t)near->counts[i], sizeof *numbers, compare_numbers);
        PyObject *list = make_list(numbers, near->counts[i]);
        if (!list || PyList_SetItem(lists, (Py_ssize_t)i, list)) Py_CLEAR(lists);
    }
    return lists;
}

/* A list of numbers for each row. */
EXT_CALL(tree_lists, EXT_SHORT, (tree, tree), (array, x), (optional_array, radii), (real, radius),
         (optional_array, turns), (real, p), (truth, is_sorted), (made_object, lists)) {
    const tn_tree_options options = {.p = call->p, .turns = call->turns};
    near_rows near = {.counts = NULL};
    tn_status status;
    EXT_LONG_CALL(
        status, 100 * tn_array_size(call->x),
        find_near(&near, &call->tree, call->x, call->radii, call->radius, NULL, &options));
    if (!status) call->lists = make_lists(&near, call->is_sorted);
    free_near(&near);
    return status;
}

static int add_pair(PyObject *set, int64_t first, int64_t second) {
    PyObject *pair = PyTuple_New(2), *ends[2];
    ends[0] = PyLong_FromLongLong(first < second ? first : second);
    ends[1] = PyLong_FromLongLong(first < second ? second : first);
    int failed = !pair || !ends[0] || !ends[1];
    for (int k = 0; k < 2; k++) {
        if (pair && ends[k])
            failed |= PyTuple_SetItem(pair, k, ends[k]);
        else
            Py_XDECREF(ends[k]);
    }
    failed = failed || PySet_Add(set, pair);
    Py_XDECREF(pair);
    return failed;
}

static PyObject *make_pairs(const near_rows *near, const int64_t *order) {
    PyObject *made = PySet_New(NULL);
    const int64_t *numbers = near->numbers;
    for (int64_t i = 0; made && i < near->rows; i++)
        for (int64_t k = 0; made && k < near->counts[i]; k++)
            if (add_pair(made, order[i], *numbers++)) Py_CLEAR(made);
    return made;
}

/* Pairs of points within a radius, the lesser number first; `after` are 0, 1, ... */
EXT_CALL(tree_pairs, EXT_SHORT, (tree, tree), (real, radius), (array, after), (real, p),
         (made_object, pairs)) {
    const tn_tree_options options = {.p = call->p};
    near_rows near = {.counts = NULL};
    int64_t *order = NULL;
    tn_status status = copy_numbers(&order, call->tree.order);
    if (!status)
        EXT_LONG_CALL(status, 100 * tn_array_size(call->after),
                      find_near(&near, &call->tree, call->tree.points, NULL, call->radius,
                                call->after, &options));
    if (!status) call->pairs = make_pairs(&near, order);
    free_near(&near);
    free(order);
    return status;
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
    EXT_ENTRY(distances),    EXT_ENTRY(hilbert),         EXT_ENTRY(tree_boxes),
    EXT_ENTRY(tree_query),   EXT_ENTRY(tree_count),      EXT_ENTRY(tree_weigh),
    EXT_ENTRY(tree_collect), EXT_ENTRY(triangulate),     EXT_ENTRY(hull),
    EXT_ENTRY(locate),       EXT_ENTRY(tree_gather),     EXT_ENTRY(tree_lists),
    EXT_ENTRY(tree_pairs),   EXT_ENTRY(triangle_values), EXT_ENTRY(triangle_slopes),
    {NULL, NULL, 0, NULL},
};
