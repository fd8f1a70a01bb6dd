/* Copies whose rows are short: repeated elements, small repeated blocks, few columns of many.
 *
 * The result is cut into boxes that stay in the L1 cache: as many inner axes as fit whole, and a
 * part of the axis before these. In a box the order of the rows hardly matters, so one loop runs
 * along the longest axis, and the walk over the others is outside of it. The loop is made for the
 * bytes of a row: one value written many times, neighbours moved as they lie, or a column after
 * the other. Results larger than the caches are made in a box of the thread's and streamed. */
#include "backend/host/forms/short_rows.h"

#include "backend/host/forms/tiling.h"
#include "backend/host/forms/walk.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/array/array.h"

#include <stdatomic.h>
#include <string.h>

enum {
    BOX_BYTES = 8192,
    ROW_BYTES = 2048,       /* longer rows are worth a call of a loop each */
    WIDE_BYTES = 32,        /* of rows that are better written one after the other */
    FEW_COLUMNS = 16,       /* of those that are moved one by one */
    NEAR_BYTES = 256,       /* from one column of a row to the next */
    FEW_ELEMENTS = 64,      /* of a copy that is made here wherever its elements lie */
    SERIAL_ELEMENTS = 16384 /* below this, one thread */
};

/* --- Rows --- */

/* `count` rows, one each `to_step` and `from_step` bytes. */
typedef struct lines {
    char *to;
    const char *from;
    int64_t count, to_step, from_step;
    int64_t bytes;        /* of a row */
    int64_t size, column; /* of an element, and from one to the next in the source */
} lines;

typedef uint16_t item_2 __attribute__((may_alias, aligned(1)));
typedef uint32_t item_4 __attribute__((may_alias, aligned(1)));
typedef uint64_t item_8 __attribute__((may_alias, aligned(1)));
typedef uint64_t item_16 __attribute__((vector_size(16), may_alias, aligned(1)));

#define PUT(type, place, value) (*(type *)(void *)(place) = (value))
#define GET(type, place) (*(const type *)(const void *)(place))
#define EACH_LINE(l)                                                                               \
    for (int64_t left = (l)->count; left > 0; left--, to += (l)->to_step, from += (l)->from_step)

/* One element, as often as it fills 16 bytes. */
static inline item_16 spread(const char *from, int64_t size) {
    uint64_t half;
    switch (size) {
    case 1: half = (uint8_t)*from * UINT64_C(0x0101010101010101); break;
    case 2: half = GET(item_2, from) * UINT64_C(0x0001000100010001); break;
    case 4: half = GET(item_4, from) * UINT64_C(0x0000000100000001); break;
    case 8: half = GET(item_8, from); break;
    default: return GET(item_16, from);
    }
    return (item_16){half, half};
}

/* Rows of at most two stores of one width: the second ends where the row does. */
#define FILL_TWO(type, value)                                                                      \
    EACH_LINE(l) {                                                                                 \
        item_16 all = spread(from, size);                                                          \
        PUT(type, to, (type)(value));                                                              \
        PUT(type, to + bytes - (int64_t)sizeof(type), (type)(value));                              \
    }
#define MOVE_TWO(type)                                                                             \
    EACH_LINE(l) {                                                                                 \
        const type head = GET(type, from), tail = GET(type, from + bytes - (int64_t)sizeof(type)); \
        PUT(type, to, head);                                                                       \
        PUT(type, to + bytes - (int64_t)sizeof(type), tail);                                       \
    }

static inline __attribute__((always_inline)) void fill_sized(const lines *l, int64_t size) {
    const int64_t bytes = l->bytes;
    char *to = l->to;
    const char *from = l->from;
    if (bytes > 32) {
        EACH_LINE(l) {
            const item_16 all = spread(from, size);
            for (int64_t at = 0; at < bytes - 16; at += 16)
                PUT(item_16, to + at, all);
            PUT(item_16, to + bytes - 16, all);
        }
    } else if (bytes > 16) {
        FILL_TWO(item_16, all)
    } else if (bytes == 16) {
        EACH_LINE(l) PUT(item_16, to, spread(from, size));
    } else if (bytes == 8) {
        EACH_LINE(l) PUT(item_8, to, spread(from, size)[0]);
    } else if (bytes > 8) {
        FILL_TWO(item_8, all[0])
    } else if (bytes >= 4) {
        FILL_TWO(item_4, all[0])
    } else {
        FILL_TWO(item_2, all[0])
    }
}

