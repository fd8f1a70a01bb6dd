/* The form "put": array[indices] = dense. */
#ifndef TNI_PUT_H
#define TNI_PUT_H

#include "core/index.h"

typedef struct tni_put {
    tni_indexing form; /* dense NULL: the one value below, and all dense strides are 0 */
    _Alignas(16) unsigned char value[16];
} tni_put;

#endif
