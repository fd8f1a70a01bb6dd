/* What pinned.c gives to other files. */
#ifndef TNI_PINNED_H
#define TNI_PINNED_H

#include <tenorite/linalg.h>

/* Bytes that all pools of page-locked memory hold (core/memory/pinned.c). */
int64_t tni_pinned_bytes(void);

#endif
