/* Factors of sparse matrices, for tenorite.scipy.sparse.linalg. */
#ifndef TENORITE_EXT_FUNCTIONS_SPARSE_LU_H
#define TENORITE_EXT_FUNCTIONS_SPARSE_LU_H

#include "base/ext.h"

extern PyMethodDef ext_sparse_lu_functions[];

#endif
