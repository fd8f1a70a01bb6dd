/* The form "histogram" on the host.
 *
 * A block of values becomes numbers of bins, then those are counted. The row is cut into pieces
 * that depend on the number of values and bins alone, each with a table of its own; the tables
 * are added in order, so that sums of weights have the same bits with any number of threads. Few
 * bins are counted in several tables by turns: one addition does not wait for the one before to
 * the same bin. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "forms/samples.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512, PIECES = 16, PIECE_LEAST = 1 << 15, TURNS = 4, TURN_BINS = 512 };

typedef struct counting {
    const tni_histogram *call;
    /* What is in no bin goes to `bins`. NULL: integers are their own bins. */
    void (*place)(int64_t *bins, const tni_histogram *call, const void *values, int64_t n);
    /* Most bins at once, by `guess`, and then the doubtful ones; NULL: by `place`. */
    bool (*place_most)(int64_t *bins, const void *values, int64_t n, const tni_bin_guess *guess);
    void (*place_doubtful)(int64_t *bins, const tni_histogram *call, const void *values, int64_t n);
    tni_bin_guess guess;
    tni_loop convert; /* NULL: values lie as they are compared */
    int64_t piece, pieces;
    char *tables; /* of 8 bytes a bin, of all pieces but the first */
} counting;

/* --- The bins of a block --- */

/* The guess is mended by the edges, which alone say what a bin is. */
#define PLACE_EVEN(name, type)                                                                     \
    static int64_t mend_##name(const tni_histogram *call, type value, int64_t bin) {               \
        const type *edges = (const type *)(const void *)call->edges;                               \
        const int64_t count = call->bins;                                                          \
        if (!(value >= edges[0] && value <= edges[count])) return count;                           \
        while (value < edges[bin])                                                                 \
            bin--;                                                                                 \
        while (bin + 1 < count && value >= edges[bin + 1])                                         \
            bin++;                                                                                 \
        return bin;                                                                                \
    }                                                                                              \
    static int64_t place_one_##name(const tni_histogram *call, type value) {                       \
        const double guess = ((double)value - call->first) * call->scale;                          \
        const int64_t last = call->bins - 1;                                                       \
        return mend_##name(call, value,                                                            \
                           !(guess > 0)           ? 0                                              \
                           : guess < (double)last ? (int64_t)guess                                 \
                                                  : last);                                         \
    }                                                                                              \
    static void place_even_##name(int64_t *bins, const tni_histogram *call, const void *block,     \
                                  int64_t n) {                                                     \
        const type *values = block;                                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            bins[i] = place_one_##name(call, values[i]);                                           \
    }

/* By halving: all values of a few do the same steps, so that their loads overlap. */
enum { TOGETHER = 8 };
#define PLACE_BETWEEN(name, type)                                                                  \
    static void place_between_##name(int64_t *bins, const tni_histogram *call, const void *block,  \
                                     int64_t n) {                                                  \
        const type *edges = (const type *)(const void *)call->edges;                               \
        const int64_t count = call->bins;                                                          \
        for (int64_t at = 0; at < n; at += TOGETHER) {                                             \
            const type *values = (const type *)block + at;                                         \
            const int some = n - at < TOGETHER ? (int)(n - at) : TOGETHER;                         \
            int64_t place[TOGETHER] = {0}; /* how many edges are not above */                      \
            for (int64_t left = count + 1, half; left > 0; left -= half) {                         \
                half = (left + 1) / 2;                                                             \
                for (int k = 0; k < some; k++)                                                     \
                    place[k] += edges[place[k] + half - 1] <= values[k] ? half : 0;                \
            }                                                                                      \
            for (int k = 0; k < some; k++) {                                                       \
                const bool is_last = place[k] == count + 1 && values[k] == edges[count];           \
                const bool is_in = place[k] > 0 && place[k] <= count;                              \
                bins[at + k] = is_in ? place[k] - 1 : is_last ? count - 1 : count;                 \
            }                                                                                      \
        }                                                                                          \
    }
