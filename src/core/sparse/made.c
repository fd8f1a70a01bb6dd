/* Sparse matrices whose size depends on the elements of others: they are counted, the total is
 * read back, and then they are written. */
#include "backend/backend.h"
#include "core/memory/buffer.h"
#include "core/move/astype.h"
#include "core/sparse/csr.h"

#include <string.h>

/* Queues a form, once to count and once to write. */
typedef tn_status (*queue_form)(void *call, tn_stream *stream);

/* A result on its way. */
typedef struct making {
    tni_csr_made *to; /* of the call */
    tn_array *starts; /* i64 */
    tn_csr_arrays made;
    int64_t rows;
} making;

static tn_status begin(making *m, tni_csr_made *to, int64_t rows, tn_stream *stream) {
    memset(m, 0, sizeof *m);
    memset(to, 0, sizeof *to);
    m->to = to;
    m->rows = rows;
    return tni_csr_new(&m->starts, &to->ends, TN_I64, rows + 1, stream);
}

static void end(making *m) {
    tn_array_release(m->starts);
    tni_csr_arrays_release(&m->made);
}

/* Reads how many elements there are. */
static tn_status read_count(making *m, bool is_wide, tn_stream *stream) {
    TNI_TRY(tn_buffer_read(&m->to->count, m->starts->buffer, m->rows * 8, 8, stream));
    TNI_TRY(tn_stream_synchronize(stream, -1));
    if (!is_wide && m->to->count > INT32_MAX)
        TNI_FAIL(TN_ERROR_OVERFLOW,
                 "the result has %lld elements, too many for int32 indexes: convert those of the "
                 "inputs to int64",
                 (long long)m->to->count);
    return TN_OK;
}

/* Makes place for the elements that were counted. */
static tn_status make_place(making *m, tn_dtype dtype, bool is_wide, tn_stream *stream) {
    TNI_TRY(read_count(m, is_wide, stream));
    m->to->starts = m->to->ends;
    TNI_TRY(tni_csr_new(&m->made.data, &m->to->values, dtype, m->to->count, stream));
    return tni_csr_new(&m->made.indices, &m->to->indices, tni_csr_index(is_wide), m->to->count,
                       stream);
}

/* Hands over what was written. */
static tn_status finish(making *m, tn_csr_arrays *result, bool is_wide, tn_stream *stream) {
    TNI_TRY(tni_array_packed(&m->made.indptr, m->starts, tni_csr_index(is_wide), stream));
    *result = m->made;
    memset(&m->made, 0, sizeof m->made);
    return TN_OK;
}

static tn_status make(tn_csr_arrays *result, queue_form queue, void *call, tni_csr_made *to,
                      int64_t rows, tn_dtype dtype, bool is_wide, tn_stream *stream) {
    making m;
    tn_status status;
    TNI_TRY(begin(&m, to, rows, stream));
    TNI_TRY_OWNING(queue(call, stream));
    TNI_TRY_OWNING(make_place(&m, dtype, is_wide, stream));
    if (m.to->count) TNI_TRY_OWNING(queue(call, stream));
    status = finish(&m, result, is_wide, stream);
cleanup:
    end(&m);
    return status;
}

/* --- The functions --- */

static tn_status queue_unite(void *call, tn_stream *stream) {
    return tni_queue_csr_unite(call, stream);
}

tn_status tn_csr_unite(tn_csr_arrays *result, const tn_csr *a, tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tni_csr_unite call;
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, NULL));
    TNI_TRY_OWNING(tni_csr_hold(&held, a, TN_DTYPE_NONE, call.is_wide, stream));
    call.dtype = a->data->dtype;
    call.a = held.csr;
    status = make(result, queue_unite, &call, &call.to, a->rows, call.dtype, call.is_wide, stream);
cleanup:
    tni_csr_release(&held);
    return status;
}

static tn_status queue_product(void *call, tn_stream *stream) {
    return tni_queue_csr_product(call, stream);
}

/* The memory of a product, where its backend asks for it. */
typedef struct product_room {
    tn_array *terms, *indices, *values;
} product_room;

static tn_status make_room(product_room *own, tni_csr_product *call, tn_stream *stream) {
    const int64_t rows = call->a.rows;
    int64_t total;
    if (!tni_backend_of(stream)->sparse->takes_room) return TN_OK;
    TNI_TRY(tni_csr_new(&own->terms, &call->room.terms, TN_I64, 2 * (rows + 1), stream));
    call->room.long_terms = call->room.terms + rows + 1;
    TNI_TRY(tni_queue_csr_product(call, stream));
    TNI_TRY(tn_buffer_read(&total, own->terms->buffer, rows * 8, 8, stream));
    TNI_TRY(
        tn_buffer_read(&call->room.long_count, own->terms->buffer, (2 * rows + 1) * 8, 8, stream));
    TNI_TRY(tn_stream_synchronize(stream, -1));
    TNI_TRY(tni_csr_new(&own->indices, &call->room.indices, tni_csr_index(call->is_wide), total,
                        stream));
    TNI_TRY(tni_csr_new(&own->values, &call->room.values, call->dtype, total, stream));
    call->room.is_there = true;
    return TN_OK;
}

