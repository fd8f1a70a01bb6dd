/* How the forms of linear algebra share a stack out among threads. */
#ifndef TNI_HOST_LINALG_BATCH_H
#define TNI_HOST_LINALG_BATCH_H

#include "backend/host/forms/forms.h"
#include "backend/host/libraries/lapack.h"
#include "backend/host/loops/small/small_loops.h"
#include "core/base/error.h"
#include "forms/linalg.h"

#include <math.h>

enum { TNI_LINALG_AREAS = 4 };

/* The work on a stack. `run` does one matrix with the thread's areas, and returns LAPACK's info: 0
 * where it went well. `run_small` (NULL: there is none) does `count` matrices from one on, at most
 * small->lanes, and returns a bit for each that it leaves to `run`. */
typedef struct tni_linalg_job {
    const void *call;
    const tni_lapack *lapack;
    tn_dtype dtype;
    size_t item; /* bytes of an element */
    int64_t count;
    double operations;               /* on elements, for one matrix */
    size_t areas[TNI_LINALG_AREAS];  /* bytes of workspace, by area */
    int64_t sizes[TNI_LINALG_AREAS]; /* what LAPACK gets of areas: elements */
    int64_t (*run)(const struct tni_linalg_job *job, int64_t index, char *const *areas);
    const tni_small_loops *small;
    uint32_t (*run_small)(const struct tni_linalg_job *job, int64_t first, int count);
    const char *failure;
} tni_linalg_job;

/* A job over a stack of this dtype without areas; loads LAPACK. */
tn_status tni_linalg_begin(tni_linalg_job *job, const void *call, tn_dtype dtype, int64_t count,
                           const char *failure);
tn_status tni_linalg_run(const tni_linalg_job *job);

/* Has a stack of small real matrices done many at a time: m, n and `columns` are its sides,
 * at most `most`. */
void tni_linalg_take_small(tni_linalg_job *job, int64_t m, int64_t n, int64_t columns, int most,
                           uint32_t (*run_small)(const tni_linalg_job *, int64_t, int));

/* An area for `size` elements of `bytes` each, at least 1. */
static inline void tni_linalg_area(tni_linalg_job *job, int area, int64_t size, size_t bytes) {
    job->sizes[area] = size > 0 ? size : 1;
    job->areas[area] = (size_t)job->sizes[area] * bytes;
}

/* The size of a workspace as LAPACK answers: in an element of the dtype, rounded. */
int64_t tni_linalg_size(const void *answer, tn_dtype dtype);

/* Makes n elements of the dtype NaN. */
void tni_linalg_fill_nan(void *elements, int64_t n, tn_dtype dtype);

bool tni_linalg_is_finite(const void *elements, int64_t n, tn_dtype dtype);

static inline tn_dtype tni_linalg_real(tn_dtype dtype) {
    return dtype == TN_C64 ? TN_F32 : dtype == TN_C128 ? TN_F64 : dtype;
}
static inline bool tni_linalg_is_complex(tn_dtype dtype) {
    return dtype == TN_C64 || dtype == TN_C128;
}

#endif
