/* A test double of cuFFT: direct sums over the double's device memory, in the stream's order.
 *
 * It behaves as the real one where that is inconvenient: a transform back to real numbers destroys
 * its input and takes the imaginary part of its first element for more than it is; work areas are
 * written; both addresses must be aligned to complex numbers. It complains of a transform whose
 * stream or work area another thread has set, and of work areas that two transforms share. */
#include "fake_cufft.h"

#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FN(name, params) FAKE_API int name params;
#include "backend/cuda/libraries/cufft.fn"
#define FN(name, params, args) CUresult name params;
#include "backend/cuda/driver/driver.fn"

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, DOUBLE = 0x40 };
enum { SUCCESS, INVALID_PLAN, ALLOC_FAILED, INVALID_TYPE, INVALID_VALUE, EXEC_FAILED = 6 };
enum { INVALID_SIZE = 8, UNALIGNED = 9, PLANS = 4096, TABLE_BYTES = 256, AREA_WORDS = 64 };

typedef struct plan {
    fake_transforms what;
    bool is_made, allocates;
    CUdeviceptr table;
    CUstream stream;
    uint64_t *area;
    pthread_t owner; /* the thread that has set the stream */
    atomic_bool is_busy;
    atomic_int pending;
    struct task *tasks;
} plan;

/* One transform that was queued; a graph may run it more than once. */
typedef struct task {
    struct task *next;
    plan *of;
    char *input, *output;
    uint64_t *area, mark;
    int direction;
    bool is_recorded;
} task;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static plan *plans[PLANS];
static fake_transforms last;
static long made, living;
static atomic_long transforms;
static int fail_in, fail_status;
static char complaint[256];

