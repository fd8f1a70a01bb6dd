/* Texts by numbers, for events. */
#ifndef TNI_TRACE_NAMES_H
#define TNI_TRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { TNI_TRACE_NAMES = 1 << 16 };

/* The number of a text of so many bytes. */
uint32_t tni_trace_name_of(const char *text, size_t bytes);

#endif
