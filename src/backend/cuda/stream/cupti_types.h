/* CUPTI's types in our own words: the beginnings of records, up to what is used (cupti.def). */
#ifndef TNI_CUDA_STREAM_CUPTI_TYPES_H
#define TNI_CUDA_STREAM_CUPTI_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Names with CUPTI's own meanings; whoever has its headers has these. */
#ifndef TNI_CUPTI_IS_REAL
#include "backend/cuda/driver/driver_types.h"

enum {
#define CONSTANT(name, value) name = (value),
#include "backend/cuda/stream/cupti.def"
};
typedef struct CUpti_Activity {
    uint32_t kind;
} CUpti_Activity;
typedef int CUpti_ActivityKind, CUpti_ExternalCorrelationKind;
typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t stream,
                                                  uint8_t *buffer, size_t bytes, size_t valid);
#endif

typedef struct tni_cupti_kernel {
    uint32_t kind, settings[3];
    uint64_t start, end, completed; /* nanoseconds; 0: not known */
    uint32_t deviceId, contextId, streamId, shape[10], correlationId;
    int64_t gridId;
    const char *name;
} tni_cupti_kernel;

/* Of a copy, and of bytes that are set, whose value lies where copyKind is. */
typedef struct tni_cupti_memory {
    uint32_t kind;
    uint8_t copyKind, sides[3];
    uint64_t bytes, start, end;
    uint32_t deviceId, contextId, streamId, correlationId;
} tni_cupti_memory;

typedef struct tni_cupti_correlation {
    uint32_t kind, externalKind;
    uint64_t externalId;
    uint32_t correlationId, reserved;
} tni_cupti_correlation;

#endif
