/* Which devices there are. */
#ifndef TNI_DEVICE_H
#define TNI_DEVICE_H

#include <tenorite/device.h>

/* TN_ERROR_DEVICE for a device that is not there, TN_ERROR_VALUE where the environment
 * asks for what can't be. */
tn_status tni_device_check(tn_device device);

#endif
