/* Memory as another library describes it, and what of it is believed. */
#ifndef TENORITE_EXT_EXCHANGE_SPAN_H
#define TENORITE_EXT_EXCHANGE_SPAN_H

#include "base/ext.h"

/* Memory as another library describes it. */
typedef struct ext_span {
    const char *name; /* for messages: "the DLTensor" */
    PyObject *error;  /* the exception (borrowed) */
    void *data;       /* the first element, `byte_offset` bytes after; afterwards the first byte */
    uint64_t byte_offset;
    int64_t bytes, offset; /* found: how many, and where the first element is */
} ext_span;

/* Finds the bytes that the elements span, checked so that neither a size nor an address
 * overflows. `strides` are filled in as of order C where there are none. */
int ext_check_span(ext_span *memory, int64_t item, int ndim, const int64_t *shape, int64_t *strides,
                   bool has_strides);

#endif
