/* Decompositions of matrices, and what is solved with them, for the shells of tenorite.linalg.
 *
 * All arguments are there, arrays first; the shells have seen to their types. A function of several
 * results gives a tuple. */
#include "functions/linalg/decompositions.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/object.h"
#include "values/operands.h"

#include <tenorite/linalg.h>

enum { RESULTS = 4 };

/* What results are made of, and the object whose class they take. */
typedef struct made {
    PyObject *like;
    int count;
    tn_array *arrays[RESULTS];
} made;

/* Releases nothing twice: each array is taken over by its object. */
static PyObject *finish(tn_status status, const made *m) {
    if (status) return ext_raise(status);
    if (m->count == 1) return ext_wrap_like(m->arrays[0], m->like);
    PyObject *tuple = PyTuple_New(m->count);
    for (int k = 0; k < m->count; k++) {
        PyObject *object = tuple ? ext_wrap_like(m->arrays[k], m->like) : NULL;
        if (!tuple) tn_array_release(m->arrays[k]);
        if (!object || PyTuple_SetItem(tuple, k, object)) Py_CLEAR(tuple);
    }
    return tuple;
}

/* Multiplications, roughly: what they take compares with as many elements. */
static int64_t work(const tn_array *array) {
    int ndim = tn_array_ndim(array);
    return ndim ? tn_array_size(array) * tn_array_shape(array)[ndim - 1] : 0;
}

/* The arguments of a call: `arrays` arrays, then truths and numbers. */
static int read_arguments(const char *name, PyObject *const *arguments, Py_ssize_t count,
                          int arrays, int numbers, tn_array **read_arrays, int64_t *read_numbers) {
    if (count != arrays + numbers) {
        PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", name, arrays + numbers,
                     count);
        return -1;
    }
    for (int k = 0; k < numbers; k++)
        if (ext_int64(arguments[arrays + k], &read_numbers[k])) return -1;
    for (int k = 0; k < arrays; k++)
        if (!(read_arrays[k] = ext_only_array(arguments[k]))) return -1;
    return 0;
}

/* A function of `given` arrays and `settings` numbers with `results` results; `call` uses a[], n[]
 * and r[]. */