static void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    if (!complaint[0]) vsnprintf(complaint, sizeof complaint, format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

const char *fake_cufft_complaint(void) {
    return complaint;
}
void fake_cufft_fail(int n, int status) {
    fail_in = n;
    fail_status = status;
}
long fake_cufft_made(void) {
    return made;
}
long fake_cufft_transforms(void) {
    return atomic_load(&transforms);
}
long fake_cufft_plans(void) {
    return living;
}
fake_transforms fake_cufft_get(void) {
    return last;
}

/* --- Plans --- */

static plan *find(int handle) {
    pthread_mutex_lock(&lock);
    plan *p = handle >= 0 && handle < PLANS ? plans[handle] : NULL;
    pthread_mutex_unlock(&lock);
    return p;
}

int cufftGetVersion(int *version) {
    *version = 12000;
    return SUCCESS;
}

int cufftCreate(int *handle) {
    plan *p = calloc(1, sizeof *p);
    p->allocates = true;
    pthread_mutex_lock(&lock);
    *handle = 0;
    while (*handle < PLANS && plans[*handle])
        ++*handle;
    if (*handle < PLANS) plans[*handle] = p;
    living++;
    pthread_mutex_unlock(&lock);
    return *handle < PLANS ? SUCCESS : ALLOC_FAILED;
}

/* As the driver does where memory is freed, it waits for what still runs. */
int cufftDestroy(int handle) {
    plan *p = find(handle);
    if (!p) return INVALID_PLAN;
    while (atomic_load(&p->pending) > 0)
        usleep(100);
    if (p->table && cuMemFree_v2(p->table) != CUDA_SUCCESS) complain("a table can't be freed");
    while (p->tasks) {
        task *next = p->tasks->next;
        free(p->tasks);
        p->tasks = next;
    }
    pthread_mutex_lock(&lock);
    plans[handle] = NULL;
    living--;
    pthread_mutex_unlock(&lock);
    free(p);
    return SUCCESS;
}

int cufftSetAutoAllocation(int handle, int automatic) {
    plan *p = find(handle);
    if (!p || p->is_made) return INVALID_PLAN;
    p->allocates = automatic;
    return SUCCESS;
}

static long long half(long long n) {
    return n / 2 + 1;
}

/* An axis' elements on a side. */
static long long extent(const fake_transforms *w, int k, bool is_output) {
    const int kind = w->type & ~DOUBLE;
    const bool is_half = k == w->rank - 1 && kind == (is_output ? R2C : C2R);
    return is_half ? half(w->n[k]) : w->n[k];
}

static int check_side(const fake_transforms *w, const long long *embed, long long stride,
                      long long dist, bool is_output) {
    if (stride < 1 || (w->batch > 1 && dist < 1)) return INVALID_VALUE;
    for (int k = 1; k < w->rank; k++)
        if (embed[k] < extent(w, k, is_output)) return INVALID_SIZE;
    return SUCCESS;
}

static void set_plain(fake_transforms *w, long long *embed, long long *stride, long long *dist,
                      bool is_output) {
    *stride = *dist = 1;
    for (int k = 0; k < w->rank; k++)
        *dist *= embed[k] = extent(w, k, is_output);
}

static int read_sizes(fake_transforms *w, const long long *n, const long long *inembed,
                      const long long *onembed) {
    const int kind = w->type & ~DOUBLE;
    if (kind != C2C && kind != R2C && kind != C2R) return INVALID_TYPE;
    if (w->rank < 1 || w->rank > 3 || w->batch < 1) return INVALID_VALUE;
    if (!inembed != !onembed) return INVALID_VALUE;
    for (int k = 0; k < w->rank; k++)
        if ((w->n[k] = n[k]) < 1) return INVALID_SIZE;
    w->is_plain = !inembed;
    if (w->is_plain) {
        set_plain(w, w->inembed, &w->istride, &w->idist, false);
        set_plain(w, w->onembed, &w->ostride, &w->odist, true);
        return SUCCESS;
    }
    memcpy(w->inembed, inembed, (size_t)w->rank * sizeof *inembed);
    memcpy(w->onembed, onembed, (size_t)w->rank * sizeof *onembed);
    const int status = check_side(w, w->inembed, w->istride, w->idist, false);
    return status ? status : check_side(w, w->onembed, w->ostride, w->odist, true);
}

int cufftMakePlanMany64(int handle, int rank, long long *n, long long *inembed, long long istride,
                        long long idist, long long *onembed, long long ostride, long long odist,
                        int type, long long batch, size_t *bytes) {
    plan *p = find(handle);
    fake_transforms w = {.type = type,
                         .rank = rank,
                         .istride = istride,
                         .ostride = ostride,
                         .idist = idist,
                         .odist = odist,
                         .batch = batch};
    if (!p || p->is_made) return INVALID_PLAN;
    if (p->allocates) complain("a plan would allocate its work area by itself");
    pthread_mutex_lock(&lock);
    const bool fails = fail_in > 0 && --fail_in == 0;
    pthread_mutex_unlock(&lock);
    if (fails) return fail_status;
    const int status = read_sizes(&w, n, inembed, onembed);
    if (status) return status;
    if (cuMemAlloc_v2(&p->table, TABLE_BYTES) != CUDA_SUCCESS) return ALLOC_FAILED;
    p->what = w;
    p->is_made = true;
    pthread_mutex_lock(&lock);
    last = w;
    made++;
    pthread_mutex_unlock(&lock);
    *bytes = w.n[0] % 2 ? AREA_WORDS * sizeof(uint64_t) : 0;
    return SUCCESS;
}

int cufftSetStream(int handle, CUstream stream) {
    plan *p = find(handle);
    if (!p || !p->is_made) return INVALID_PLAN;
    p->stream = stream;
    p->owner = pthread_self();
    return SUCCESS;
}

int cufftSetWorkArea(int handle, void *area) {
    plan *p = find(handle);
    if (!p || !p->is_made || !area) return INVALID_PLAN;
    if (!pthread_equal(p->owner, pthread_self())) complain("the work area of another thread's use");
    p->area = area;
    return SUCCESS;
}

/* --- Sums --- */

typedef complex double number;

static number load(const char *at, bool is_wide, bool is_real) {
    double parts[2] = {0, 0};
    for (int k = 0; k < (is_real ? 1 : 2); k++)
        parts[k] = is_wide ? ((const double *)(const void *)at)[k]
                           : (double)((const float *)(const void *)at)[k];
    return parts[0] + parts[1] * I;
}

static void store(char *at, number value, bool is_wide, bool is_real) {
    const double parts[2] = {creal(value), cimag(value)};
    for (int k = 0; k < (is_real ? 1 : 2); k++)
        if (is_wide)
            ((double *)(void *)at)[k] = parts[k];
        else
            ((float *)(void *)at)[k] = (float)parts[k];
}

/* The place of element `at` (by rows of the logical axes) in elements of a side. */
static long long place_of(const fake_transforms *w, const long long *at, bool is_output) {
    const long long *embed = is_output ? w->onembed : w->inembed;
    long long place = 0;
    for (int k = 0; k < w->rank; k++)
        place = (k ? place * embed[k] : 0) + at[k];
    return place * (is_output ? w->ostride : w->istride);
}

static void split(const fake_transforms *w, long long number, long long *at) {
    for (int k = w->rank - 1; k >= 0; k--) {
        at[k] = number % w->n[k];
        number /= w->n[k];
    }
}

/* Along one axis, in place. */
static void sum_axis(const fake_transforms *w, number *x, int axis, int direction) {
    long long inner = 1, outer = 1;
    const long long n = w->n[axis];
    for (int k = axis + 1; k < w->rank; k++)
        inner *= w->n[k];
    for (int k = 0; k < axis; k++)
        outer *= w->n[k];
    number *line = malloc((size_t)n * sizeof *line);
    for (long long o = 0; o < outer; o++)
        for (long long i = 0; i < inner; i++) {
            number *at = x + o * n * inner + i;
            for (long long k = 0; k < n; k++) {
                line[k] = 0;
                for (long long j = 0; j < n; j++)
                    line[k] += at[j * inner] *
                               cexp(direction * 2 * M_PI * I * (double)(j * k % n) / (double)n);
            }
            for (long long k = 0; k < n; k++)
                at[k * inner] = line[k];
        }
    free(line);
}

/* One transform of the batch. Of the half of a Hermitian input (of one axis) the rest is made; the
 * imaginary part of its first element spoils all. */
static void transform(const task *t, long long batch, number *x, long long count) {
    const fake_transforms *w = &t->of->what;
    const int kind = w->type & ~DOUBLE;
    const bool is_wide = w->type & DOUBLE;
    const long long item = is_wide ? 16 : 8;
    const long long item_in = kind == R2C ? item / 2 : item,
                    item_out = kind == C2R ? item / 2 : item;
    const char *input = t->input + batch * w->idist * item_in;
    char *output = t->output + batch * w->odist * item_out;
    long long at[3];
    for (long long k = 0; k < count; k++) {
        split(w, k, at);
        const bool mirrors = kind == C2R && at[0] >= half(w->n[0]);
        if (mirrors) at[0] = w->n[0] - at[0];
        x[k] = load(input + place_of(w, at, false) * item_in, is_wide, kind == R2C);
        if (mirrors) x[k] = conj(x[k]);
        if (kind == C2R && k == 0) x[k] += cimag(x[k]);
    }
    for (int axis = 0; axis < w->rank; axis++)
        sum_axis(w, x, axis, kind == R2C ? -1 : kind == C2R ? 1 : t->direction);
    for (long long k = 0; k < count; k++) {
        split(w, k, at);
        if (at[w->rank - 1] < extent(w, w->rank - 1, true))
            store(output + place_of(w, at, true) * item_out, x[k], is_wide, kind == C2R);
        if (kind == C2R && at[0] < half(w->n[0])) /* what was the input is nothing any more */
            store((char *)(uintptr_t)input + place_of(w, at, false) * item_in, NAN, is_wide, false);
    }
}

static void run(void *context) {
    task *t = context;
    const fake_transforms *w = &t->of->what;
    long long count = 1;
    for (int k = 0; t->area && k < AREA_WORDS; k++)
        t->area[k] = t->mark;
    for (int k = 0; k < w->rank; k++)
        count *= w->n[k];
    number *x = malloc((size_t)count * sizeof *x);
    for (long long batch = 0; batch < w->batch; batch++)
        transform(t, batch, x, count);
    free(x);
    for (int k = 0; t->area && k < AREA_WORDS; k++)
        if (t->area[k] != t->mark) complain("a work area was written by others");
    if (!t->is_recorded) atomic_fetch_sub(&t->of->pending, 1);
}

/* --- Calls --- */

static int execute(int handle, int kind, void *input, void *output, int direction) {
    plan *p = find(handle);
    if (!p || !p->is_made) return INVALID_PLAN;
    if (p->what.type != kind || (direction != 1 && direction != -1)) return INVALID_TYPE;
    if (((uintptr_t)input | (uintptr_t)output) % (p->what.type & DOUBLE ? 16 : 8)) return UNALIGNED;
    if (input == output && (kind & ~DOUBLE) != C2C) return INVALID_VALUE;
    if (!pthread_equal(p->owner, pthread_self())) complain("another thread has set the stream");
    if (p->what.n[0] % 2 && !p->area) complain("a transform without its work area");
    if (atomic_exchange(&p->is_busy, true)) complain("two threads use one plan");
    task *t = calloc(1, sizeof *t);
    *t = (task){p->tasks, p, input, output, p->what.n[0] % 2 ? p->area : NULL, 0, direction, false};
    t->mark = (uint64_t)atomic_fetch_add(&transforms, 1) * 2654435761u;
    p->tasks = t;
    p->area = NULL;
    const CUstream stream = p->stream;
    CUstreamCaptureStatus captured = CU_STREAM_CAPTURE_STATUS_NONE;
    if (cuStreamIsCapturing(stream, &captured) != CUDA_SUCCESS) captured = 0;
    t->is_recorded = captured != CU_STREAM_CAPTURE_STATUS_NONE;
    if (!t->is_recorded) atomic_fetch_add(&p->pending, 1);
    atomic_store(&p->is_busy, false);
    return cuLaunchHostFunc(stream, run, t) == CUDA_SUCCESS ? SUCCESS : EXEC_FAILED;
}

int cufftExecC2C(int handle, void *input, void *output, int direction) {
    return execute(handle, C2C, input, output, direction);
}
int cufftExecZ2Z(int handle, void *input, void *output, int direction) {
    return execute(handle, C2C + DOUBLE, input, output, direction);
}
#define REAL(name, kind)                                                                           \
    int name(int handle, void *input, void *output) {                                              \
        return execute(handle, kind, input, output, 1);                                            \
    }
REAL(cufftExecR2C, R2C)
REAL(cufftExecD2Z, R2C + DOUBLE)
REAL(cufftExecC2R, C2R)
REAL(cufftExecZ2D, C2R + DOUBLE)
