/* Kinds of arguments of rows: devices and streams. */
#ifndef TENORITE_EXT_DEVICE_KINDS_H
#define TENORITE_EXT_DEVICE_KINDS_H

#include "base/kinds.h"

#define EXT_DEVICE_KINDS(KIND)                                                                     \
    KIND(device, tn_device)                                                                        \
    KIND(stream, tn_stream *) /* borrowed; NULL: None was given */
EXT_DEVICE_KINDS(EXT_ARGUMENT_KIND)

#endif
