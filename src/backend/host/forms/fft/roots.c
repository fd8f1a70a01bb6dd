/* Roots of unity: each is the product of one of few coarse ones and one of few fine ones, in long
 * double, so that n of them cost 2 sqrt(n) sines. */
#include "backend/host/forms/fft/roots.h"

#include "core/base/alloc.h"

#include <math.h>

/* exp(-2 pi i k / n) by an angle of at most pi / 4, which keeps symmetries exact. */
static void root_of(int64_t k, int64_t n, long double root[2]) {
    const long double turn = 6.283185307179586476925286766559005768L;
    const int64_t eighths = 8 * k / n;
    /* The octant's nearer axis is 0, n/4, n/2, 3n/4 or n. */
    const int64_t quarters = (eighths + 1) / 2;
    const long double angle = turn * (long double)(4 * k - quarters * n) / (4 * (long double)n);
    const long double c = cosl(angle), s = sinl(angle);
    const long double cosines[4] = {c, -s, -c, s}, sines[4] = {s, c, -s, -c};
    root[0] = cosines[quarters % 4];
    root[1] = -sines[quarters % 4];
}

tn_status tni_fft_roots_begin(tni_fft_roots *roots, int64_t n) {
    roots->n = n;
    roots->fine_count = 1;
    while (roots->fine_count * roots->fine_count < n)
        roots->fine_count *= 2;
    const int64_t coarse_count = n / roots->fine_count + 1;
    const size_t bytes = (size_t)(2 * (roots->fine_count + coarse_count)) * sizeof(long double);
    roots->fine = tni_malloc(bytes);
    if (!roots->fine) return tni_fail_no_memory(bytes);
    roots->coarse = roots->fine + 2 * roots->fine_count;
    for (int64_t k = 0; k < roots->fine_count; k++)
        root_of(k % n, n, roots->fine + 2 * k);
    for (int64_t k = 0; k < coarse_count; k++)
        root_of(k * roots->fine_count % n, n, roots->coarse + 2 * k);
    return TN_OK;
}

void tni_fft_roots_end(tni_fft_roots *roots) {
    tni_free(roots->fine);
    roots->fine = NULL;
}

static void put(void *to, int64_t at, int64_t part, long double value) {
    if (part == 4)
        ((float *)to)[at] = (float)value;
    else
        ((double *)to)[at] = (double)value;
}

void tni_fft_root(const tni_fft_roots *roots, int64_t k, void *to, int64_t at, int64_t part) {
    const long double *a = roots->coarse + 2 * (k / roots->fine_count);
    const long double *b = roots->fine + 2 * (k % roots->fine_count);
    put(to, 2 * at, part, a[0] * b[0] - a[1] * b[1]);
    put(to, 2 * at + 1, part, a[0] * b[1] + a[1] * b[0]);
}
