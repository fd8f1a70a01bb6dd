/* Calls that wait, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_BACKLOG_H
#define TENORITE_EXT_FUNCTIONS_BACKLOG_H

#include "base/ext.h"

extern PyMethodDef ext_backlog_functions[];

/* Reads the environment: TENORITE_WAIT is 1 where calls are to wait, TENORITE_WAIT_LEAST how many
 * elements a call of the host must have for it, TENORITE_WAIT_IDLE how many us an idle GPU lets
 * calls wait. */
int ext_backlog_init(PyObject *module);

#endif
