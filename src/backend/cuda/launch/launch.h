/* Kernels: found by a small key, compiled when they are missing, launched.
 *
 * A form describes the kernel that a call needs in a few bytes, its key. A plain call costs one hash
 * of the key and no string work; only when the key is new in this process is `write` called to put the
 * program together, whose text is then looked for in the caches or compiled. Forms go on while theirs is
 * compiled (defer.h). */
#ifndef TNI_CUDA_LAUNCH_H
#define TNI_CUDA_LAUNCH_H

#include "backend/cuda/driver/driver_types.h"
#include "core/base/lock.h"
#include "kernel/source.h"

typedef struct tni_cuda_kernel {
    atomic_bool is_ready; /* what follows is known, and it can be launched */
    CUfunction function;
    const char *name;
    int number;      /* of the device */
    int threads_max; /* of a block, as its registers allow */
    int registers;
    int shared_bytes;                /* static ones of a block */
    int local_bytes;                 /* a thread's spilled registers */
    tni_lock dynamic_lock;           /* of asking for more of the next */
    atomic_int dynamic_bytes;        /* allowed so far beyond the 48 KiB that need no permission */
    _Atomic(uint64_t) blocks_answer; /* of tni_cuda_resident_blocks */
} tni_cuda_kernel;

/* Writes a program that defines the kernel as extern "C" __global__.
 *
 * A program stands on its own (it includes the device text that it needs) and can follow another one
 * in one file: it undefines the macros that it defines, and forms may be included again and again.
 * If no name was given, it says the kernel's with tni_source_set_name(). */
typedef void (*tni_cuda_writer)(tni_source *source, const void *context);

/* The kernel for a key (the first bytes tell the forms apart; at most TNI_CUDA_KEY_MAX). `name` may be
 * NULL. Thread-safe: threads that miss different kernels compile them at the same time, those that
 * miss the same one wait for the first. A kernel lives as long as the process. */
enum { TNI_CUDA_KEY_MAX = 1 << 16 };
tn_status tni_cuda_kernel_get(tni_cuda_kernel **kernel, int number, const char *name,
                              tni_cuda_writer write, const void *context, const void *key,
                              size_t key_bytes);

/* The same, but if it must be compiled, that may go on when this returns: it is launched by
 * tni_defer_launch() as long as it is not ready. */
tn_status tni_cuda_kernel_begin(tni_cuda_kernel **kernel, int number, tni_cuda_writer write,
                                const void *context, const void *key, size_t key_bytes);
/* Whether tni_cuda_kernel_finish() need not wait; and waits, and makes it ready. */
bool tni_cuda_kernel_is_compiled(const tni_cuda_kernel *kernel);
tn_status tni_cuda_kernel_finish(tni_cuda_kernel *kernel);

/* Launches, and notes it for messages. `params` has a pointer to each argument. An empty grid is
 * nothing to do. `shared_bytes` are dynamic ones. */
tn_status tni_cuda_launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                          size_t shared_bytes, void **params, tn_stream *stream);

/* How many blocks of so many threads run on the device at the same time: the grid of a kernel that
 * loops. At least 1. Remembers the last answer. */
tn_status tni_cuda_resident_blocks(int *blocks, tni_cuda_kernel *kernel, int threads,
                                   size_t shared_bytes);

/* The address of a __device__ variable of the kernel's program. */
tn_status tni_cuda_kernel_global(uintptr_t *address, size_t *bytes, tni_cuda_kernel *kernel,
                                 const char *name);

/* Kernels in memory, of all devices. */
int tni_cuda_kernel_count(void);

/* Kernels in memory, of all devices. */
int tni_cuda_kernel_count(void);

#endif
