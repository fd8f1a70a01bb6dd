/* What stream.c gives to other files. */
#ifndef TENORITE_EXT_DEVICE_STREAM_H
#define TENORITE_EXT_DEVICE_STREAM_H

#include "base/ext.h"

/* A tenorite.cuda.Stream (or an object with a stream's handle in .ptr) as a borrowed stream; None and
 * NULL give NULL (memory.c). */
int ext_stream(PyObject *object, tn_stream **stream);

int ext_stream_init(PyObject *module);
/* A Stream object; retains. */
PyObject *ext_stream_object(tn_stream *stream);

#endif
