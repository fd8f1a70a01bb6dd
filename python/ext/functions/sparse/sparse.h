/* What tenorite.scipy.sparse computes by: functions of matrices by compressed rows. */
#ifndef TENORITE_EXT_FUNCTIONS_SPARSE_H
#define TENORITE_EXT_FUNCTIONS_SPARSE_H

#include "base/ext.h"

/* A matrix as the program gave it: the objects, borrowed from a tuple. */
typedef struct ext_csr_given {
    int64_t shape[2];
    PyObject *data, *indices, *indptr;
} ext_csr_given;

/* A converter of PyArg_ParseTuple for such a tuple. */
int ext_csr_read(PyObject *object, void *to);
tn_csr ext_csr_lend(const ext_csr_given *matrix);

extern PyMethodDef ext_sparse_functions[];

#endif
