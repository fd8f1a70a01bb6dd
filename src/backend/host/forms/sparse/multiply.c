/* Products of sparse and dense matrices, and sparse matrices added to dense ones.
 *
 * Rows of the result belong to one thread each. A product with a vector checks the structure as it
 * goes, so that nothing is read twice. The transposed product adds to rows all over the result: the
 * matrix is cut into a few pieces, each with a table of its own, and the tables are added in order.
 * How many depends on the shapes alone. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { TABLES = 4, SLOT_TABLES = 3 };

typedef struct multiplying {
    const tni_csr_multiply *call;
    const tni_sparse_value_loops *loops;
} multiplying;

static void multiply_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    const multiplying *m = context;
    tni_csr_multiply call = *m->call;
    call.a = *a;
    m->loops->multiply(&call, begin, end);
}

typedef struct vector_product {
    multiplying by;
    tni_sparse_rows rows;
    atomic_bool is_bad;
} vector_product;

static void multiply_pieces(void *context, int64_t begin, int64_t end) {
    vector_product *v = context;
    if (!v->by.loops->multiply_vector(v->by.call, v->rows.cuts[begin], v->rows.cuts[end]))
        atomic_store(&v->is_bad, true);
}

static tn_status multiply_vector(const multiplying *by) {
    vector_product v = {.by = *by};
    atomic_init(&v.is_bad, false);
    tni_sparse_cut(&v.rows, &by->call->a, by->call->is_wide, TNI_SPARSE_PIECES);
    tni_parallel(v.rows.pieces, 1, multiply_pieces, &v);
    return atomic_load(&v.is_bad) ? tni_sparse_fail() : TN_OK;
}

typedef struct transposing {
    multiplying by;
    tni_sparse_rows rows;
    int64_t item; /* bytes of a value */
    int64_t size; /* values of a table */
    char *tables; /* of all pieces but the first, which has the result */
    atomic_int status;
} transposing;

typedef struct transposed_piece {
    const multiplying *by;
    char *table;
} transposed_piece;

static char *table_of(const transposing *t, int64_t piece) {
    return piece ? t->tables + (piece - 1) * t->size * t->item : t->by.call->output;
}

static void transpose_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    const transposed_piece *piece = context;
    tni_csr_multiply call = *piece->by->call;
    call.a = *a;
    piece->by->loops->multiply_transposed(&call, begin, end, piece->table);
}

static void transpose_pieces(void *context, int64_t begin, int64_t end) {
    transposing *t = context;
    for (int64_t k = begin; k < end; k++) {
        transposed_piece piece = {&t->by, table_of(t, k)};
        memset(piece.table, 0, (size_t)(t->size * t->item));
        const tn_status status =
            tni_sparse_walk(&t->rows, t->rows.cuts[k], t->rows.cuts[k + 1], transpose_rows, &piece);
        if (status) atomic_store(&t->status, (int)status);
    }
}

static void add_tables(void *context, int64_t begin, int64_t end) {
    const transposing *t = context;
    for (int k = 1; k < t->rows.pieces; k++)
        t->by.loops->add(table_of(t, 0) + begin * t->item, table_of(t, k) + begin * t->item,
                         end - begin);
}

static tn_status multiply_transposed(const multiplying *by) {
    const tni_csr_multiply *call = by->call;
    transposing t = {.by = *by, .item = tn_dtype_size(call->dtype)};
    atomic_init(&t.status, TN_OK);
    t.size = call->a.columns * call->width;
    const int64_t worth = call->a.count / (2 * call->a.columns + 1);
    tni_sparse_cut(&t.rows, &call->a, call->is_wide,
                   worth < 1        ? 1
                   : worth < TABLES ? (int)worth
                                    : TABLES);
    const int64_t bytes = (t.rows.pieces - 1) * t.size * t.item;
    t.tables = bytes ? tni_scratch(SLOT_TABLES, (size_t)bytes) : NULL;
    if (bytes && !t.tables) return tni_fail_no_memory(bytes);
    tni_parallel(t.rows.pieces, 1, transpose_pieces, &t);
    if (t.rows.pieces > 1) tni_parallel(t.size, 1 << 12, add_tables, &t);
    return tni_sparse_report((tn_status)atomic_load(&t.status));
}

tn_status tni_host_run_csr_multiply(void *parameters) {
    const tni_csr_multiply *call = parameters;
    multiplying m = {call, NULL};
    TNI_TRY(tni_sparse_values(&m.loops, call->dtype, call->is_wide));
    if (call->is_transposed) return multiply_transposed(&m);
    if (!call->dense || call->width == 1) return multiply_vector(&m);
    return tni_sparse_each(&call->a, call->is_wide, multiply_rows, &m);
}

TNI_HOST_PLAN(csr_multiply, (call->a.count + call->a.rows) * call->width)

typedef struct scattering {
    const tni_csr_scatter *call;
    const tni_sparse_value_loops *loops;
} scattering;

static void scatter_rows(void *context, const tni_csr *a, int64_t begin, int64_t end) {
    const scattering *s = context;
    tni_csr_scatter call = *s->call;
    call.a = *a;
    s->loops->scatter(&call, begin, end);
}

tn_status tni_host_run_csr_scatter(void *parameters) {
    const tni_csr_scatter *call = parameters;
    scattering s = {call, NULL};
    TNI_TRY(tni_sparse_values(&s.loops, call->dtype, call->is_wide));
    return tni_sparse_each(&call->a, call->is_wide, scatter_rows, &s);
}

TNI_HOST_PLAN(csr_scatter, call->a.count + call->a.rows)
