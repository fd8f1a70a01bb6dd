/* Kinds of arguments of rows: streams and events. */
#ifndef TENORITE_EXT_DEVICE_KINDS_H
#define TENORITE_EXT_DEVICE_KINDS_H

#include "base/kinds.h"

#define EXT_DEVICE_KINDS(KIND)                                                                     \
    KIND(device, tn_device)                                                                        \
    KIND(event, tn_event *)                                                                        \
    KIND(stream, tn_stream *) /* borrowed; NULL: None was given */
EXT_DEVICE_KINDS(EXT_ARGUMENT_KIND)

#endif
