/* The form "label" on the host: union-find over runs of elements along the last axis.
 *
 * Lines are packed into bits and their runs counted, so that each run has a number in the order of
 * the elements. Threads unite the runs of bands of lines, paths being halved on the way; then the
 * bands are joined where they meet. The lesser root stays, whatever the bands are. Labels are
 * the roots counted, and are written line by line. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/image/lines.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <string.h>

enum { BITS = 64, BANDS_A_THREAD = 4, BAND_LEAST = 1 << 15, NEIGHBOURS = 16 };

typedef struct labelling {
    const tni_label *call;
    const tni_label_loops *loops;
    int64_t lines, length, words; /* of lines; of one */
    bool is_joined;
    int beside_count;
    tni_line_beside *beside;
    int64_t band; /* lines of one */
    uint64_t *bits;
    int64_t *firsts; /* the first run of each line, and the end */
    char *parents;
} labelling;

static int64_t band_end(const labelling *l, int64_t begin) {
    return l->lines - begin < l->band ? l->lines : begin + l->band;
}

static tni_label_line line_at(const labelling *l, int64_t line) {
    return (tni_label_line){l->bits + line * l->words, l->firsts[line]};
}

/* --- Runs --- */

static void pack_line(const labelling *l, uint64_t *bits, const char *flags) {
    const tni_bits_loops *loops = tni_loops_level()->bits;
    const int64_t whole = l->length / 8, rest = l->length % 8;
    char some[8] = {0};
    bits[l->words - 1] = 0;
    loops->pack(bits, flags, whole, true);
    memcpy(some, flags + 8 * whole, (size_t)rest);
    if (rest) loops->pack((char *)bits + whole, some, 1, true);
}

/* firsts[line + 1] receives how many runs the line has. */
static void count_bands(void *context, int64_t begin, int64_t end) {
    const labelling *l = context;
    for (int64_t line = begin; line < end; line++) {
        uint64_t *bits = l->bits + line * l->words;
        pack_line(l, bits, l->call->mask + line * l->length);
        l->firsts[line + 1] = l->loops->count(bits, l->words, l->is_joined);
    }
}

/* --- Unions --- */

/* Unites lines from `begin` on with the lines beside them: those in the band that begins at `band`,
 * or (is_across) those before it. */
static void unite_lines(const labelling *l, int64_t begin, int64_t end, int64_t band,
                        bool is_across) {
    const tni_label *call = l->call;
    int64_t place[TN_MAX_NDIM];
    tni_line_place(place, begin, call->ndim, call->shape);
    for (int64_t line = begin; line < end; line++) {
        if (l->firsts[line] < l->firsts[line + 1])
            for (int k = 0; k < l->beside_count; k++) {
                const tni_line_beside *beside = &l->beside[k];
                const int64_t other = line + beside->offset;
                const bool is_before = other < band;
                if (is_before == is_across && tni_line_has(beside, place, call->ndim, call->shape))
                    l->loops->unite(l->parents, line_at(l, line), line_at(l, other), l->words,
                                    beside->steps, l->is_joined);
            }
        tni_line_next(place, call->ndim, call->shape);
    }
}

static void unite_bands(void *context, int64_t begin, int64_t end) {
    const labelling *l = context;
    for (int64_t band = begin; band < end; band++) {
        const int64_t line = band * l->band, stop = band_end(l, line);
        for (int64_t run = l->firsts[line]; run < l->firsts[stop]; run++) {
            if (l->call->is_wide)
                ((int64_t *)(void *)l->parents)[run] = run;
            else
                ((int32_t *)(void *)l->parents)[run] = (int32_t)run;
        }
        unite_lines(l, line, stop, line, false);
    }
}

/* Lines further from a band's begin than any step reaches have no line before the band beside
 * them. */
static void join_bands(const labelling *l) {
    int64_t reach = 0;
    for (int k = 0; k < l->beside_count; k++)
        if (-l->beside[k].offset > reach) reach = -l->beside[k].offset;
    for (int64_t band = l->band; band < l->lines; band += l->band) {
        const int64_t end = band_end(l, band);
        unite_lines(l, band, reach < end - band ? band + reach : end, band, true);
    }
}