static void drop_room(product_room *own) {
    tn_array_release(own->terms);
    tn_array_release(own->indices);
    tn_array_release(own->values);
}

tn_status tn_csr_product(tn_csr_arrays *result, const tn_csr *a, const tn_csr *b,
                         tn_stream *stream) {
    const tn_csr *both[2] = {a, b};
    tni_csr_held held[2] = {{{0}, NULL, NULL, NULL}, {{0}, NULL, NULL, NULL}};
    product_room room = {NULL, NULL, NULL};
    tni_csr_product call = {.dtype = tn_dtype_promote(a->data->dtype, b->data->dtype)};
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 2, both, NULL));
    if (a->columns != b->rows)
        TNI_FAIL(TN_ERROR_VALUE,
                 "dimension mismatch: sparse matrices of shapes (%lld,%lld) and (%lld,%lld)",
                 (long long)a->rows, (long long)a->columns, (long long)b->rows,
                 (long long)b->columns);
    for (int k = 0; k < 2; k++)
        TNI_TRY_OWNING(tni_csr_hold(&held[k], both[k], call.dtype, call.is_wide, stream));
    call.a = held[0].csr;
    call.b = held[1].csr;
    TNI_TRY_OWNING(make_room(&room, &call, stream));
    status =
        make(result, queue_product, &call, &call.to, a->rows, call.dtype, call.is_wide, stream);
cleanup:
    drop_room(&room);
    tni_csr_release(&held[0]);
    tni_csr_release(&held[1]);
    return status;
}

static tn_status queue_rows(void *call, tn_stream *stream) {
    return tni_queue_csr_rows(call, stream);
}

tn_status tn_csr_rows(tn_csr_arrays *result, const tn_csr *a, const tn_array *chosen, int64_t first,
                      int64_t step, int64_t rows, tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tn_array *packed = NULL;
    tni_csr_rows call = {.first = first, .step = step, .rows = chosen ? chosen->size : rows};
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, chosen));
    if (chosen && chosen->ndim != 1)
        TNI_FAIL(TN_ERROR_VALUE, "the numbers of rows have %d dimensions, not 1", chosen->ndim);
    if (call.rows < 0) TNI_FAIL(TN_ERROR_VALUE, "%lld rows", (long long)call.rows);
    TNI_TRY_OWNING(tni_csr_hold(&held, a, TN_DTYPE_NONE, call.is_wide, stream));
    call.a = held.csr;
    call.item = tn_dtype_size(a->data->dtype);
    if (chosen) {
        TNI_TRY_OWNING(tni_array_packed(&packed, chosen, TN_I64, stream));
        TNI_TRY_OWNING(tni_csr_open(&call.chosen, packed, TNI_READ, stream));
    }
    status =
        make(result, queue_rows, &call, &call.to, call.rows, a->data->dtype, call.is_wide, stream);
cleanup:
    tn_array_release(packed);
    tni_csr_release(&held);
    return status;
}

/* Merges into arrays that are large enough for any result. */
static tn_status merge(tn_csr_arrays *result, tni_csr_merge *call, tn_stream *stream) {
    const int64_t most = call->a.count + call->b.count;
    tn_array *data = NULL, *indices = NULL;
    making m;
    tn_status status;
    TNI_TRY(begin(&m, &call->to, call->a.rows, stream));
    TNI_TRY_OWNING(tni_csr_new(&data, &call->to.values, call->result_dtype, most, stream));
    TNI_TRY_OWNING(
        tni_csr_new(&indices, &call->to.indices, tni_csr_index(call->is_wide), most, stream));
    TNI_TRY_OWNING(tni_queue_csr_merge(call, stream));
    TNI_TRY_OWNING(read_count(&m, call->is_wide, stream));
    TNI_TRY_OWNING(tni_csr_shorten(&m.made.data, data, m.to->count, stream));
    TNI_TRY_OWNING(tni_csr_shorten(&m.made.indices, indices, m.to->count, stream));
    status = finish(&m, result, call->is_wide, stream);
cleanup:
    tn_array_release(indices);
    tn_array_release(data);
    end(&m);
    return status;
}

tn_status tn_csr_merge(tn_csr_arrays *result, int op, tn_dtype result_dtype, const tn_csr *a,
                       const tn_csr *b, tn_stream *stream) {
    const tn_csr *both[2] = {a, b};
    tni_csr_held held[2] = {{{0}, NULL, NULL, NULL}, {{0}, NULL, NULL, NULL}};
    tni_csr_merge call = {.op = op, .dtype = a->data->dtype, .result_dtype = result_dtype};
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 2, both, NULL));
    if (a->rows != b->rows || a->columns != b->columns)
        TNI_FAIL(TN_ERROR_VALUE,
                 "inconsistent shapes: sparse matrices of shapes (%lld,%lld) and (%lld,%lld)",
                 (long long)a->rows, (long long)a->columns, (long long)b->rows,
                 (long long)b->columns);
    for (int k = 0; k < 2; k++)
        TNI_TRY_OWNING(tni_csr_hold(&held[k], both[k], call.dtype, call.is_wide, stream));
    call.a = held[0].csr;
    call.b = held[1].csr;
    status = merge(result, &call, stream);
cleanup:
    tni_csr_release(&held[0]);
    tni_csr_release(&held[1]);
    return status;
}
