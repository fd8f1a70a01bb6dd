/* Sizes and offsets of the structures that we declare in our own words, in a fixed order. Whoever
 * includes this has declared them, we in backend/cuda/driver_types.h, the toolkit in cuda.h. */
#include <stddef.h>
static const size_t layout[] = {
    sizeof(CUresult),
    sizeof(CUdevice),
    sizeof(CUdeviceptr),
    sizeof(CUmemPool_attribute),
    sizeof(CUuuid),
    sizeof(CUipcMemHandle),
    sizeof(CUipcEventHandle),
    sizeof(CUmemLocation),
    offsetof(CUmemLocation, id),
    sizeof(CUmemAccessDesc),
    offsetof(CUmemAccessDesc, flags),
    sizeof(CUmemPoolProps),
    offsetof(CUmemPoolProps, handleTypes),
    offsetof(CUmemPoolProps, location),
    offsetof(CUmemPoolProps, win32SecurityAttributes),
    offsetof(CUmemPoolProps, maxSize),
    sizeof(nvrtcResult),
};
