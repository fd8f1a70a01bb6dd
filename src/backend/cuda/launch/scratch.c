/* Memory of the pool for a form's launches. */
#include "backend/cuda/launch/scratch.h"

#include "backend/cuda/launch/defer.h"
#include "core/base/error.h"
#include "core/memory/buffer.h"

tn_status tni_scratch_init(tni_scratch *scratch, int64_t bytes, int fill, tn_stream *stream) {
    void *address;
    scratch->buffer = NULL;
    scratch->address = NULL;
    TNI_TRY(tn_buffer_new(&scratch->buffer, bytes, stream));
    tn_status status;
    TNI_TRY_OWNING(tni_buffer_access(&address, scratch->buffer, TNI_WRITE, stream));
    scratch->address = address;
    if (fill >= 0) TNI_TRY_OWNING(tni_cuda_fill(address, fill, bytes, stream));
    return TN_OK;
cleanup:
    tni_scratch_deinit(scratch);
    return status;
}

void tni_scratch_deinit(tni_scratch *scratch) {
    tn_buffer_release(scratch->buffer);
    scratch->buffer = NULL;
}
