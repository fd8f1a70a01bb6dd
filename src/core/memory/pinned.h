/* The figures of page-locked memory. */
#ifndef TNI_PINNED_H
#define TNI_PINNED_H

#include <stdint.h>

/* Bytes that all pools of page-locked memory hold. */
int64_t tni_pinned_bytes(void);

#endif
