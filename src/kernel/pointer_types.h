/* What the pointers among a kernel's parameters point at, and whether an array's elements are that.
 * CuPy's programs read memory as another type on purpose, so a type is known only where the text
 * is certain, and an array is refused only where its elements can't be meant. */
#ifndef TNI_KERNEL_POINTER_TYPES_H
#define TNI_KERNEL_POINTER_TYPES_H

#include "core/array/array.h"

typedef struct tni_pointer_type {
    char kind;           /* b bool, i signed, u unsigned, f floating-point, c complex; 0: any */
    unsigned char bytes; /* of an element */
    char type[32];       /* as the text has it; empty: the text does not tell */
    char name[40];       /* of the parameter */
} tni_pointer_type;

typedef struct tni_pointer_types {
    int count; /* of parameters; 0: the text does not tell */
    tni_pointer_type list[];
} tni_pointer_types;

/* Reads the parameters of the __global__ function `kernel` (as "scale", or "scale<float>"), with
 * options as the compiler gets them, and what it knows (kernel.def, "elements"; NULL: nothing). The
 * memory is the caller's; NULL: there is none. */
tni_pointer_types *tni_pointer_types_read(const char *text, const char *kernel, int option_count,
                                          const char *const *options, const char *elements);

/* TN_ERROR_TYPE where the array can't be what parameter k of the kernel points at. */
tn_status tni_pointer_types_check(const tni_pointer_types *types, const char *kernel, int k,
                                  const tn_array *array);

#endif
