/* Waits without the GIL, and Python objects that queued work needs. */
#ifndef TENORITE_EXT_BASE_WAIT_H
#define TENORITE_EXT_BASE_WAIT_H

#include "base/ext.h"

/* Waits without the GIL, checking for signals; TN_ERROR_CALLBACK with the exception set if one
 * came. */
tn_status ext_wait_stream(tn_stream *stream);
/* Whether the program lets this thread wait for a device (allow_synchronize); if not, an exception
 * is set. Asked where elements come to the host, and where the program waits itself. `what` names
 * a wait that the program has not written as one ("float(x)"), which may be reported. */
bool ext_may_wait(const char *what);
/* Keeps the owner of memory that was lent to queued work until that work is done; for good with
 * the graph that the stream captures. */
void ext_keep_after(tn_stream *stream, PyObject *owner);

/* Adds what waits need to the module. */
int ext_wait_init(PyObject *module);
/* Calls `callable(argument)` after the stream's work, unless the callable is NULL; keeps both
 * until then. While the stream captures a graph, each launch of the graph calls it, and the
 * graph keeps both. */
tn_status ext_call_after(tn_stream *stream, PyObject *callable, PyObject *argument);
/* Whether this thread is dropping what was kept for queued work, which is done. */
bool ext_is_dropping(void);
/* Drops a reference after the stream's work: now if there is none, and with the graph that the
 * stream captures. */
void ext_drop_after(tn_stream *stream, PyObject *object);

#endif
