/* Kernels that users write: what core hands to a backend. */
#ifndef TNI_FORMS_KERNEL_H
#define TNI_FORMS_KERNEL_H

#include <tenorite/kernel.h>

/* A program to compile or, where `path` is given, to load. Everything lives as long as the process.
 */
typedef struct tni_program_text {
    const char *code;
    size_t length;
    const char *path;
    int option_count, name_count;
    const char *const *options;
    const char *const *names; /* name expressions, and names of functions that the program wants */
    bool translates_cucomplex;
} tni_program_text;

/* A launch: the arguments lie one behind the other in `data`, argument k from offsets[k] on to
 * offsets[k + 1], where the last end is `bytes`; kinds[k] says what was given: p an address, i a
 * whole number, f a floating-point number, s others. */
typedef struct tni_kernel_launch {
    unsigned grid[3], block[3], shared_bytes;
    bool is_cooperative;
    /* On host a function over ranges runs `elements` of them in ranges of a multiple of `grain`,
     * of which one takes about a microsecond; grid and block are a GPU's. */
    int64_t elements, grain;
    int count;
    const unsigned *offsets, *sizes;
    const char *kinds;
    char *data;
    size_t bytes;
    const tn_kernel_argument *arguments; /* as they were given; NULL: they are a template's own */
} tni_kernel_launch;

/* What a backend does with them (kernel.def); programs and functions are its own, and live as long
 * as the process. */
/* clang-format off */
typedef struct tni_kernels {
#define KERNELS(result, name, parameters) result (*name) parameters;
#include "forms/kernel.def"
} tni_kernels;
/* clang-format on */

#endif
