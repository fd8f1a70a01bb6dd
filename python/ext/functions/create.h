/* What the files of array creation share. */
#ifndef TENORITE_EXT_CREATE_H
#define TENORITE_EXT_CREATE_H

#include "base/ext.h"

#endif
