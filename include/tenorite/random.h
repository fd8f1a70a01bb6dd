/* Random numbers.
 *
 * What a generator gives depends on its seed and the calls so far alone, so the numbers are the
 * same on every device, for any number of threads. Words are those of cuRAND's device generators
 * of the same names, for a seed, a sequence and an offset. Methods and their sources:
 * src/ops/random.h. */
#ifndef TENORITE_RANDOM_H
#define TENORITE_RANDOM_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tn_distribution {
#define FILLED(NAME, name) TN_RANDOM_##NAME,
#define DRAWN(NAME, name, parameters, kind) TN_RANDOM_##NAME,
#include <tenorite/distributions.def>
    tn_distribution_count
} tn_distribution;

enum { TN_RANDOM_PARAMETERS = 3 };

typedef enum tn_generator_kind {
    TN_GENERATOR_PHILOX4X32_10,
    TN_GENERATOR_XORWOW,
    TN_GENERATOR_MRG32K3A
} tn_generator_kind;

/* States of sequences side by side: a C-contiguous u32 array of this shape. */
enum { TN_GENERATOR_ROWS = 6, TN_GENERATOR_LANES = 16384 };

/* Of Philox the words are a function of seed and position, which counts blocks of four words; each
 * call moves it after what the call may use. The others have their states in `lanes`, on the
 * device that they are used on; element i of a call takes words of sequence i modulo
 * TN_GENERATOR_LANES. Two threads may not use one generator at once. */
typedef struct tn_generator {
    tn_generator_kind kind;
    uint64_t seed, position;
    tn_array *lanes; /* NULL of Philox */
} tn_generator;

/* The states of a seed, row by row, before any call: sequence i in column i, at offset 0. Takes
 * some 10 ms. TN_ERROR_VALUE for a kind without. */
TN_API tn_status tn_generator_make_lanes(uint32_t *to, tn_generator_kind kind, uint64_t seed);
/* Moves states `jumps` times TN_GENERATOR_LANES sequences on, in place: no word of theirs comes
 * again, as long as no sequence is drawn to its end. */
TN_API tn_status tn_generator_jump_lanes(uint32_t *lanes, tn_generator_kind kind, uint64_t jumps);

/* What to draw; zero it, and set scale to 1, for the defaults. */
typedef struct tn_draw {
    tn_distribution distribution;
    /* The result is value * scale + location, for distributions of floats. */
    double location, scale;
    /* TN_RANDOM_BOUNDED: integers from `low` to `low + span`, all of them equally likely; the sum
     * wraps in the result's dtype. */
    int64_t low;
    uint64_t span;
    /* Of drawn distributions: arrays that broadcast to the result's shape, or NULL and a number.
     * Numbers of TN_RANDOM_SPAN, integers from 0 to the parameter, are u64, all others f64. */
    const tn_array *arrays[TN_RANDOM_PARAMETERS];
    double numbers[TN_RANDOM_PARAMETERS];
} tn_draw;

/* The distribution of a name ("gamma"), tn_distribution_count if there is none. */
TN_API tn_distribution tn_distribution_find(const char *name);
/* How many parameters it has. */
TN_API int tn_distribution_parameters(tn_distribution distribution);

/* Writes random numbers to every element of an array. Distributions of floats write f32 or f64,
 * those of integers i64, WORDS u32 or u64, BOUNDED any integers or bools. Parameters are not
 * looked at: one that means nothing gives numbers that mean nothing. TN_ERROR_TYPE for another
 * dtype, TN_ERROR_VALUE for an array that is read-only or not contiguous in order C, and for
 * shapes that do not broadcast. */
TN_API tn_status tn_random_fill(tn_array *result, tn_generator *generator, const tn_draw *draw,
                                tn_stream *stream);
/* Shares a total out among the outcomes of the last axis of an int64 array, as the multinomial
 * distribution does by chances that add up to 1 (TN_RANDOM_BINOMIAL), or as a sample without
 * replacement does by the items of each outcome (TN_RANDOM_HYPERGEOMETRIC): each outcome draws of
 * what those before it left, the last one takes the rest. `totals`, or NULL, are int64 of each
 * element of the other axes, or broadcast to them, instead of `total`. */
TN_API tn_status tn_random_parts(tn_array *result, tn_generator *generator,
                                 tn_distribution distribution, int64_t total,
                                 const tn_array *totals, const double *weights, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
