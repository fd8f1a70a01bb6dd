/* Which backends are built in. */
#include "backend/backend.h"

static const tni_backend *const backends[TN_BACKEND_COUNT] = {
    [TN_BACKEND_HOST] = &tni_host_backend,
    [TN_BACKEND_CUDA] = &tni_cuda_backend,
};

const tni_backend *tni_backend_get(tn_backend backend) {
    return (unsigned)backend < TN_BACKEND_COUNT ? backends[backend] : NULL;
}
