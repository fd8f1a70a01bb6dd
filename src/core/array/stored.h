/* Dtypes of elements that are no numbers (tn_dtype_new): their sizes and names. */
#ifndef TNI_STORED_H
#define TNI_STORED_H

#include <tenorite/dtype.h>

typedef struct tni_stored {
    int64_t bytes;
    char *name, *c_text;
    _Atomic(char *) c_type; /* NULL, or set after `c_text` */
} tni_stored;

/* NULL for a dtype that tn_dtype_new() did not make. */
const tni_stored *tni_stored_find(int dtype) __attribute__((cold));

#endif
