/* The form "extent" on the host: pieces are converted block by block and looked at by all
 * threads. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/loops.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/samples.h"

#include <string.h>

enum { BLOCK = 512, PIECES = 64, PIECE_LEAST = 1 << 15 };

/* Both ends of a piece, each as the 8 bytes that the result holds. */
typedef struct ends {
    uint64_t least, largest;
} ends;

typedef void (*look)(ends *found, const void *block, int64_t n, bool is_first);

typedef struct looking {
    const tni_extent *call;
    look look;
    void (*extent)(double ends[2], const void *values, int64_t n); /* NULL: block by block */
    tni_loop convert; /* NULL: values lie as they are looked at */
    int64_t element, piece;
    ends *found; /* by piece */
} looking;

/* A NaN that was found stays: nothing is less than it, nor greater. */
#define IS_NUMBER(value) false
#define IS_NAN(value) ((value) != (value))
#define LOOK(name, type, is_nan)                                                                   \
    static void look_##name(ends *found, const void *block, int64_t n, bool is_first) {            \
        const type *values = block;                                                                \
        type least = values[0], largest = values[0];                                               \
        if (!is_first) {                                                                           \
            memcpy(&least, &found->least, sizeof least);                                           \
            memcpy(&largest, &found->largest, sizeof largest);                                     \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type value = values[i];                                                          \
            least = value < least || is_nan(value) ? value : least;                                \
            largest = value > largest || is_nan(value) ? value : largest;                          \
        }                                                                                          \
        memcpy(&found->least, &least, sizeof least);                                               \
        memcpy(&found->largest, &largest, sizeof largest);                                         \
    }
LOOK(i64, int64_t, IS_NUMBER)
LOOK(u64, uint64_t, IS_NUMBER)
LOOK(f64, double, IS_NAN)

static void look_at_piece(const looking *l, ends *found, int64_t begin, int64_t end) {
    const tni_extent *call = l->call;
    _Alignas(64) uint64_t block[BLOCK];
    if (l->extent) {
        double both[2];
        l->extent(both, call->values + begin * call->stride, end - begin);
        memcpy(found, both, sizeof both);
        return;
    }
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        const void *values = call->values + at * call->stride;
        if (l->convert) {
            tni_convert(l->convert, values, call->stride, block, sizeof *block, n);
            values = block;
        }
        l->look(found, values, n, at == begin);
    }
}

static void look_at_pieces(void *context, int64_t begin, int64_t end) {
    const looking *l = context;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = (k + 1) * l->piece;
        look_at_piece(l, &l->found[k], k * l->piece, last < l->call->count ? last : l->call->count);
    }
}

tn_status tni_host_run_extent(void *parameters) {
    const tni_extent *call = parameters;
    const tn_dtype working = tni_extent_dtype(call->dtype);
    ends found[PIECES];
    looking l;
    l.call = call;
    l.look = working == TN_F64 ? look_f64 : working == TN_U64 ? look_u64 : look_i64;
    const bool is_plain = call->dtype == working && call->stride == (int64_t)sizeof(uint64_t);
    l.convert = is_plain ? NULL : tni_cast_find(call->dtype, working);
    const tni_bin_loops *loops = tni_loops_level()->bins;
    l.extent = call->stride != tn_dtype_size(call->dtype) ? NULL
               : call->dtype == TN_F32                    ? loops->extent_f32
               : call->dtype == TN_F64                    ? loops->extent_f64
                                                          : NULL;
    l.found = found;
    int64_t pieces = call->count / PIECE_LEAST;
    pieces = pieces < 1 ? 1 : pieces > PIECES ? PIECES : pieces;
    l.piece = (call->count + pieces - 1) / pieces;
    pieces = (call->count + l.piece - 1) / l.piece;
    tni_parallel(pieces, 1, look_at_pieces, &l);
    for (int64_t k = 1; k < pieces; k++)
        l.look(&found[0], &found[k].least, 2, false);
    memcpy(call->result, &found[0], sizeof found[0]);
    return TN_OK;
}

TNI_HOST_PLAN(extent, call->count)
