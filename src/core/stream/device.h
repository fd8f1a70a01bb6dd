/* What device.c gives to other files. */
#ifndef TNI_DEVICE_H
#define TNI_DEVICE_H

#include "core/base/thread.h"

extern _Thread_local tni_thread tni_self __attribute__((tls_model("initial-exec")));

#endif
