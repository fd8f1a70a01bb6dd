/* The test double of the CUDA driver, as tests see it: what they can make it do, and ask it.
 *
 * It is a shared library that the CUDA backend opens in place of libcuda in builds with tests,
 * named by TENORITE_FAKE_CUDA. Its functions come from the backend's own driver.fn, so a function
 * that is added there is missing here until it is written. Device memory is host memory, filled
 * with poison, with guard bytes around it; streams are queues with threads of their own; kernels
 * are recorded, and do what a test says.
 *
 * It is built twice: libfake_cuda as a driver of CUDA 13.0, and libfake_cuda_12 as one of 12.1,
 * which lacks all that is OPTIONAL in driver.fn. */
#ifndef TESTS_FAKE_CUDA_H
#define TESTS_FAKE_CUDA_H

#include "backend/cuda/driver/driver_types.h"

#include <stdbool.h>

#define FAKE_API __attribute__((visibility("default")))

#ifndef FAKE_CUDA_VERSION
#define FAKE_CUDA_VERSION 13000
#endif
/* The version that the double claims to be. A test may be linked with either. */
FAKE_API int fake_cuda_version(void);

/* The n-th call from now on (1: the next) of a function fails with `error`; NULL: of any function.
 * n 0 ends it. */
FAKE_API void fake_cuda_fail(const char *function, long n, CUresult error);
/* The function that failed so since the last fake_cuda_fail(); NULL: none yet. */
FAKE_API const char *fake_cuda_failed(void);
/* Calls of a function so far. */
FAKE_API long fake_cuda_calls(const char *function);

/* The context of a device is as after a kernel's failure: each call gives `error`. 0 mends it. */
FAKE_API void fake_cuda_break(int device, CUresult error);

/* Bytes of memory that each device has (256 MiB at first). */
FAKE_API void fake_cuda_set_memory(size_t bytes);
/* Blocks and bytes that are allocated on all devices and as page-locked memory; streams and events
 * that exist. */
FAKE_API long fake_cuda_blocks(void);
FAKE_API size_t fake_cuda_bytes(int device);
FAKE_API long fake_cuda_streams(void);
FAKE_API long fake_cuda_events(void);
/* Graphs, those made ready for launches, and captures that go on. */
FAKE_API long fake_cuda_graphs(void);

/* What was done wrong so far: writes outside blocks, work on freed memory, calls from host
 * functions. Empty if nothing was. Checks all guard bytes. */
FAKE_API const char *fake_cuda_complaint(void);
FAKE_API void fake_cuda_forget_complaint(void);

/* Streams do not run what is queued until they are let go. */
FAKE_API void fake_cuda_hold(bool held);

/* A call that queues work waits while its stream has so much of it, as the driver's do at about
 * 1024; 0: never (at first what FAKE_CUDA_QUEUE says). */
FAKE_API void fake_cuda_set_queue(long length);

/* Launches so far, and one of them; `params` are the arguments one after the other, as the
 * kernel's image describes them. */
typedef struct fake_launch {
    char name[192];
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    bool is_cooperative;
    void *watched; /* by CUPTI's double */
    size_t param_bytes;
    unsigned char params[4096];
} fake_launch;
FAKE_API long fake_cuda_launches(void);
FAKE_API bool fake_cuda_get_launch(fake_launch *launch, long number);

/* What launches of kernels of this name do (NULL: nothing), when the stream gets there. */
FAKE_API void fake_cuda_set_kernel(const char *name,
                                   void (*run)(const fake_launch *launch, void *context),
                                   void *context);

#endif