/* Each element of a column is a row of the result. */
static void fill_lines(const lines *l) {
    switch (l->size) {
    case 1: fill_sized(l, 1); break;
    case 2: fill_sized(l, 2); break;
    case 4: fill_sized(l, 4); break;
    case 8: fill_sized(l, 8); break;
    default: fill_sized(l, 16); break;
    }
}

static void move_lines(const lines *l) {
    const int64_t bytes = l->bytes;
    char *to = l->to;
    const char *from = l->from;
    if (bytes > 128) {
        EACH_LINE(l) memcpy(to, from, (size_t)bytes);
    } else if (bytes > 32) {
        EACH_LINE(l) {
            const item_16 tail = GET(item_16, from + bytes - 16);
            for (int64_t at = 0; at < bytes - 16; at += 16)
                PUT(item_16, to + at, GET(item_16, from + at));
            PUT(item_16, to + bytes - 16, tail);
        }
    } else if (bytes >= 16) {
        MOVE_TWO(item_16)
    } else if (bytes >= 8) {
        MOVE_TWO(item_8)
    } else if (bytes >= 4) {
        MOVE_TWO(item_4)
    } else {
        MOVE_TWO(item_2)
    }
}

#define MOVE_COLUMNS(type)                                                                         \
    for (int64_t at = 0; at < l->bytes; at += (int64_t)sizeof(type), source += l->column) {        \
        char *to = l->to + at;                                                                     \
        const char *from = source;                                                                 \
        EACH_LINE(l) PUT(type, to, GET(type, from));                                               \
    }

static void move_columns(const lines *l) {
    const char *source = l->from;
    switch (l->size) {
    case 1: MOVE_COLUMNS(char) break;
    case 2: MOVE_COLUMNS(item_2) break;
    case 4: MOVE_COLUMNS(item_4) break;
    case 8: MOVE_COLUMNS(item_8) break;
    default: MOVE_COLUMNS(item_16) break;
    }
}

/* --- Boxes --- */

typedef struct job {
    const tni_elementwise *call;
    void (*run)(const lines *l);
    int cut;       /* the axis of which boxes have a part; those after it are whole */
    int64_t part;  /* of it */
    int64_t cuts;  /* parts of the axis */
    int64_t boxes; /* in all */
    int64_t bytes; /* of a box with a part of 1 */
    int64_t size;  /* of an element */
    bool is_dense; /* a box's result is one run */
    bool bypasses_cache;
    atomic_bool out_of_memory;
} job;

/* The box of `rows` places along the axis that is cut. */
static void run_box(const job *job, char *to, const char *from, int64_t rows) {
    const tni_elementwise *call = job->call;
    const int64_t *out = call->arguments[1].strides, *in = call->arguments[0].strides;
    const int last = call->ndim - 1;
    int64_t shape[TN_MAX_NDIM], to_steps[TN_MAX_NDIM], from_steps[TN_MAX_NDIM], number = 1;
    int longest = job->cut, walked = 0;
    for (int axis = job->cut + 1; axis < last; axis++)
        if (call->shape[last] * job->size >= WIDE_BYTES ||
            call->shape[axis] > (longest == job->cut ? rows : call->shape[longest]))
            longest = axis;
    for (int axis = job->cut; axis < last; axis++) {
        if (axis == longest) continue;
        shape[walked] = axis == job->cut ? rows : call->shape[axis];
        number *= shape[walked];
        to_steps[walked] = out[axis];
        from_steps[walked++] = in[axis];
    }
    lines l = {.count = longest == job->cut ? rows : call->shape[longest],
               .to_step = out[longest],
               .from_step = in[longest],
               .bytes = call->shape[last] * job->size,
               .size = job->size,
               .column = in[last]};
    tni_walk walk;
    tni_walk_start(&walk, walked, shape, to_steps, from_steps, 0);
    for (int64_t at = 0; at < number; at++, tni_walk_next(&walk)) {
        l.to = to + walk.offsets[0];
        l.from = from + walk.offsets[1];
        job->run(&l);
    }
}

