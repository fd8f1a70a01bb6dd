/* What the files of the double share. */
#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include "fake_cuda.h"

#include <pthread.h>
#include <stdint.h>

enum { FAKE_DEVICES = 2, FAKE_GUARD = 64 };

/* One lock for everything, and one condition for every change: this is for tests. */
extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;

struct CUctx_st {
    int device;
    CUresult broken;
    int retained;
    unsigned peers; /* bits of devices that it may reach */
};
extern struct CUctx_st fake_contexts[FAKE_DEVICES];

/* The current context; NULL: none. */
CUcontext fake_current(void);

/* Notes what a test should hear of. Called with the lock held or not; the first complaint stays. */
void fake_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- Streams (fake_streams.c) --- */

struct CUstream_st {
    struct CUstream_st *next; /* all streams */
    CUcontext context;
    unsigned flags;
    int priority;
    uint64_t submitted, completed;
    struct fake_task *first, **last;
    bool has_thread, is_closing;
};

/* Queues run(params) behind the stream's work and, for the default stream, behind that of the
 * blocking ones; `params` is copied. NULL: the default stream of the current context. */
CUresult fake_submit(CUstream stream, void (*run)(void *params), const void *params, size_t bytes);
/* Waits for all streams of a device. Called without the lock. */
CUresult fake_wait_device(int device);
/* The stream of a handle in the current context. */
CUstream fake_find_stream(CUstream handle);
/* Whether this thread is in a host function. */
bool fake_in_host_function(void);

/* --- Memory (fake_memory.c) --- */

/* Says whether [address, address + bytes) lies in one living block. Takes the lock. */
bool fake_is_valid(CUdeviceptr address, size_t bytes);
void fake_check_guards(void);

/* --- What each function of the driver does, once it was entered --- */

#define FN(name, params, args) CUresult fake_##name params;
#include "backend/cuda/driver.fn"

#endif
