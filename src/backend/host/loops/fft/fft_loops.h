/* Fourier transforms of lines: what one instruction-set level offers.
 *
 * Lines are transformed `lanes` at a time. In a *block* element k of all lines is a vector of
 * real parts and a vector of imaginary parts, at 2 lanes k, so that each step of a transform is
 * one of whole vectors, whatever the length. All sizes and distances are counted in real numbers.
 *
 * Transforms have the sign of exp(-2 pi i jk / n). One of the other sign is this one with real
 * and imaginary parts exchanged on the way in and on the way out. */
#ifndef TNI_FFT_LOOPS_H
#define TNI_FFT_LOOPS_H

#include "backend/host/loops/fft/cosine_loops.h"

#include <stdbool.h>
#include <stdint.h>

/* The most vectors of bytes of a level, the largest odd factor of a pass, and the most passes. */
enum { TNI_FFT_VECTOR_BYTES = 64, TNI_FFT_MOST_RADIX = 47, TNI_FFT_MOST_PASSES = 48 };

/* One pass of a transform (Stockham's): n = before * radix * after. */
typedef struct tni_fft_pass {
    int radix;
    int64_t before, after;
    const void *twiddles; /* [after][radix - 1], complex; NULL where after is 1 */
    const void *roots;    /* [radix]: exp(2 pi i k / radix), complex, of odd radices */
} tni_fft_pass;

/* A transform of blocks: passes, or (inner not NULL) Bluestein's convolution by a longer one. */
typedef struct tni_fft_lanes {
    int64_t n, room; /* room: elements that the buffers need */
    int pass_count;
    bool enters, leaves; /* whether the first pass can load and the last one store */
    tni_fft_pass passes[TNI_FFT_MOST_PASSES];
    const struct tni_fft_lanes *inner;
    const void *chirp;    /* [n]: exp(-pi i k^2 / n) */
    const void *spectrum; /* [inner->n]: of the conjugate chirp, divided by inner->n */
} tni_fft_lanes;

/* Where elements lie in memory: the parts of element k of line l are at k * step + l * apart. */
typedef struct tni_fft_place {
    void *re, *im; /* im NULL: read as zeros, not written */
    int64_t step, apart;
    int lanes;                 /* lines that there are, at most a block's */
    double scale_re, scale_im; /* of what is written */
} tni_fft_place;

/* A turn of the four-step algorithm: the block `from` of `count` elements (the rows k of `lanes`
 * columns) times twiddles, as blocks whose lanes are the rows, at `to` + (k / lanes) * to_apart. */
typedef struct tni_fft_turn {
    void *to;
    const void *from;
    int64_t to_apart, count;
    int columns;
    const void *twiddles; /* [count] in the form of a block */
    const void *bases;    /* [count], complex factors more; may be NULL */
} tni_fft_turn;

typedef void (*tni_fft_line_loop)(void *to, const void *from, int64_t half, const void *roots,
                                  int64_t begin, int64_t end);

typedef struct tni_fft_loops {
    int lanes;
    /* Transforms the block in a; b is of the same size. Returns the one that has the result. */
    void *(*transform)(const tni_fft_lanes *plan, void *a, void *b);
    /* The same from pass to pass, of a transform that is no convolution. */
    void *(*run_passes)(const tni_fft_lanes *plan, void *a, void *b, int first, int end);
    /* The first pass of blocks of columns that lie beside each other, from memory. */
    void (*enter)(const tni_fft_lanes *plan, char *const *blocks, int count,
                  const tni_fft_place *from);
    /* Their last pass to memory; of one block, into the turn `turn` of it. */
    void (*leave)(const tni_fft_lanes *plan, char *const *blocks, int count,
                  const tni_fft_place *to);
    void (*leave_turned)(const tni_fft_lanes *plan, const void *block, const tni_fft_turn *turn);
    void (*load)(void *block, const tni_fft_place *from, int64_t count);
    void (*store)(const tni_fft_place *to, const void *block, int64_t count);
    void (*turn)(const tni_fft_turn *turn);
    /* In place: what the transform of 2 half real numbers is (half + 1 elements), from that of
     * half complex ones, made of pairs. `roots`: exp(-pi i k / half) for k <= half / 2. */
    void (*split)(void *block, int64_t half, const void *roots);
    /* In place, the opposite: from half + 1 elements, times 2, and with parts exchanged. */
    void (*join)(void *block, int64_t half, const void *roots);
    /* The same of elements [begin, end) and those that mirror them of one line of complex numbers
     * without gaps, of 0 <= k <= half / 2. `to` may be `from` where the line is split. */
    tni_fft_line_loop split_line, join_line;
    void (*conjugate)(void *block, int64_t count);
    /* In place: elements above n / 2 as the conjugates of those below, the first one real. */
    void (*mirror)(void *block, int64_t n);
    /* to[k] = a[k] b[k], complex numbers without gaps. */
    void (*multiply)(void *to, const void *a, const void *b, int64_t count);
    /* Two blocks of real lines that are transformed as the parts of complex ones; n is odd. The
     * first n / 2 + 1 elements of both results, from that of the block; the second from its
     * imaginary parts. */
    void (*part_lines)(void *block, void *second, int64_t n);
    /* The opposite: a block of n elements from the first n / 2 + 1 of two, or (conjugates) of their
     * conjugates. */
    void (*join_lines)(void *block, const void *second, int64_t n, bool conjugates);
    tni_cosine_loops cosine;
} tni_fft_loops;

#endif
