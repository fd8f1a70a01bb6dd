/* Sizes and offsets of the structures that we declare in our own words, in a fixed order. Whoever
 * includes this has declared them, we in backend/cuda/driver/driver_types.h, the toolkit in
 * cuda.h. */
#include <stddef.h>
static const size_t layout[] = {
    sizeof(CUresult),
    sizeof(CUdevice),
    sizeof(CUdeviceptr),
    sizeof(CUmemPool_attribute),
    sizeof(CUuuid),
    sizeof(CUipcMemHandle),
    sizeof(CUipcEventHandle),
    sizeof(CUDA_MEMCPY2D),
    offsetof(CUDA_MEMCPY2D, srcMemoryType),
    offsetof(CUDA_MEMCPY2D, srcHost),
    offsetof(CUDA_MEMCPY2D, srcDevice),
    offsetof(CUDA_MEMCPY2D, srcPitch),
    offsetof(CUDA_MEMCPY2D, dstMemoryType),
    offsetof(CUDA_MEMCPY2D, dstHost),
    offsetof(CUDA_MEMCPY2D, dstDevice),
    offsetof(CUDA_MEMCPY2D, dstPitch),
    offsetof(CUDA_MEMCPY2D, Height),
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
