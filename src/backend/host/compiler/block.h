/* One block of a kernel, run by one thread of the system. */
#ifndef TNI_HOST_COMPILER_BLOCK_H
#define TNI_HOST_COMPILER_BLOCK_H

#include "backend/host/compiler/device_abi.h"

#include <stdbool.h>
#include <stdint.h>

enum { TNI_BLOCK_THREADS_MAX = 1024 };

/* What the blocks of a launch share. */
typedef struct tni_block_run {
    const tni_host_entry *entry;
    const void *const *arguments;
    /* The blocks' own barrier: returns when all blocks have come; false: the launch has failed.
     * NULL: the launch is not cooperative. */
    bool (*wait_for_grid)(void *context);
    void *context;
    bool has_printed;
    const struct tni_check *check; /* of a checked kernel; NULL */
    char message[512];             /* of a block that failed */
} tni_block_run;

/* Runs a block to its end. False: it failed, and `message` of the run says why, unless another
 * block has written there (message[0] is set under a lock). */
bool tni_block_execute(tni_block_run *run, const tni_host_block *block);

/* The same for a function over the elements from `begin` to `end`. */
bool tni_block_execute_range(tni_block_run *run, int64_t begin, int64_t end);

/* What compiled modules call. */
extern const tni_host_runtime tni_host_runtime_functions;

#endif
