/* The form "put": array[indices] = dense. */
#ifndef TNI_PUT_H
#define TNI_PUT_H

#include "core/index/index.h"

typedef struct tni_put {
    tni_indexing form; /* dense NULL: the one value below, and all dense strides are 0 */
    _Alignas(16) unsigned char value[16];
} tni_put;

/* What storing begins with: whether `to` may be written, and the stream of all (in: the caller's). */
tn_status tni_put_begin(tn_stream **stream, const tn_array *to, const tn_array *indices,
                        const tn_operand *values);

#endif
