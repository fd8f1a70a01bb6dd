/* Arrays as arguments and results of rows. */
#include "values/kinds.h"

#include "base/arguments.h"
#include "values/refusal.h"
#include "values/ufunc_object.h"

/* --- Arguments --- */

int ext_refuse_array(const ext_parameter *which, PyObject *object) {
    ext_refuse_type(object, which->function, which->name);
    return -1;
}

int64_t ext_work_matrix(const void *from) {
    const tn_array *array = *(tn_array *const *)from;
    const int ndim = tn_array_ndim(array);
    return ndim ? tn_array_size(array) * tn_array_shape(array)[ndim - 1] : 0;
}

int ext_read_csr(void *to, PyObject *object, const ext_parameter *which) {
    tn_csr *csr = to;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 5)
        return ext_refuse_kind(which, "the tuple of a sparse matrix", object);
    for (int k = 2; k < 5; k++)
        if (ext_read_array(NULL, PyTuple_GetItem(object, k), which)) return -1;
    return ext_int64(PyTuple_GetItem(object, 0), &csr->rows) ||
                   ext_int64(PyTuple_GetItem(object, 1), &csr->columns)
               ? -1
               : 0;
}

void ext_lend_csr(void *to, PyObject *object) {
    tn_csr *csr = to;
    csr->data = ext_array(PyTuple_GetItem(object, 2));
    csr->indices = ext_array(PyTuple_GetItem(object, 3));
    csr->indptr = ext_array(PyTuple_GetItem(object, 4));
}

int64_t ext_work_csr(const void *from) {
    const tn_csr *csr = from;
    return tn_array_size(csr->data) + csr->rows;
}

int ext_read_ndarray(void *to, PyObject *object, const ext_parameter *which) {
    *(PyObject **)to = object;
    return ext_read_array(NULL, object, which);
}

int ext_read_ufunc(void *to, PyObject *object, const ext_parameter *which) {
    if (Py_TYPE(object) != Py_TYPE(ext_ufunc_object(TN_OP_ADD)))
        return ext_refuse_kind(which, "a ufunc", object);
    *(tn_op *)to = ext_ufunc_op(object);
    return 0;
}

/* --- Results --- */

_Static_assert(sizeof(tn_csr_arrays) == 3 * sizeof(void *), "as many pointers as the kind says");

PyObject *ext_give_made(void *from, PyObject *object, PyObject *first) {
    (void)object;
    return ext_wrap_like(*(tn_array **)from, first);
}

void ext_release_made(void *from) {
    tn_array_release(*(tn_array **)from);
}

PyObject *ext_give_made_or_none(void *from, PyObject *object, PyObject *first) {
    return *(tn_array **)from ? ext_give_made(from, object, first) : Py_NewRef(Py_None);
}

PyObject *ext_give_out(void *from, PyObject *object, PyObject *first) {
    return object == Py_None ? ext_give_made(from, object, first) : Py_NewRef(object);
}

PyObject *ext_give_made_csr(void *from, PyObject *object, PyObject *first) {
    const tn_csr_arrays *made = from;
    (void)object, (void)first;
    return Py_BuildValue("(NNN)", ext_wrap(made->data), ext_wrap(made->indices),
                         ext_wrap(made->indptr));
}

void ext_release_made_csr(void *from) {
    const tn_csr_arrays *made = from;
    tn_array_release(made->data);
    tn_array_release(made->indices);
    tn_array_release(made->indptr);
}
