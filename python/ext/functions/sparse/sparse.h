/* What tenorite.scipy.sparse computes by: functions of matrices by compressed rows. */
#ifndef TENORITE_EXT_FUNCTIONS_SPARSE_H
#define TENORITE_EXT_FUNCTIONS_SPARSE_H

#include "base/ext.h"

extern PyMethodDef ext_sparse_functions[];

#endif
