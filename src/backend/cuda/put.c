/* Putting on CUDA: array[indices] = dense.
 *
 * Of equal indices the last wins. So a first launch notes, for every place of the axis that is written, the
 * last index that names it: in an array as long as the axis, or, where indices are few, in a hash table.
 * It checks the indices, too; the second launch writes, unless one was out of bounds. One value for all
 * needs the check alone. */
#include "core/put.h"
#include "backend/cuda/forms.h"
#include "backend/cuda/indexing.h"

#include <limits.h>
#include <string.h>

enum { BLOCK = 256, ARRAY_OWNERS = 1, TABLE_OWNERS = 2 };

/* An axis this many times longer than its indices is still cleared faster than a table is searched. */
enum { OWNERS_SHARE = 32 };

static void write_types(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s IndexType;\n", tni_body_stored((tn_dtype)key->dtypes[0]));
}

static const tni_form own_form = {"own", {"BLOCK", "INDEX_MODE", "OWNERS"}, write_types, 32};

static tn_status note_owners(const tni_indexing *form, const tni_move *move,
                             const tni_bounds *bounds, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    key.op = -1;
    key.dtypes[0] = (int8_t)(form->index_dtype == TN_U64 ? TN_I64 : form->index_dtype);
    key.numbers[0] = BLOCK;
    key.numbers[1] = (int16_t)form->mode;
    key.numbers[2] = (int16_t)move->owners;
    TNI_TRY(tni_form_get(&kernel, &own_form, &key, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, form->indices);
    tni_form_put_i64(&params, form->index_count);
    tni_form_put_i64(&params, form->index_stride);
    tni_form_put_i64(&params, form->axis_size);
    tni_form_put_i64(&params, form->axis);
    tni_form_put(&params, bounds, sizeof *bounds);
    tni_form_put_pointer(&params, move->owner_data);
    tni_form_put_i64(&params, move->owner_mask);
    return tni_form_launch(kernel, tni_form_ceil(form->index_count, BLOCK), BLOCK, &params, stream);
}

static tn_status put_values(const tni_indexing *form, const tni_bounds *bounds, tn_stream *stream) {
    tni_move move = {.is_put = true, .is_checked = form->mode == TN_INDEX_RAISE};
    tni_form_scratch memory;
    int64_t slots = 1024;
    bool is_array = form->axis_size > 0 && form->axis_size <= OWNERS_SHARE * form->index_count &&
                    form->index_count < INT_MAX;
    while (slots < 2 * form->index_count)
        slots *= 2;
    move.owners = is_array ? ARRAY_OWNERS : TABLE_OWNERS;
    move.owner_mask = slots - 1;
    TNI_TRY(
        tni_form_scratch_init(&memory, is_array ? 4 * form->axis_size : 16 * slots, 0xff, stream));
    move.owner_data = memory.address;
    tn_status status = note_owners(form, &move, bounds, stream);
    if (status == TN_OK) status = tni_cuda_move(form, &move, bounds, stream);
    tni_form_scratch_deinit(&memory);
    return status;
}

tn_status tni_cuda_put(const struct tni_put *call, tn_stream *stream) {
    const tni_indexing *form = &call->form;
    tni_bounds bounds;
    if (form->index_count == 0) return TN_OK;
    TNI_TRY(tni_bounds_begin(&bounds, stream));
    tni_move move = {.is_put = true, .has_value = true};
    move.is_checked = form->mode == TN_INDEX_RAISE;
    if (form->dense && (form->axis_size == 0 || form->index_count > 1))
        return put_values(form, &bounds, stream);
    if (move.is_checked)
        TNI_TRY(tni_cuda_check_indices(form->indices, form->index_dtype, 1, &form->index_count,
                                       &form->index_stride, form->axis_size, form->axis, &bounds,
                                       stream));
    move.has_value = !form->dense;
    memcpy(move.value, call->value, sizeof move.value);
    return tni_cuda_move(form, &move, &bounds, stream);
}
