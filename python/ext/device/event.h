/* The type tenorite.cuda.Event. */
#ifndef TENORITE_EXT_DEVICE_EVENT_H
#define TENORITE_EXT_DEVICE_EVENT_H

#include "base/kinds.h"

int ext_event_init(PyObject *module);
extern PyTypeObject *ext_event_type;
/* The event of an Event; NULL with a TypeError for anything else. */
tn_event *ext_event(PyObject *object);
EXT_ARGUMENT_KIND(event, tn_event *)

#endif
