/* Traces, sums and log lines, for the package. */
#ifndef TENORITE_EXT_BASE_TRACE_ROWS_H
#define TENORITE_EXT_BASE_TRACE_ROWS_H

#include "base/ext.h"

int ext_trace_init(PyObject *module);

#endif
