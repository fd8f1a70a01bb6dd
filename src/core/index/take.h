/* The form "take": dense = array[indices]. */
#ifndef TNI_TAKE_H
#define TNI_TAKE_H

#include "core/index/index.h"

typedef struct tni_take {
    tni_indexing form;
    bool is_fresh; /* dense is new memory: it may be written before a bad index is found */
} tni_take;

#endif
