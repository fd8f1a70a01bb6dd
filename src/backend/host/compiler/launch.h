/* Launches of compiled kernels on streams of the host. */
#ifndef TNI_HOST_COMPILER_LAUNCH_H
#define TNI_HOST_COMPILER_LAUNCH_H

#include "backend/backend.h"
#include "backend/host/compiler/device_abi.h"
#include "forms/kernel.h"

#include <stdatomic.h>

enum {
    TNI_HOST_SHARED_BYTES = 48 << 10,      /* of a block, unless more is asked for */
    TNI_HOST_SHARED_BYTES_MAX = 227 << 10, /* of a block that asks for more, as an H100 has them */
    TNI_HOST_RESIDENT_BLOCKS = 128
};

/* A kernel of a loaded module. */
typedef struct tni_host_function {
    const tni_host_entry *entry;
    const char *name;
    bool has_shared;                           /* the module has dynamic shared memory */
    const struct tni_checked_program *checked; /* NULL: it is not */
    atomic_int shared_bytes;                   /* that a launch may ask for */
    atomic_int carveout;
    struct tni_host_function *next;
} tni_host_function;

/* What the host does with kernels that programs write: program.c, but for the launch. */
/* clang-format off */
#define KERNELS(result, name, parameters) result tni_host_kernels_##name parameters;
#include "forms/kernel.def"
/* clang-format on */

#endif
