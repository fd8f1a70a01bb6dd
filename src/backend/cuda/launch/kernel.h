/* Kernels: found by a small key, compiled when they are missing.
 *
 * A form describes the kernel that a call needs in a few bytes, its key. A plain call costs one
 * hash of the key and no string work; only when the key is new in this process is `write` called to
 * put the program together, whose text is then looked for in the caches or compiled. A form goes on
 * while its kernel is compiled (defer.h). */
#ifndef TNI_CUDA_LAUNCH_KERNEL_H
#define TNI_CUDA_LAUNCH_KERNEL_H

#include "backend/cuda/driver/driver_types.h"
#include "core/base/lock.h"
#include "kernel/source.h"

typedef struct tni_cuda_kernel {
    atomic_bool is_ready; /* the fields below are known, and it can be launched */
    CUfunction function;
    const char *name;
    int number;      /* of the device */
    int threads_max; /* of a block, as its registers allow */
    int registers;
    int shared_bytes;           /* static ones of a block */
    int local_bytes;            /* a thread's spilled registers */
    tni_lock dynamic_lock;      /* of asking for more of the next */
    atomic_int dynamic_bytes;   /* allowed so far beyond the 48 KiB that need no permission */
    atomic_bool is_cooperative; /* the grid is launched only as a whole */
    atomic_bool is_refused;     /* its program can't be made, and others do instead */
} tni_cuda_kernel;

/* Writes a program that defines the kernel as extern "C" __global__.
 *
 * A program stands on its own (it includes the device text that it needs) and can follow another
 * one in one file: it undefines the macros that it defines, and forms may be included again and
 * again. It says the kernel's name with tni_source_set_name(). */
typedef void (*tni_cuda_writer)(tni_source *source, const void *context);

/* The kernel for a key (the first bytes tell the forms apart; at most TNI_CUDA_KEY_MAX).
 * Thread-safe: threads that miss different kernels compile them at the same time, those that miss
 * the same one wait for the first. A kernel lives as long as the process. */
enum { TNI_CUDA_KEY_MAX = 1 << 16 };
tn_status tni_cuda_kernel_get(tni_cuda_kernel **kernel, int number, tni_cuda_writer write,
                              const void *context, const void *key, size_t key_bytes);

/* The kernel of a key as far as it is known: it may have to be made. */
tn_status tni_cuda_kernel_look(tni_cuda_kernel **kernel, int number, const void *key,
                               size_t key_bytes);

/* As tni_cuda_kernel_get, but a compilation may go on when this returns: the kernel is launched by
 * tni_defer_launch() as long as it is not ready. */
tn_status tni_cuda_kernel_begin(tni_cuda_kernel **kernel, int number, tni_cuda_writer write,
                                const void *context, const void *key, size_t key_bytes);
/* Whether nothing has begun to make it, or that failed. */
bool tni_cuda_kernel_is_idle(const tni_cuda_kernel *kernel);
/* Whether tni_cuda_kernel_finish() need not wait. */
bool tni_cuda_kernel_is_compiled(const tni_cuda_kernel *kernel);
/* Waits until the kernel is compiled, and makes it ready. */
tn_status tni_cuda_kernel_finish(tni_cuda_kernel *kernel);

/* Kernels in memory, of all devices. */
int tni_cuda_kernel_count(void);

#endif
