/* Walks through graphs, for the functions of tenorite.scipy.sparse.csgraph. */
#include "functions/sparse/csgraph.h"

#include "base/errors.h"
#include "base/object.h"
#include "functions/sparse/sparse.h"

/* _csgraph_paths(graph, sources, method, is_both_ways, is_merged, limit): distances, the nodes
 * before and the origins (or None); None alone for a cycle of negative weight. */
static PyObject *paths(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given graph;
    PyObject *sources;
    tn_path_options options;
    tn_array *distances, *before, *origins;
    tn_status status;
    bool is_negative = false;
    int method, is_both_ways, is_merged;
    if (!PyArg_ParseTuple(arguments, "O&O!ippd", ext_csr_read, &graph, ext_ndarray_type, &sources,
                          &method, &is_both_ways, &is_merged, &options.limit))
        return NULL;
    options.method = (tn_path_method)method;
    options.is_both_ways = is_both_ways;
    options.is_merged = is_merged;
    const tn_csr a = ext_csr_lend(&graph);
    EXT_WITHOUT_GIL(status, tn_csgraph_paths(&distances, &before, &origins, &is_negative, &a,
                                             ext_array(sources), &options, NULL));
    EXT_TRY(status);
    if (is_negative) Py_RETURN_NONE;
    if (origins)
        return Py_BuildValue("(NNN)", ext_wrap(distances), ext_wrap(before), ext_wrap(origins));
    return Py_BuildValue("(NNO)", ext_wrap(distances), ext_wrap(before), Py_None);
}

/* _csgraph_traverse(graph, first, is_deep, is_both_ways): the order and the nodes before. */
static PyObject *traverse(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given graph;
    long long first;
    int is_deep, is_both_ways;
    tn_array *order, *before;
    tn_status status;
    if (!PyArg_ParseTuple(arguments, "O&Lpp", ext_csr_read, &graph, &first, &is_deep,
                          &is_both_ways))
        return NULL;
    const tn_csr a = ext_csr_lend(&graph);
    EXT_WITHOUT_GIL(status,
                    tn_csgraph_traverse(&order, &before, &a, first, is_deep, is_both_ways, NULL));
    EXT_TRY(status);
    return Py_BuildValue("(NN)", ext_wrap(order), ext_wrap(before));
}

/* _csgraph_spanning(graph): a mask of its elements. */
static PyObject *spanning(PyObject *self, PyObject *object) {
    (void)self;
    ext_csr_given graph;
    tn_array *made = NULL;
    tn_status status;
    if (!ext_csr_read(object, &graph)) return NULL;
    const tn_csr a = ext_csr_lend(&graph);
    EXT_WITHOUT_GIL(status, tn_csgraph_spanning(&made, &a, NULL));
    return ext_wrap_status(status, made);
}

PyMethodDef ext_csgraph_functions[] = {
    {"_csgraph_paths", paths, METH_VARARGS, NULL},
    {"_csgraph_traverse", traverse, METH_VARARGS, NULL},
    {"_csgraph_spanning", spanning, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
