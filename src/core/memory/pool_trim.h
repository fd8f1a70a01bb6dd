/* Giving memory of a pool back to its source. */
#ifndef TNI_POOL_TRIM_H
#define TNI_POOL_TRIM_H

#include "core/memory/device_pool.h"

/* Gives whole free chunks of a stream (NULL: of all) back to the source. */
void tni_pool_trim_device(tni_device_pool *device, const tn_stream *stream);

#endif
