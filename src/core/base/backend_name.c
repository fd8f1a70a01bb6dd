/* The names of backends. */
#include <tenorite/device.h>

const char *tn_backend_name(tn_backend backend) {
    static const char *const names[] = {[TN_BACKEND_HOST] = "host", [TN_BACKEND_CUDA] = "cuda"};
    return (unsigned)backend < TN_BACKEND_COUNT ? names[backend] : "invalid";
}
