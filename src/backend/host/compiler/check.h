/* Kernels that are checked while they run, with TENORITE_KERNEL_CHECK=1. */
#ifndef TNI_HOST_COMPILER_CHECK_H
#define TNI_HOST_COMPILER_CHECK_H

#include "core/base/error.h"
#include "forms/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Of a program --- */

/* A variable in shared memory: its place in the program's thread-local memory. */
typedef struct tni_shared_name {
    char name[60];
    bool is_dynamic;
    size_t offset, bytes;
} tni_shared_name;

typedef struct tni_checked_program {
    void *library;
    int count;
    tni_shared_name *list;
} tni_checked_program;

/* Reads the names from the compiled image. */
tn_status tni_checked_program_init(tni_checked_program *program, void *library, const char *image,
                                   size_t bytes);

/* --- Of a launch --- */

/* The memory of an array among the arguments, as the caller has it. */
typedef struct tni_extent {
    int argument;
    char *address;     /* what the kernel is given */
    int64_t low, high; /* bytes from there: of the first, and after the last */
    int64_t item;
    const char *dtype;
} tni_extent;

typedef struct tni_window tni_window;
typedef struct tni_check {
    const tni_checked_program *program;
    unsigned shared_bytes;
    int count, window_count;
    tni_extent *extents; /* with the addresses that the kernel gets */
    tni_window *windows;
} tni_check;

/* The extents of the arrays among the arguments, of which there are as many as it returns. */
int tni_check_measure(tni_extent *extents, const tni_kernel_launch *launch);

/* Moves arrays to places far from each other. `addresses`: those of the arguments, which change. */
tn_status tni_check_begin(tni_check *check, int count, const tni_extent *extents);
/* Moves them back, unless the launch has failed. */
void tni_check_end(tni_check *check, bool is_good);

/* --- Of a block --- */

/* Who touched each byte of shared memory, of one thread of the system. */
typedef struct tni_shadow {
    struct tni_mark *marks;
    size_t count;
    const char *base; /* of the program's thread-local memory */
    void *library;
    uint32_t epoch;     /* grows with each block and barrier */
    uint16_t turns[32]; /* of a warp: grow as its lanes meet */
} tni_shadow;
void tni_shadow_deinit(tni_shadow *shadow);

typedef struct tni_touch {
    const char *at;
    size_t bytes;
    int kind;
    unsigned thread;
    const unsigned *size; /* of the block */
} tni_touch;

/* False: it must not be, and the message says why. */
bool tni_check_touch(char *message, size_t room, const tni_check *check, tni_shadow *shadow,
                     const tni_touch *touch);

#endif