#define PLACE(name, type) PLACE_EVEN(name, type) PLACE_BETWEEN(name, type)
PLACE(i64, int64_t)
PLACE(u64, uint64_t)
PLACE(f32, float)
PLACE(f64, double)

#define PLACE_DOUBTFUL(name, type)                                                                 \
    static void place_doubtful_##name(int64_t *bins, const tni_histogram *call, const void *block, \
                                      int64_t n) {                                                 \
        const type *values = block;                                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            if (bins[i] == TNI_BIN_IN_DOUBT) bins[i] = place_one_##name(call, values[i]);          \
    }
PLACE_DOUBTFUL(f32, float)
PLACE_DOUBTFUL(f64, double)

/* --- Pieces --- */

static void count_block(int64_t *table, const int64_t *bins, int64_t n, uint64_t count) {
    for (int64_t i = 0; i < n; i++)
        if ((uint64_t)bins[i] < count) table[bins[i]]++;
}

static void count_by_turns(int64_t (*tables)[TURN_BINS], const int64_t *bins, int64_t n,
                           uint64_t count) {
    int64_t i = 0;
    for (; i + TURNS <= n; i += TURNS)
        for (int turn = 0; turn < TURNS; turn++)
            if ((uint64_t)bins[i + turn] < count) tables[turn][bins[i + turn]]++;
    count_block(tables[0], bins + i, n - i, count);
}

static void add_block(double *table, const int64_t *bins, const double *weights, int64_t n,
                      uint64_t count) {
    for (int64_t i = 0; i < n; i++)
        if ((uint64_t)bins[i] < count) table[bins[i]] += weights[i];
}

/* The bins of n values from `at` on: in `bins`, or where integers lie that are their own. */
static const int64_t *bins_of(const counting *c, int64_t *bins, int64_t at, int64_t n) {
    const tni_histogram *call = c->call;
    _Alignas(64) uint64_t block[BLOCK];
    const void *values = call->values + at * call->stride;
    if (c->convert) {
        void *to = c->place ? (void *)block : bins;
        tni_convert(c->convert, values, call->stride, to, tn_dtype_size(call->working), n);
        values = to;
    }
    if (!c->place) return values;
    if (!c->place_most)
        c->place(bins, call, values, n);
    else if (c->place_most(bins, values, n, &c->guess))
        c->place_doubtful(bins, call, values, n);
    return bins;
}

static void count_piece(const counting *c, void *table, int64_t begin, int64_t end) {
    const tni_histogram *call = c->call;
    const uint64_t count = (uint64_t)call->bins;
    int64_t tables[TURNS][TURN_BINS], room[BLOCK];
    const bool turns = !call->weights && call->bins <= TURN_BINS && end - begin > 8 * call->bins;
    memset(table, 0, count * sizeof(int64_t));
    for (int turn = 0; turns && turn < TURNS; turn++)
        memset(tables[turn], 0, count * sizeof(int64_t));
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        const int64_t *bins = bins_of(c, room, at, n);
        if (call->weights)
            add_block(table, bins, call->weights + at, n, count);
        else if (turns)
            count_by_turns(tables, bins, n, count);
        else
            count_block(table, bins, n, count);
    }
    for (int64_t bin = 0; turns && bin < call->bins; bin++)
        for (int turn = 0; turn < TURNS; turn++)
            ((int64_t *)table)[bin] += tables[turn][bin];
}

/* The first piece has the result as its table. */
static char *table_of(const counting *c, int64_t piece) {
    return piece ? c->tables + (piece - 1) * c->call->bins * 8 : c->call->result;
}

static void count_pieces(void *context, int64_t begin, int64_t end) {
    const counting *c = context;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = (k + 1) * c->piece;
        count_piece(c, table_of(c, k), k * c->piece, last < c->call->count ? last : c->call->count);
    }
}

