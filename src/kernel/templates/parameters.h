/* The lists of parameters of element-wise and reduction kernels, as "T x, raw int32 y". */
#ifndef TNI_KERNEL_TEMPLATES_PARAMETERS_H
#define TNI_KERNEL_TEMPLATES_PARAMETERS_H

#include "core/base/error.h"

#include <tenorite/kernel.h>

enum { TNI_PARAMETERS_MAX = 64 };

typedef struct tni_parameters {
    int inputs, count; /* outputs stand after the inputs */
    tn_parameter list[TNI_PARAMETERS_MAX];
    char *texts; /* what the list points to */
} tni_parameters;

/* Reads both lists. A failure shows the place in the text (TN_ERROR_VALUE). */
tn_status tni_parameters_read(tni_parameters *parameters, const char *inputs, const char *outputs);
void tni_parameters_deinit(tni_parameters *parameters);

/* Whether a text is a name of C++ and none of its keywords. */
bool tni_is_name(const char *text);

#endif
