/* Memory that a form's launches need for themselves. */
#ifndef TNI_CUDA_LAUNCH_SCRATCH_H
#define TNI_CUDA_LAUNCH_SCRATCH_H

#include <tenorite/status.h>

#include <tenorite/memory.h>

/* Memory of the pool for the time of this stream's next launches: released at once, in stream
 * order. With `fill` at least 0 its bytes are set to that. */
typedef struct tni_scratch {
    tn_buffer *buffer;
    char *address;
} tni_scratch;
tn_status tni_scratch_init(tni_scratch *scratch, int64_t bytes, int fill, tn_stream *stream);
void tni_scratch_deinit(tni_scratch *scratch);

#endif
