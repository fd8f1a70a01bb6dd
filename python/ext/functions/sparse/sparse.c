/* Matrices by compressed rows, for the classes of tenorite.scipy.sparse, which check and complete
 * what they were given. A matrix is the tuple (rows, columns, data, indices, indptr) of ndarrays; a
 * new one is the tuple (data, indices, indptr). */
#include "functions/sparse/sparse.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "values/operands.h"
#include "values/ufunc_object.h"

int ext_csr_read(PyObject *object, void *to) {
    ext_csr_given *matrix = to;
    long long rows, columns;
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a sparse matrix is a tuple here");
        return 0;
    }
    if (!PyArg_ParseTuple(object, "LLO!O!O!", &rows, &columns, ext_ndarray_type, &matrix->data,
                          ext_ndarray_type, &matrix->indices, ext_ndarray_type, &matrix->indptr))
        return 0;
    matrix->shape[0] = rows;
    matrix->shape[1] = columns;
    return 1;
}

tn_csr ext_csr_lend(const ext_csr_given *matrix) {
    return (tn_csr){matrix->shape[0], matrix->shape[1], ext_array(matrix->data),
                    ext_array(matrix->indices), ext_array(matrix->indptr)};
}

static int64_t work(const tn_csr *a) {
    return tn_array_size(a->data) + a->rows;
}

static PyObject *wrap(tn_status status, const tn_csr_arrays *made) {
    if (status) return ext_raise(status);
    return Py_BuildValue("(NNN)", ext_wrap(made->data), ext_wrap(made->indices),
                         ext_wrap(made->indptr));
}

/* _csr_inspect(matrix): what is to be said of it, as tn_csr_inspect has the bits. */
static PyObject *inspect(PyObject *self, PyObject *object) {
    (void)self;
    ext_csr_given matrix;
    int findings = 0;
    tn_status status;
    if (!ext_csr_read(object, &matrix)) return NULL;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_LONG_CALL(status, work(&a), tn_csr_inspect(&findings, &a, NULL));
    EXT_TRY(status);
    return PyLong_FromLong(findings);
}

/* _csr_multiply(matrix, dense, is_transposed); dense None: sums. */
static PyObject *multiply(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given matrix;
    PyObject *object;
    int is_transposed;
    tn_array *dense = NULL;
    if (!PyArg_ParseTuple(arguments, "O&Op", ext_csr_read, &matrix, &object, &is_transposed) ||
        ext_optional_array(object, &dense, "dense"))
        return NULL;
    tn_array *made = NULL;
    tn_status status;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_LONG_CALL(status, work(&a) + (dense ? tn_array_size(dense) : 0),
                  tn_csr_multiply(&made, &a, is_transposed, dense, NULL));
    return ext_wrap_status(status, made);
}

/* _csr_scatter(matrix, to): adds to an array. */
static PyObject *scatter(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given matrix;
    PyObject *to;
    if (!PyArg_ParseTuple(arguments, "O&O!", ext_csr_read, &matrix, ext_ndarray_type, &to))
        return NULL;
    tn_status status;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_LONG_CALL(status, work(&a), tn_csr_scatter(ext_array(to), &a, NULL));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

/* _csr_group(rows, data, row, column) */
static PyObject *group(PyObject *self, PyObject *arguments) {
    (void)self;
    long long rows;
    PyObject *data, *row, *column;
    if (!PyArg_ParseTuple(arguments, "LO!O!O!", &rows, ext_ndarray_type, &data, ext_ndarray_type,
                          &row, ext_ndarray_type, &column))
        return NULL;
    tn_csr_arrays made;
    tn_status status;
    EXT_LONG_CALL(
        status, tn_array_size(ext_array(data)) + rows,
        tn_csr_group(&made, rows, ext_array(data), ext_array(row), ext_array(column), NULL));
    return wrap(status, &made);
}

/* _csr_compress(rows, columns, data, row, column) */
static PyObject *compress(PyObject *self, PyObject *arguments) {
    (void)self;
    long long rows, columns;
    PyObject *data, *row, *column;
    if (!PyArg_ParseTuple(arguments, "LLO!O!O!", &rows, &columns, ext_ndarray_type, &data,
                          ext_ndarray_type, &row, ext_ndarray_type, &column))
        return NULL;
    tn_csr_arrays made;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(ext_array(data)) + rows,
                  tn_csr_compress(&made, rows, columns, ext_array(data), ext_array(row),
                                  ext_array(column), NULL));
    return wrap(status, &made);
}

static PyObject *make(PyObject *object,
                      tn_status (*function)(tn_csr_arrays *, const tn_csr *, tn_stream *)) {
    ext_csr_given matrix;
    tn_csr_arrays made;
    tn_status status;
    if (!ext_csr_read(object, &matrix)) return NULL;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_LONG_CALL(status, work(&a), function(&made, &a, NULL));
    return wrap(status, &made);
}