static void run_boxes(void *context, int64_t begin, int64_t end) {
    job *job = context;
    const tni_elementwise *call = job->call;
    const int64_t *out = call->arguments[1].strides, *in = call->arguments[0].strides;
    char *stage = job->bypasses_cache ? tni_scratch(0, BOX_BYTES) : NULL;
    if (job->bypasses_cache && !stage) {
        atomic_store(&job->out_of_memory, true);
        return;
    }
    tni_walk walk;
    tni_walk_start(&walk, job->cut, call->shape, out, in, begin / job->cuts);
    int64_t cut = begin % job->cuts;
    for (int64_t at = begin; at < end; at++) {
        int64_t first = cut * job->part, rows = call->shape[job->cut] - first;
        if (rows > job->part) rows = job->part;
        char *to = call->arguments[1].data + walk.offsets[0] + first * out[job->cut];
        const char *from = call->arguments[0].data + walk.offsets[1] + first * in[job->cut];
        run_box(job, stage ? stage : to, from, rows);
        if (stage) tni_stream_copy(to, stage, (size_t)(rows * job->bytes));
        if (++cut < job->cuts) continue;
        cut = 0;
        tni_walk_next(&walk);
    }
    if (stage) tni_stream_finish();
}

/* --- The call --- */

/* The loop for the rows of a copy; NULL where they are better run by others (tiling.h). */
static void (*find_run(const tni_elementwise *call, int64_t size))(const lines *l) {
    const int last = call->ndim - 1;
    const tni_argument *from = &call->arguments[0], *to = &call->arguments[1];
    if (last < 1 || call->masked || !tni_call_is_move(call) || !from->data) return NULL;
    const int64_t column = from->strides[last];
    if (to->strides[last] != size || call->shape[last] * size > ROW_BYTES) return NULL;
    if (column == 0) return fill_lines;
    if (column == size) return move_lines;
    bool is_near = tni_magnitude(column) <= NEAR_BYTES && call->shape[last] < FEW_COLUMNS;
    return is_near || call->size <= FEW_ELEMENTS ? move_columns : NULL;
}

static void cut_boxes(job *job) {
    const tni_elementwise *call = job->call;
    const int64_t *out = call->arguments[1].strides;
    int64_t read = job->size;
    int cut = call->ndim - 2;
    job->bytes = call->shape[call->ndim - 1] * job->size;
    job->is_dense = out[cut] == job->bytes;
    while (cut > 0 && job->bytes * call->shape[cut] * 2 <= BOX_BYTES) {
        job->bytes *= call->shape[cut--];
        job->is_dense &= out[cut] == job->bytes;
    }
    job->cut = cut;
    job->part = BOX_BYTES / job->bytes;
    job->cuts = (call->shape[cut] + job->part - 1) / job->part;
    job->boxes = job->cuts;
    for (int axis = 0; axis < cut; axis++)
        job->boxes *= call->shape[axis];
    for (int axis = 0; axis < call->ndim; axis++)
        if (call->arguments[0].strides[axis] != 0) read *= call->shape[axis];
    job->bypasses_cache = job->is_dense && read + call->size * job->size >= TNI_STREAM_BYTES;
}

tn_status tni_short_rows_copy(const tni_elementwise *call, bool *is_done) {
    job job = {.call = call, .size = tni_dtype_size(call->arguments[1].dtype)};
    job.run = find_run(call, job.size);
    *is_done = job.run != NULL;
    if (!job.run) return TN_OK;
    atomic_init(&job.out_of_memory, false);
    cut_boxes(&job);
    if (call->size <= SERIAL_ELEMENTS)
        run_boxes(&job, 0, job.boxes);
    else
        tni_parallel_short(job.boxes, 1, run_boxes, &job);
    return atomic_load(&job.out_of_memory) ? tni_fail_no_memory(BOX_BYTES) : TN_OK;
}
