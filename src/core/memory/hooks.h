/* Memory hooks of the calling thread. */
#ifndef TNI_HOOKS_H
#define TNI_HOOKS_H

#include "core/base/thread.h"
#include "core/stream/device.h"

static inline bool tni_has_hooks(void) {
    return __builtin_expect(tni_self.hooks != NULL, 0);
}

#endif
