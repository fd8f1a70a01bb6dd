/* The operators of ndarray. */
#ifndef TENORITE_EXT_ARRAY_NUMBER_H
#define TENORITE_EXT_ARRAY_NUMBER_H

#include "base/ext.h"

/* Operators: slots of ndarray, ended by slot 0. */
extern const PyType_Slot ext_number_slots[];

#endif
