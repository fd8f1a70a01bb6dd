/* Types of the CUDA driver's and of NVRTC's interface that we use, declared in our own words: the
 * build needs no toolkit. tests/c/cuda/test_cuda_abi.c compares them with the real headers where
 * those are installed. */
#ifndef TNI_CUDA_DRIVER_TYPES_H
#define TNI_CUDA_DRIVER_TYPES_H

#include <tenorite/status.h>

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef void (*CUhostFn)(void *context);
typedef size_t (*CUoccupancyB2DSize)(int threads);

/* Enums of the interface are passed as int. */
typedef int CUdevice_attribute;
typedef int CUfunction_attribute;
typedef int CUpointer_attribute;
typedef int CUlimit;
typedef int CUmem_advise;
typedef int CUmemPool_attribute;
typedef int CUstreamCaptureStatus;
typedef int CUstreamCaptureMode;

typedef struct CUuuid {
    char bytes[16];
} CUuuid;
typedef struct CUipcMemHandle {
    char reserved[64];
} CUipcMemHandle;
typedef struct CUipcEventHandle {
    char reserved[64];
} CUipcEventHandle;
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUmemLocation {
    int type;
    int id;
} CUmemLocation;
typedef struct CUmemAccessDesc {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;
typedef struct CUmemPoolProps {
    int allocType, handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;

typedef int nvrtcResult;
enum { NVRTC_ERROR_INVALID_OPTION = 5 };
typedef struct _nvrtcProgram *nvrtcProgram;

enum {
#define CONSTANT(name, value) name = value,
#include "backend/cuda/driver/constants.def"
};

#endif
