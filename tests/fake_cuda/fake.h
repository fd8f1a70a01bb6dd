/* What the files of the double share. */
#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include "fake_cuda.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { FAKE_DEVICES = 2, FAKE_GUARD = 64, FAKE_PAGE = 4096 };

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
    CUgraph capture;           /* what its work is recorded into; NULL: it runs */
    uint64_t recorded, joined; /* work recorded, and how much of it others have waited for */
};

/* Queues run(params) after the stream's work and, for the default stream, after that of the
 * blocking ones; `params` is copied. NULL: the default stream of the current context. */
CUresult fake_submit(CUstream stream, void (*run)(void *params), const void *params, size_t bytes);
/* The same, after a number of another stream (NULL: none), too. */
CUresult fake_submit_after(CUstream stream, void (*run)(void *params), const void *params,
                           size_t bytes, CUstream after, uint64_t number);
/* Waits for what was queued on a stream so far, unless that is recorded. Called without the
 * lock. */
CUresult fake_wait_stream(CUstream stream);
/* The first of all streams but the default ones. */
CUstream fake_streams(void);
/* Waits for all streams of a device. Called without the lock. */
CUresult fake_wait_device(int device);
/* Whether the work of a stream is recorded. Called without the lock. */
bool fake_is_captured(CUstream handle);
/* The stream of a handle in the current context. */
CUstream fake_find_stream(CUstream handle);
/* Whether this thread is in a host function. */
bool fake_in_host_function(void);

/* What CUPTI's double wants to know of work that is queued: called when it is, with the bytes that
 * are moved (0: a kernel, whose name `what` is); and, when it is done, with what that gave. NULL:
 * there is no such double. */
typedef struct fake_watcher {
    void *(*submitted)(const char *what, size_t bytes, int device, CUstream stream);
    void (*done)(void *work);
} fake_watcher;
FAKE_API extern _Atomic(const fake_watcher *) fake_cuda_watcher;

/* --- Captures (fake_graphs.c). All with the lock held. --- */

/* What the rules of captures say to the legacy stream, to a context and to a call that may do harm;
 * a capture that is in the way is broken. */
CUresult fake_check_legacy(CUcontext context);
CUresult fake_check_context(CUcontext context);
CUresult fake_check_unsafe(void);
/* For a captured stream: breaks the capture and gives `error`; records a task. */
CUresult fake_break_capture(CUstream stream, CUresult error);
CUresult fake_capture_task(CUstream stream, void (*run)(void *params), const void *params,
                           size_t bytes);
/* The capture of a stream; 0: none. */
uint64_t fake_capture_id(const struct CUstream_st *stream);
/* A stream waits for what `source` had recorded as number `at` in the capture `id`. */
CUresult fake_capture_wait(CUstream stream, uint64_t id, CUstream source, uint64_t at);

/* --- Memory (fake_memory.c) --- */

/* Says whether [address, address + bytes) lies in one living block. Takes the lock. */
bool fake_is_valid(CUdeviceptr address, size_t bytes);
void fake_check_guards(void);

/* --- Other processes (fake_ipc.c, with the help of fake_memory.c and fake_streams.c) --- */

/* The pages that hold the block of an address, and where it starts; false: it is no device
 * memory. */
bool fake_get_pages(CUdeviceptr address, char **pages, size_t *bytes, CUdeviceptr *start);
/* A block in memory of another process, and back: the pages and the block's bytes, or NULL. */
void fake_add_imported(char *address, size_t bytes, char *raw);
char *fake_take_imported(CUdeviceptr address, size_t *bytes);
/* The pages go back: what they were exported as is not theirs any more. */
void fake_forget_export(const char *pages);

/* What processes share of an event: how often it was recorded, and how much of that has come. */
typedef struct fake_progress {
    _Atomic(uint64_t) recorded, completed;
} fake_progress;
fake_progress *fake_progress_new(CUipcEventHandle *handle);
fake_progress *fake_progress_open(CUipcEventHandle handle);
/* A record has come; waits for all records that are asked for. */
void fake_progress_advance(fake_progress *progress);
void fake_progress_wait(fake_progress *progress);

/* --- What each function of the driver does, once it was entered --- */

#define FN(name, params, args) CUresult fake_##name params;
#include "backend/cuda/driver/driver.fn"

#endif
