/* Factors of sparse matrices as capsules, for the class SuperLU of tenorite.scipy.sparse.linalg. */
#include "functions/sparse/sparse_lu.h"

#include "base/errors.h"
#include "base/object.h"
#include "functions/sparse/sparse.h"

#define FACTORS "tenorite.sparse_lu"

static void release(PyObject *capsule) {
    tn_sparse_lu_release(PyCapsule_GetPointer(capsule, FACTORS));
}

static tn_sparse_lu *factors_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, FACTORS);
}

/* _sparse_lu(matrix by columns, order, threshold, drop, fill, most elements or 0) */
static PyObject *factor(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given matrix;
    tn_sparse_lu_options options;
    tn_sparse_lu *made = NULL;
    tn_status status;
    int order;
    long long most;
    if (!PyArg_ParseTuple(arguments, "O&idddL", ext_csr_read, &matrix, &order,
                          &options.diagonal_threshold, &options.drop_tolerance, &options.fill,
                          &most))
        return NULL;
    options.order = (tn_sparse_order)order;
    options.most_elements = most;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_WITHOUT_GIL(status, tn_sparse_lu_new(&made, &a, &options, NULL));
    EXT_TRY(status);
    PyObject *capsule = PyCapsule_New(made, FACTORS, release);
    if (!capsule) tn_sparse_lu_release(made);
    return capsule;
}

/* _sparse_lu_size(factors): n, elements of L and of U. */
static PyObject *size(PyObject *self, PyObject *capsule) {
    (void)self;
    const tn_sparse_lu *lu = factors_of(capsule);
    int64_t n, lower, upper;
    if (!lu) return NULL;
    tn_sparse_lu_size(lu, &n, &lower, &upper);
    return Py_BuildValue("(LLL)", (long long)n, (long long)lower, (long long)upper);
}

/* _sparse_lu_solve(factors, how, b) */
static PyObject *solve(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *capsule, *b;
    tn_array *made = NULL;
    tn_status status;
    int how;
    if (!PyArg_ParseTuple(arguments, "OiO!", &capsule, &how, ext_ndarray_type, &b)) return NULL;
    const tn_sparse_lu *lu = factors_of(capsule);
    if (!lu) return NULL;
    EXT_WITHOUT_GIL(status,
                    tn_sparse_lu_solve(&made, lu, (tn_sparse_solve)how, ext_array(b), NULL));
    return ext_wrap_status(status, made);
}

/* _sparse_lu_factors(factors): L and U by columns, each as (data, indices, indptr). */
static PyObject *give(PyObject *self, PyObject *capsule) {
    (void)self;
    const tn_sparse_lu *lu = factors_of(capsule);
    tn_csr_arrays lower, upper;
    tn_status status;
    if (!lu) return NULL;
    EXT_WITHOUT_GIL(status, tn_sparse_lu_factors(&lower, &upper, lu));
    EXT_TRY(status);
    return Py_BuildValue("((NNN)(NNN))", ext_wrap(lower.data), ext_wrap(lower.indices),
                         ext_wrap(lower.indptr), ext_wrap(upper.data), ext_wrap(upper.indices),
                         ext_wrap(upper.indptr));
}

/* _sparse_lu_places(factors): of rows and of columns. */
static PyObject *places(PyObject *self, PyObject *capsule) {
    (void)self;
    const tn_sparse_lu *lu = factors_of(capsule);
    tn_array *rows, *columns;
    if (!lu) return NULL;
    EXT_TRY(tn_sparse_lu_places(&rows, &columns, lu));
    return Py_BuildValue("(NN)", ext_wrap(rows), ext_wrap(columns));
}

PyMethodDef ext_sparse_lu_functions[] = {
    {"_sparse_lu", factor, METH_VARARGS, NULL},      {"_sparse_lu_size", size, METH_O, NULL},
    {"_sparse_lu_solve", solve, METH_VARARGS, NULL}, {"_sparse_lu_factors", give, METH_O, NULL},
    {"_sparse_lu_places", places, METH_O, NULL},     {NULL, NULL, 0, NULL},
};
