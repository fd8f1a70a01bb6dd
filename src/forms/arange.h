/* The form "arange": to[i] = start + i * step in the arithmetic of the dtype.
 *
 * With `is_linspace` (f64 and c128 only) the last element, if `has_last`, is exactly `last`; a
 * `divisor` that is not 0 means i / divisor * step, for steps that would vanish; and `rounds_down`
 * gives whole numbers. */
#ifndef TNI_FORMS_ARANGE_H
#define TNI_FORMS_ARANGE_H

#include <tenorite/create.h>

/* One number in the widest type of a kind: signed i, bool and unsigned u, float f, complex c. */
typedef union tni_wide {
    int64_t i;
    uint64_t u;
    double f;
    double c[2];
} tni_wide;

typedef struct tni_arange {
    tn_dtype dtype;
    char *to; /* contiguous */
    int64_t count;
    tni_wide start, step;
    bool is_linspace, has_last, rounds_down;
    double divisor;
    tni_wide last;
} tni_arange;

#endif
