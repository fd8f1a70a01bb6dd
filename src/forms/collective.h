/* What core hands to a backend's communicators. */
#ifndef TNI_FORM_COLLECTIVE_H
#define TNI_FORM_COLLECTIVE_H

#include <tenorite/collective.h>

typedef struct tni_collectives {
#define COLLECTIVE(result, name, parameters) result(*name) parameters;
#include "forms/collective.def"
} tni_collectives;

/* NCCL's numbers of failures (ncclResult_t). */
enum {
    TNI_NCCL_CUDA = 1,
    TNI_NCCL_SYSTEM,
    TNI_NCCL_INTERNAL,
    TNI_NCCL_ARGUMENT,
    TNI_NCCL_USAGE,
    TNI_NCCL_REMOTE,
    TNI_NCCL_IN_PROGRESS
};

#endif
