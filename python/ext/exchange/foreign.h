/* Arrays of other libraries: what dlpack.c and cuda_array.c check alike, and what the rest of the
 * extension sees of objects that have an array of their own to offer. */
#ifndef TENORITE_EXT_FOREIGN_H
#define TENORITE_EXT_FOREIGN_H

#include "base/ext.h"

/* Memory as a stranger describes it. */
typedef struct ext_stranger {
    const char *name; /* for messages: "the DLTensor" */
    PyObject *error;  /* the exception (borrowed) */
    void *data;       /* the first element, `byte_offset` bytes behind; afterwards the first byte */
    uint64_t byte_offset;
    int64_t bytes, offset; /* found: how many, and where the first element is */
} ext_stranger;

/* Finds the bytes that the elements span, checked so that neither a size nor an address overflows. `strides` are
 * filled in as of order C where there are none. */
int ext_check_stranger(ext_stranger *memory, int64_t item, int ndim, const int64_t *shape,
                       int64_t *strides, bool has_strides);

/* The ndarray that an object stands for by __cuda_array_interface__ or __cupy_get_ndarray__ (new reference);
 * *made is NULL where it has neither. */
int ext_foreign(PyObject *object, PyObject **made);
/* Whether it has one of them; -1 with an exception. */
int ext_is_foreign(PyObject *object);
/* While an exception is set that refuses `object`: the ndarray that it stands for, and no exception; NULL with
 * one. `by_override`: who has an __array_ufunc__ was asked already. */
PyObject *ext_stand_in(PyObject *object, bool by_override);
/* tenorite._core._foreign(object): the ndarray or None. */
PyObject *ext_foreign_function(PyObject *module, PyObject *object);

/* An attribute (new reference), NULL where it is absent. Any other exception than AttributeError is the
 * program's, and comes out: -1 (foreign.c). */
int ext_find(PyObject *object, PyObject *name, PyObject **value);

#endif