/* _csr_transpose(matrix) */
static PyObject *transpose(PyObject *self, PyObject *object) {
    (void)self;
    return make(object, tn_csr_transpose);
}

/* _csr_unite(matrix): neighbours of equal index are summed. */
static PyObject *unite(PyObject *self, PyObject *object) {
    (void)self;
    return make(object, tn_csr_unite);
}

/* _csr_sort(matrix): in place. */
static PyObject *sort(PyObject *self, PyObject *object) {
    (void)self;
    ext_csr_given matrix;
    tn_status status;
    if (!ext_csr_read(object, &matrix)) return NULL;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_LONG_CALL(status, work(&a), tn_csr_sort(&a, NULL));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

/* _csr_product(matrix, matrix) */
static PyObject *product(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given matrices[2];
    if (!PyArg_ParseTuple(arguments, "O&O&", ext_csr_read, &matrices[0], ext_csr_read,
                          &matrices[1]))
        return NULL;
    tn_csr_arrays made;
    tn_status status;
    const tn_csr a = ext_csr_lend(&matrices[0]), b = ext_csr_lend(&matrices[1]);
    EXT_LONG_CALL(status, work(&a) + work(&b), tn_csr_product(&made, &a, &b, NULL));
    return wrap(status, &made);
}

/* _csr_merge(ufunc, dtype of the result, matrix, matrix) */
static PyObject *merge(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given matrices[2];
    PyObject *ufunc, *object;
    tn_dtype dtype;
    if (!PyArg_ParseTuple(arguments, "OOO&O&", &ufunc, &object, ext_csr_read, &matrices[0],
                          ext_csr_read, &matrices[1]) ||
        ext_dtype(object, &dtype))
        return NULL;
    if (Py_TYPE(ufunc) != Py_TYPE(ext_ufunc_object(TN_OP_ADD)))
        return PyErr_Format(PyExc_TypeError, "a ufunc is needed, not %R", Py_TYPE(ufunc));
    tn_csr_arrays made;
    tn_status status;
    const tn_csr a = ext_csr_lend(&matrices[0]), b = ext_csr_lend(&matrices[1]);
    EXT_LONG_CALL(status, work(&a) + work(&b),
                  tn_csr_merge(&made, (int)ext_ufunc_op(ufunc), dtype, &a, &b, NULL));
    return wrap(status, &made);
}

/* _csr_rows(matrix, chosen, first, step, rows): chosen is an array of int64 or None. */
static PyObject *choose(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given matrix;
    PyObject *object;
    long long first, step, rows;
    if (!PyArg_ParseTuple(arguments, "O&OLLL", ext_csr_read, &matrix, &object, &first, &step,
                          &rows))
        return NULL;
    tn_array *chosen = NULL;
    if (ext_optional_array(object, &chosen, "chosen")) return NULL;
    tn_csr_arrays made;
    tn_status status;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_LONG_CALL(status, work(&a), tn_csr_rows(&made, &a, chosen, first, step, rows, NULL));
    return wrap(status, &made);
}

/* _csr_conjugate(matrix, inverse or None, x, r, p, numbers, limit, steps): steps in place. */
static PyObject *conjugate(PyObject *self, PyObject *arguments) {
    (void)self;
    ext_csr_given matrix;
    PyObject *object, *x, *r, *p, *numbers;
    tn_array *inverse = NULL;
    double limit;
    long long steps;
    if (!PyArg_ParseTuple(arguments, "O&OO!O!O!O!dL", ext_csr_read, &matrix, &object,
                          ext_ndarray_type, &x, ext_ndarray_type, &r, ext_ndarray_type, &p,
                          ext_ndarray_type, &numbers, &limit, &steps) ||
        ext_optional_array(object, &inverse, "inverse"))
        return NULL;
    tn_status status;
    const tn_csr a = ext_csr_lend(&matrix);
    EXT_LONG_CALL(status, work(&a) * (steps > 0 ? steps : 1),
                  tn_csr_conjugate(&a, inverse, ext_array(x), ext_array(r), ext_array(p),
                                   ext_array(numbers), limit, steps, NULL));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

PyMethodDef ext_sparse_functions[] = {
    {"_csr_inspect", inspect, METH_O, NULL},
    {"_csr_multiply", multiply, METH_VARARGS, NULL},
    {"_csr_scatter", scatter, METH_VARARGS, NULL},
    {"_csr_group", group, METH_VARARGS, NULL},
    {"_csr_compress", compress, METH_VARARGS, NULL},
    {"_csr_transpose", transpose, METH_O, NULL},
    {"_csr_unite", unite, METH_O, NULL},
    {"_csr_sort", sort, METH_O, NULL},
    {"_csr_product", product, METH_VARARGS, NULL},
    {"_csr_merge", merge, METH_VARARGS, NULL},
    {"_csr_rows", choose, METH_VARARGS, NULL},
    {"_csr_conjugate", conjugate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
