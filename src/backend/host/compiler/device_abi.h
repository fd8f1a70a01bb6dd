/* What a compiled kernel and this library know of each other; device/builtins.cuh has the same in
 * C++, but for meetings.h, which both read. */
#ifndef TNI_HOST_COMPILER_DEVICE_ABI_H
#define TNI_HOST_COMPILER_DEVICE_ABI_H

#include "backend/host/compiler/device/meetings.h"

#include <stdarg.h>
#include <stddef.h>

/* What the library gives; a compiled module has its address in the variable tni_runtime. */
typedef struct tni_host_runtime {
    /* A thread of the running block waits for the others: those of its block, or the lanes of its
     * warp in `mask`. From its first call on the fiber runs this thread alone. Returns the outcome
     * of a vote, a reduction or a shuffle. */
    unsigned long long (*meet)(int kind, unsigned thread, unsigned mask, unsigned long long value,
                               unsigned source);
    int (*print)(const char *format, va_list values);
    /* Ends the launch; does not return. */
    void (*fail)(unsigned thread, int kind, const char *text, const char *file, int line);
    /* Memory until the block's end, for variables of all its threads. */
    void *(*room)(size_t bytes);
    /* Of a checked kernel: the thread of that threadIdx is about to touch memory, or has an index
     * outside an array of known size. */
    void (*touch)(const void *at, size_t bytes, int kind, const unsigned index[3]);
    void (*outside)(const unsigned index[3], const char *type, long number, const char *file,
                    int line);
} tni_host_runtime;

typedef struct tni_host_block {
    unsigned grid[3], block[3], index[3];
} tni_host_block;

/* A kernel or a variable of a module. */
typedef struct tni_host_entry {
    const char *name;
    /* Runs the block's threads from `first` on; NULL: a variable, or nothing of that name. */
    void (*run)(const tni_host_block *block, const void *const *arguments, unsigned first);
    int argument_count;
    const unsigned *argument_bytes;
    const char *argument_kinds; /* p pointer, f floating-point number, i integer, s others */
    void *variable;
    size_t variable_bytes;
    /* A function over a range of elements, instead of threads. */
    void (*range)(ptrdiff_t begin, ptrdiff_t end, const void *const *arguments);
    const char *argument_elements; /* forms/kernel.def, "elements" */
} tni_host_entry;

#endif
