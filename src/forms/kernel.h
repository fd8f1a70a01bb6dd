/* Kernels that users write: what core hands to a backend. */
#ifndef TNI_FORMS_KERNEL_H
#define TNI_FORMS_KERNEL_H

#include "forms/reduce.h"

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

/* A launch: the arguments lie one after the other in `data`, argument k from offsets[k] on to
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
    /* For a check: the arrays among the arguments, and bytes from the first element of each to the
     * address that an argument begins with (NULL: none). NULL: they are a template's own. */
    const tn_kernel_argument *arguments;
    const int64_t *shifts;
} tni_kernel_launch;

/* How a program's reduction is to be written: a form's text, and the macros that it asks for. */
typedef struct tni_fold_frame {
    const char *form;
    int count;
    const char *const *macros;
    const int16_t *numbers;
} tni_fold_frame;

/* A reduction whose element, fold and result are texts of a program, by the grids of the form
 * "reduce". Of `call` the input that leads is given (address, dtype and strides; with `input` NULL
 * there is none), the shapes and sizes. Other inputs that are loaded with it lie as it does, in
 * elements. */
enum { TNI_FOLD_TOGETHER = 8 };
typedef struct tni_kernel_fold {
    tni_reduce call;
    int together; /* inputs that are loaded with the first */
    const char *inputs[TNI_FOLD_TOGETHER];
    int sizes[TNI_FOLD_TOGETHER]; /* bytes of an element */
    int value_bytes, state_bytes; /* of an element as it is folded, and of what a fold has so far */
    const void *arguments;        /* the program's own, a whole number of 16 bytes */
    size_t bytes;
    /* The function of the program for a frame (kernel.def). */
    tn_status (*find)(void **function, const tni_fold_frame *frame, void *context);
    void *context;
} tni_kernel_fold;

/* What a backend does with them (kernel.def); programs and functions are its own, and live as long
 * as the process. */
/* clang-format off */
typedef struct tni_kernels {
#define KERNELS(result, name, parameters) result (*name) parameters;
#include "forms/kernel.def"
} tni_kernels;
/* clang-format on */

#endif
