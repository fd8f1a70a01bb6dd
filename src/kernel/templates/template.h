/* Variants: what a template is for dtypes and layouts. */
#ifndef TNI_KERNEL_TEMPLATES_TEMPLATE_H
#define TNI_KERNEL_TEMPLATES_TEMPLATE_H

#include "kernel/templates/resolve.h"

/* Dtypes and layouts are its key. */
struct tni_variant {
    tni_variant *next;
    uint64_t hash;
    tn_module *module;
    tn_kernel *kernels[2]; /* the second finishes a reduction in parts; NULL: there is none */
    char *code, *dtypes;
    int key_bytes;
    unsigned char key[];
};
/* Compiled, unless the call says that it would rather not. */
tn_status tni_variant_get(tni_variant **result, tn_template *kernel, const tni_resolved *call);

#endif
