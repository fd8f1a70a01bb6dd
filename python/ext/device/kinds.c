/* Devices and streams as arguments of rows. */
#include "device/kinds.h"

#include "device/device.h"
#include "device/stream_object.h"

int ext_read_device(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_device(object, to);
}

int ext_read_stream(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_stream(object, to);
}
