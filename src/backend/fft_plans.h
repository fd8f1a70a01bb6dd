/* The plans of Fourier transforms that are kept, for each device apart.
 *
 * A plan is what a backend has prepared for transforms of one key (tables, a handle of a library).
 * The most recently used ones stay, up to a number of plans and of bytes; a plan that is in use
 * lives on until it is released, cached or not. Any thread may call. */
#ifndef TNI_FFT_PLANS_H
#define TNI_FFT_PLANS_H

#include "core/base/error.h"

#include <tenorite/device.h>
#include <tenorite/fft.h>

#include <stdatomic.h>

enum { TNI_FFT_KEY_WORDS = 24 };

typedef struct tni_fft_key {
    int64_t words[TNI_FFT_KEY_WORDS]; /* the unused ones 0 */
} tni_fft_key;

/* The head of a plan; what follows is the backend's. */
typedef struct tni_fft_plan {
    tni_fft_key key;
    atomic_int users;
    int64_t bytes;
    void (*destroy)(struct tni_fft_plan *plan);
    struct tni_fft_plan *older, *newer;
} tni_fft_plan;

/* A plan with the key, retained; NULL: none. */
tni_fft_plan *tni_fft_cache_find(tn_device device, const tni_fft_key *key);
/* Keeps a new plan of one user (the caller) in the cache, which may drop others, or this one. */
void tni_fft_cache_add(tn_device device, tni_fft_plan *plan);
void tni_fft_plan_release(tni_fft_plan *plan);

#endif