#define FUNCTION(name, given, settings, results, call)                                             \
    static PyObject *name(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {          \
        made m = {.count = (results)};                                                             \
        tn_array *a[3], **r = m.arrays;                                                            \
        int64_t n[3] = {0};                                                                        \
        tn_status status;                                                                          \
        (void)self, (void)n;                                                                       \
        if (read_arguments(#name, arguments, count, given, settings, a, n)) return NULL;           \
        m.like = arguments[0];                                                                     \
        EXT_LONG_CALL(status, work(a[0]), call);                                                   \
        return finish(status, &m);                                                                 \
    }

static tn_triangular_options triangular_options(const int64_t n[3]) {
    return (tn_triangular_options){(tn_transposition)n[0], n[1] != 0, n[2] != 0};
}

FUNCTION(cholesky, 1, 1, 1, tn_linalg_cholesky(&r[0], a[0], n[0] != 0, NULL))
FUNCTION(solve, 2, 0, 1, tn_linalg_solve(&r[0], a[0], a[1], NULL))
FUNCTION(inv, 1, 0, 1, tn_linalg_inv(&r[0], a[0], NULL))
FUNCTION(det, 1, 0, 1, tn_linalg_det(&r[0], a[0], NULL))
FUNCTION(slogdet, 1, 0, 2, tn_linalg_slogdet(&r[0], &r[1], a[0], NULL))
FUNCTION(lu, 1, 0, 2, tn_linalg_lu(&r[0], &r[1], a[0], NULL))
FUNCTION(lu_parts, 1, 0, 2, tn_linalg_lu_parts(&r[0], &r[1], a[0], NULL))
FUNCTION(lu_solve, 3, 1, 1,
         tn_linalg_lu_solve(&r[0], a[0], a[1], a[2], (tn_transposition)n[0], NULL))
FUNCTION(permutation, 1, 1, 1, tn_linalg_permutation(&r[0], a[0], n[0], NULL))
FUNCTION(cholesky_solve, 2, 1, 1, tn_linalg_cholesky_solve(&r[0], a[0], a[1], n[0] != 0, NULL))
FUNCTION(triangular, 2, 3, 1, tn_linalg_triangular(&r[0], a[0], a[1], triangular_options(n), NULL))
FUNCTION(qr, 1, 1, 2, tn_linalg_qr(&r[0], &r[1], a[0], n[0] != 0, NULL))
FUNCTION(qr_r, 1, 0, 1, tn_linalg_qr(NULL, &r[0], a[0], false, NULL))
FUNCTION(qr_raw, 1, 0, 2, tn_linalg_qr_raw(&r[0], &r[1], a[0], NULL))
FUNCTION(eigh, 1, 1, 2, tn_linalg_eigh(&r[0], &r[1], a[0], n[0] != 0, NULL))
FUNCTION(eigvalsh, 1, 1, 1, tn_linalg_eigh(&r[0], NULL, a[0], n[0] != 0, NULL))
FUNCTION(eig, 1, 0, 2, tn_linalg_eig(&r[0], &r[1], a[0], NULL))
FUNCTION(eigvals, 1, 0, 1, tn_linalg_eig(&r[0], NULL, a[0], NULL))
FUNCTION(svd, 1, 1, 3, tn_linalg_svd(&r[0], &r[1], &r[2], a[0], n[0] != 0, NULL))
FUNCTION(svdvals, 1, 0, 1, tn_linalg_svd(NULL, &r[0], NULL, a[0], false, NULL))

/* lstsq(a, b, rcond): x, squares of residuals, rank, singular values. */
static PyObject *lstsq(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    made m = {.count = 4};
    tn_array *a[2], **r = m.arrays;
    tn_status status;
    (void)self;
    double rcond = count == 3 ? PyFloat_AsDouble(arguments[2]) : 0;
    if (PyErr_Occurred() ||
        read_arguments("lstsq", arguments, count == 3 ? 2 : count, 2, 0, a, NULL))
        return NULL;
    m.like = arguments[0];
    EXT_LONG_CALL(status, work(a[0]),
                  tn_linalg_lstsq(&r[0], &r[1], &r[2], &r[3], a[0], a[1], rcond, NULL));
    return finish(status, &m);
}

/* The number of a tn_linalg_failures; gives back the one before. */
static PyObject *set_failures(PyObject *self, PyObject *value) {
    (void)self;
    long wanted = PyLong_AsLong(value);
    if (wanted == -1 && PyErr_Occurred()) return NULL;
    return PyLong_FromLong((long)tn_linalg_set_failures((tn_linalg_failures)wanted));
}

#define ENTRY(name, parameters)                                                                    \
    {                                                                                              \
        "_linalg_" #name, (PyCFunction)(void (*)(void))name, METH_FASTCALL,                        \
            "_linalg_" #name "(" parameters ", /)\n--\n\nSee tenorite.linalg."                     \
    }

PyMethodDef ext_decomposition_functions[] = {
    ENTRY(cholesky, "a, upper"),
    ENTRY(solve, "a, b"),
    ENTRY(inv, "a"),
    ENTRY(det, "a"),
    ENTRY(slogdet, "a"),
    ENTRY(lu, "a"),
    ENTRY(lu_parts, "lu"),
    ENTRY(lu_solve, "lu, pivots, b, transposition"),
    ENTRY(permutation, "pivots, rows"),
    ENTRY(cholesky_solve, "factor, b, upper"),
    ENTRY(triangular, "a, b, transposition, upper, unit"),
    ENTRY(qr, "a, complete"),
    ENTRY(qr_r, "a"),
    ENTRY(qr_raw, "a"),
    ENTRY(eigh, "a, upper"),
    ENTRY(eigvalsh, "a, upper"),
    ENTRY(eig, "a"),
    ENTRY(eigvals, "a"),
    ENTRY(svd, "a, full"),
    ENTRY(svdvals, "a"),
    ENTRY(lstsq, "a, b, rcond"),
    {"_linalg_set_failures", set_failures, METH_O,
     "_linalg_set_failures(failures, /)\n--\n\nWhen failures are raised: 0 at a wait, 1 at once, 2 "
     "never; what was set before."},
    {NULL, NULL, 0, NULL},
};