static void add_tables(void *context, int64_t begin, int64_t end) {
    const counting *c = context;
    for (int64_t k = 1; k < c->pieces; k++) {
        void *to = c->call->result, *from = table_of(c, k);
        for (int64_t bin = begin; bin < end; bin++)
            if (c->call->weights)
                ((double *)to)[bin] += ((const double *)from)[bin];
            else
                ((int64_t *)to)[bin] += ((const int64_t *)from)[bin];
    }
}

/* --- Plan --- */

static void choose_place(counting *c) {
    static const struct {
        tn_dtype dtype;
        void (*even)(int64_t *, const tni_histogram *, const void *, int64_t);
        void (*between)(int64_t *, const tni_histogram *, const void *, int64_t);
    } places[] = {
        {TN_I64, place_even_i64, place_between_i64},
        {TN_U64, place_even_u64, place_between_u64},
        {TN_F32, place_even_f32, place_between_f32},
        {TN_F64, place_even_f64, place_between_f64},
    };
    c->place = NULL;
    for (size_t k = 0; c->call->edges && k < sizeof places / sizeof *places; k++)
        if (places[k].dtype == c->call->working)
            c->place = c->call->is_even ? places[k].even : places[k].between;
}

/* How far the edges' places are from whole numbers. */
#define DOUBT(name, type)                                                                          \
    static double doubt_##name(const tni_histogram *call) {                                        \
        const type *edges = (const type *)(const void *)call->edges;                               \
        double most = 0;                                                                           \
        for (int64_t k = 0; k <= call->bins; k++) {                                                \
            const double off = fabs(((double)edges[k] - call->first) * call->scale - (double)k);   \
            if (!(off <= most)) most = off;                                                        \
        }                                                                                          \
        return most;                                                                               \
    }
DOUBT(f32, float)
DOUBT(f64, double)

/* Where the edges are known well enough, and pay for a look at each. */
static void choose_guess(counting *c) {
    const tni_histogram *call = c->call;
    const bool is_f32 = call->working == TN_F32;
    c->place_most = NULL;
    if (!call->edges || !call->is_even || !(is_f32 || call->working == TN_F64) ||
        call->bins > INT32_MAX / 2 || call->count < call->bins)
        return;
    c->guess = (tni_bin_guess){call->first, call->scale, is_f32 ? doubt_f32(call) : doubt_f64(call),
                               (int32_t)call->bins};
    if (!(c->guess.doubt < 0.25)) return;
    const tni_bin_loops *loops = tni_loops_level()->bins;
    c->place_most = is_f32 ? loops->f32 : loops->f64;
    c->place_doubtful = is_f32 ? place_doubtful_f32 : place_doubtful_f64;
}

tn_status tni_host_run_histogram(void *parameters) {
    const tni_histogram *call = parameters;
    counting c;
    c.call = call;
    choose_place(&c);
    choose_guess(&c);
    const bool is_plain =
        call->dtype == call->working && call->stride == tn_dtype_size(call->working);
    c.convert = is_plain ? NULL : tni_cast_find(call->dtype, call->working);
    const int64_t least = call->bins > PIECE_LEAST / 4 ? 4 * call->bins : PIECE_LEAST;
    c.pieces = call->count / least;
    c.pieces = c.pieces < 1 ? 1 : c.pieces > PIECES ? PIECES : c.pieces;
    c.piece = (call->count + c.pieces - 1) / c.pieces;
    if (c.piece > 0) c.pieces = (call->count + c.piece - 1) / c.piece;
    const int64_t bytes = (c.pieces - 1) * call->bins * 8;
    c.tables = bytes ? tni_scratch(TNI_SLOT_RESULTS, (size_t)bytes) : NULL;
    if (bytes && !c.tables) return tni_fail_no_memory(bytes);
    tni_parallel(c.pieces, 1, count_pieces, &c);
    if (c.pieces > 1) tni_parallel_units(call->bins, c.pieces, add_tables, &c);
    return TN_OK;
}

TNI_HOST_PLAN(histogram, call->count + call->bins)
