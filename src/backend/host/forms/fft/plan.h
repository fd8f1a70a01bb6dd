/* Prepared transforms of the host: tables of one length and precision, kept among the plans
 * (backend/fft_plans.h). */
#ifndef TNI_HOST_FFT_PLAN_H
#define TNI_HOST_FFT_PLAN_H

#include "backend/fft_plans.h"
#include "backend/host/loops/fft/fft_loops.h"

/* What a plan is made for: blocks of lines, or one line at a time (as long or longer). */
typedef enum tni_fft_way { TNI_FFT_BLOCKS, TNI_FFT_LINE } tni_fft_way;

/* What a plan is for. */
typedef struct tni_fft_wish {
    int64_t n, part; /* complex numbers, and bytes of a part */
    tni_fft_way way;
    bool is_half; /* for 2 n real numbers */
    int type;     /* of the cosines that need turns, else 0; they are for `cosines` numbers */
    int64_t cosines;
} tni_fft_wish;

/* A prepared transform of n complex numbers.
 *
 * A line that is no block is a matrix of `rows` x `columns` (the four-step algorithm: its columns
 * are transformed, multiplied with twiddles, and become the rows of which the transforms are
 * elements that lie `rows` apart), or (convolved not NULL) Bluestein's convolution by a longer
 * line. */
typedef struct tni_fft_host_plan {
    tni_fft_plan head;
    const tni_fft_loops *loops;
    int64_t part; /* bytes of a real number */
    int64_t n, rows, columns;
    tni_fft_lanes *first, *second; /* the transform of blocks; of columns and of rows */
    char *twiddles;                /* by blocks of columns, or for all blocks (bases not NULL) */
    char *bases;
    struct tni_fft_host_plan *convolved;
    char *chirp, *spectrum;
    char *halves; /* of transforms of 2 n real numbers: exp(-pi i k / n), k <= n / 2 */
    char *turns;  /* of cosines (loops/cosine_loops.h) */
    void *owned[24];
    int owned_count;
} tni_fft_host_plan;

/* Finds or makes a plan. To be released with tni_fft_plan_release(). */
tn_status tni_fft_host_plan_get(tni_fft_host_plan **plan, const tni_fft_wish *wish);

/* Whether blocks of this length fit the caches, and whether a single line is better off as a
 * matrix. */
bool tni_fft_fits_block(int64_t n, int64_t part);
bool tni_fft_is_line(int64_t n, int64_t part);
int tni_fft_lane_count(int64_t part);

#endif
