/* Inner loops of convolutions: what one instruction-set level offers for a dtype.
 *
 * They run over places: runs of numbers of the working type (W: f32 or f64) of a source, which lies
 * as a lattice (forms/neural/lattice.h), so that a tap of a filter is an offset and a run of places
 * is read at that offset as it lies. Whole vectors are read and written: sources have `slack` more
 * elements than their places, and sums lie `apart`, a multiple of `lanes`. */
#ifndef TNI_CONVOLVE_LOOPS_H
#define TNI_CONVOLVE_LOOPS_H

#include <tenorite/dtype.h>

#include <stdbool.h>

enum { TNI_DOT_ROWS = 4, TNI_DOT_COLUMNS = 6 };

/* sums[row][place] (+)= sum over d of weights[d][row] * source[offsets[d] + place] */
typedef struct tni_convolve_product {
    int rows; /* 1, 2, 4 or the most of the loops */
    bool accumulates;
    int64_t depth, places, apart;
    const void *weights, *source;
    const int64_t *offsets;
    void *sums;
} tni_convolve_product;

/* sums[row][column] += sum over places of rows[row][place] * source[offsets[column] + place] of
 * TNI_DOT_COLUMNS columns and one row, or TNI_DOT_ROWS, whose sums lie `sums_apart`. Places are a
 * multiple of `lanes`. */
typedef struct tni_convolve_dot {
    bool is_single;
    int64_t places, apart, sums_apart;
    const void *rows, *source;
    const int64_t *offsets;
    void *sums;
} tni_convolve_dot;

/* Rows of channels beside each other, `lanes` of them at least, each with filters of its own:
 * rows[place][channel] = sum over taps of filters[tap][channel] * sources[tap][place][channel], or
 * filters[tap][channel] += sum over places of rows[place][channel] * sources[tap][place][channel].
 * Places lie apart, in elements. With filters of `depth` channels of the source, each for all
 * channels of a row and `filter_apart` from the next: rows[place][channel] (+)= sum over taps and d
 * of filters[tap][d][channel] * sources[tap][place][d]. */
typedef struct tni_convolve_vectors {
    int64_t taps, places, channels, apart, source_apart;
    int64_t depth, filter_apart;
    bool accumulates; /* the last vector of channels is a whole one */
    const void *const *sources;
    void *const *filters;
    void *rows;
} tni_convolve_vectors;

/* sums[k][channel] (+)= sum over rows and places of left[row][k, place] *
 * right[row][place][channel] for `count` k, which lie `apart` in left, places `step`, in elements.
 * Places of right and rows of sums have one or two vectors of channels. */
typedef struct tni_convolve_outer {
    bool accumulates;
    int vectors;
    int64_t rows, places, count, apart, step;
    const void *const *left, *const *right; /* of each row */
    void *sums;
} tni_convolve_outer;

/* Rows of `count` elements, apart and at a stride in bytes, and as runs of W that lie `run_apart`
 * elements apart. */
typedef struct tni_convolve_rows {
    int64_t rows, count, apart, stride, run_apart;
} tni_convolve_rows;

typedef struct tni_convolve_loops {
    int64_t element;     /* bytes of W */
    int64_t lanes, rows; /* of a vector; of a product, at most */
    int64_t slack;
    /* Elements at a stride in bytes as a run of W, and the way back, as alpha * run + beta * to. */
    void (*load)(void *run, const char *from, int64_t stride, int64_t count);
    void (*store)(char *to, int64_t stride, const void *run, int64_t count, double alpha,
                  double beta);
    /* The same of rows. load_rows() writes `before` and `after` times `outside` around each. */
    void (*load_rows)(void *runs, const char *from, const tni_convolve_rows *rows, int64_t before,
                      int64_t after, double outside);
    void (*store_rows)(char *to, const void *runs, const tni_convolve_rows *rows, double alpha,
                       double beta);
    /* The elements at places (in bytes) as numbers that lie `apart`. */
    void (*pick)(void *to, int64_t apart, const char *from, const int64_t *places, int64_t count);
    void (*multiply)(const tni_convolve_product *product);
    void (*multiply_channels)(const tni_convolve_vectors *channels);
    void (*multiply_depth)(const tni_convolve_vectors *channels);
    void (*multiply_outer)(const tni_convolve_outer *product);
    void (*dot)(const tni_convolve_dot *dot);
    void (*dot_channels)(const tni_convolve_vectors *channels);
    void (*add)(void *to, const void *from, int64_t count);
    /* Elements of two runs in turn: to[2 k] = even[k], to[2 k + 1] = odd[k], `count` in all. */
    void (*merge)(void *to, const void *even, const void *odd, int64_t count);
    /* to[column][row] = from[row][column]; rows lie apart in elements. */
    void (*transpose)(void *to, int64_t to_apart, const void *from, int64_t from_apart,
                      int64_t rows, int64_t columns);
} tni_convolve_loops;

#endif
