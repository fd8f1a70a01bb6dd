/* Memory hooks of the calling thread, as the pool calls them. */
#ifndef TNI_HOOKS_H
#define TNI_HOOKS_H

#include "core/base/thread.h"

static inline bool tni_has_hooks(void) {
    return __builtin_expect(tni_self.hooks != NULL, 0);
}

/* Calls the hooks before or after an event: "malloc", "free" or "alloc". */
void tni_hooks_call(bool is_after, const char *event, tn_device device, int64_t bytes,
                    int64_t rounded_bytes, void *address);

#endif
