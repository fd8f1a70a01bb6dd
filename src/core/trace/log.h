/* Lines of TENORITE_LOG. */
#ifndef TNI_TRACE_LOG_H
#define TNI_TRACE_LOG_H

#include "core/trace/trace.h"

/* Reads the variable, once. */
void tni_log_read(void);
/* A line about the event, if its kind is wanted. */
void tni_log_event(const tni_traced *event, int64_t elapsed_ns, uint32_t (*find_place)(void));

#endif
