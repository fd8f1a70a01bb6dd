/* Memory hooks of the calling thread. */
#ifndef TNI_HOOKS_H
#define TNI_HOOKS_H

#include "core/base/thread.h"

void tni_hooks_call(bool is_after, const char *event, tn_device device, int64_t bytes,
                    int64_t rounded_bytes, void *address);

static inline bool tni_has_hooks(void) {
    return __builtin_expect(tni_self.hooks != NULL, 0);
}

#endif
