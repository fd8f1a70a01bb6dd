/* A library's failure as a status and a message. */
#include "backend/cuda/libraries/failure.h"

#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "core/base/error.h"
#include "core/stream/stream.h"

/* A failure of an earlier kernel shows in a library as a failure of its own, which does not say so;
 * the stream does. While streams are captured it can't be asked. */
tn_status tni_library_fail(const char *library, const char *text, int answer, bool is_memory,
                           const tn_stream *stream) {
    if (!tni_stream_capture(stream) && atomic_load(&tni_cuda_strict_captures) == 0) {
        CUresult error = tni_driver.cuStreamQuery(tni_cuda_stream_handle(stream));
        if (error != CUDA_SUCCESS && error != CUDA_ERROR_NOT_READY)
            return tni_cuda_fail(error, text, stream);
    }
    if (is_memory) tni_fail_memory(0, 0, 0, 0, library);
    return tni_fail(is_memory ? TN_ERROR_MEMORY : TN_ERROR_DEVICE, "%s failed: %s (status %d)",
                    library, text, answer);
}
