/* What the forms along one axis have in common: the lines of that axis, and the other axes
 * collapsed. */
#ifndef TNI_FORMS_LINE_H
#define TNI_FORMS_LINE_H

#include <tenorite/array.h>

/* A line has `length` elements, and there are `size` of them; `shape` is that of the other axes. */
#define TNI_LINE_MEMBERS                                                                           \
    char *output;                                                                                  \
    const char *input;                                                                             \
    int64_t length, output_stride, input_stride;                                                   \
    int ndim;                                                                                      \
    int64_t size;                                                                                  \
    int64_t shape[TN_MAX_NDIM], output_strides[TN_MAX_NDIM], input_strides[TN_MAX_NDIM];

typedef struct tni_line {
    TNI_LINE_MEMBERS
} tni_line;

/* Makes them members of a form's call, which core describes as one (core/array/line.h): `line`. */
#define TNI_LINE                                                                                   \
    union {                                                                                        \
        struct {                                                                                   \
            TNI_LINE_MEMBERS                                                                       \
        };                                                                                         \
        tni_line line;                                                                             \
    }

#endif