/* --- Labels --- */

/* Parents become labels. A parent is before its runs, so it has its label already. */
#define NUMBER(name, T)                                                                            \
    static int64_t number_##name(void *parents, int64_t runs) {                                    \
        T *labels = parents, count = 0;                                                            \
        for (int64_t run = 0; run < runs; run++) {                                                 \
            const T parent = labels[run];                                                          \
            labels[run] = parent == (T)run ? ++count : labels[parent];                             \
        }                                                                                          \
        return count;                                                                              \
    }
NUMBER(i32, int32_t)
NUMBER(i64, int64_t)

static void write_lines(void *context, int64_t begin, int64_t end) {
    const labelling *l = context;
    const int64_t bytes = l->length * (l->call->is_wide ? 8 : 4);
    for (int64_t line = begin; line < end; line++)
        l->loops->write(l->call->labels + line * bytes, l->length, line_at(l, line), l->parents,
                        l->is_joined);
}

/* --- Plan --- */

static tn_status label_runs(labelling *l) {
    const int64_t line_bytes = l->length < BAND_LEAST ? l->length : BAND_LEAST;
    const int64_t bands = (l->lines + l->band - 1) / l->band;
    const int size = l->call->is_wide ? 8 : 4;
    l->firsts[0] = 0;
    tni_parallel(l->lines, bands > 1 ? BAND_LEAST / line_bytes : l->lines, count_bands, l);
    for (int64_t line = 0; line < l->lines; line++)
        l->firsts[line + 1] += l->firsts[line];
    const int64_t runs = l->firsts[l->lines];
    char *memory = tni_malloc((size_t)((runs + 1) * size));
    if (!memory) return tni_fail_no_memory((runs + 1) * size);
    memset(memory, 0, (size_t)size); /* what writing reads before the first run */
    l->parents = memory + size;
    tni_parallel(bands, 1, unite_bands, l);
    join_bands(l);
    *l->call->count =
        l->call->is_wide ? number_i64(l->parents, runs) : number_i32(l->parents, runs);
    tni_parallel(l->lines, bands > 1 ? BAND_LEAST / line_bytes : l->lines, write_lines, l);
    tni_free(memory);
    return TN_OK;
}

tn_status tni_host_run_label(void *parameters) {
    const tni_label *call = parameters;
    tni_line_beside some[NEIGHBOURS];
    labelling l = {.call = call, .length = call->shape[call->ndim - 1]};
    int along;
    l.lines = tni_image_elements(call->ndim - 1, call->shape);
    l.loops = tni_loops_level()->label[call->is_wide];
    l.words = (l.length + BITS - 1) / BITS;
    l.band = (l.lines - 1) / ((int64_t)tni_thread_count() * BANDS_A_THREAD) + 1;
    if (l.band * l.length < BAND_LEAST) l.band = BAND_LEAST / l.length + 1;
    const int64_t beside_bytes =
        call->step_count > NEIGHBOURS ? call->step_count * (int64_t)sizeof *some : 0;
    const int64_t bytes = l.lines * l.words * 8 + (l.lines + 1) * 8 + beside_bytes;
    char *memory = tni_malloc((size_t)bytes);
    if (!memory) return tni_fail_no_memory(bytes);
    l.bits = (uint64_t *)(void *)memory;
    l.firsts = (int64_t *)(void *)(l.bits + l.lines * l.words);
    l.beside = beside_bytes ? (tni_line_beside *)(void *)(l.firsts + l.lines + 1) : some;
    l.beside_count =
        tni_lines_beside(l.beside, &along, call->steps, call->step_count, call->ndim, call->shape);
    l.is_joined = along != 0;
    const tn_status status = label_runs(&l);
    tni_free(memory);
    return status;
}

TNI_HOST_PLAN_OF_STEPS(label)
