/* The type tenorite.cuda.Graph. */
#ifndef TENORITE_EXT_DEVICE_GRAPH_H
#define TENORITE_EXT_DEVICE_GRAPH_H

#include "base/ext.h"

int ext_graph_init(PyObject *module);
/* A Graph; takes over the reference, also on failure. `functions`: a list of (callback, argument),
 * which it retains. */
PyObject *ext_graph_object(tn_graph *graph, PyObject *functions);

#endif
