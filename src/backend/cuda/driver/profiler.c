/* Marks for profilers: the driver's switch, and NVTX's ranges where that library is found. */
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/library.h"
#include "core/base/waiting.h"

#include <pthread.h>
#include <tenorite/cuda.h>
#include <tenorite/trace.h>

tn_status tn_cuda_profiler_start(void) {
    tni_look_all(TNI_LOOK_RANGE);
    TNI_TRY(tni_cuda_open());
    return tni_cuda_check(tni_driver.cuProfilerStart(), "cuProfilerStart");
}

tn_status tn_cuda_profiler_stop(void) {
    tni_look_all(TNI_LOOK_RANGE);
    TNI_TRY(tni_cuda_open());
    return tni_cuda_check(tni_driver.cuProfilerStop(), "cuProfilerStop");
}

/* NVTX is looked for once. */
static void look_for_nvtx(void) {
    tni_nvtx_load();
}

bool tn_cuda_has_ranges(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_for_nvtx);
    return tni_nvtx.nvtxMarkA != NULL;
}

void tn_cuda_range_push(const char *text) {
    tni_look_all(TNI_LOOK_RANGE);
    tn_trace_push(text);
    if (tn_cuda_has_ranges()) tni_nvtx.nvtxRangePushA(text);
}

void tn_cuda_range_pop(void) {
    tni_look_all(TNI_LOOK_RANGE);
    tn_trace_pop();
    if (tn_cuda_has_ranges()) tni_nvtx.nvtxRangePop();
}

void tn_cuda_mark(const char *text) {
    tn_trace_mark(text);
    if (tn_cuda_has_ranges()) tni_nvtx.nvtxMarkA(text);
}

uint64_t tn_cuda_range_start(const char *text) {
    tni_look_all(TNI_LOOK_RANGE);
    return tn_cuda_has_ranges() ? tni_nvtx.nvtxRangeStartA(text) : 0;
}

void tn_cuda_range_end(uint64_t range) {
    tni_look_all(TNI_LOOK_RANGE);
    if (tn_cuda_has_ranges()) tni_nvtx.nvtxRangeEnd(range);
}
