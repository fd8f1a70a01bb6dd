/* Putting on CUDA: array[indices] = dense.
 *
 * Of equal indices the last wins. So launches before the one that writes note, for every place of
 * the axis that is written, the last index that names it (kernels/owners.cuh): in an array as long
 * as the axis, or, where indices are few, in a hash table. They check the indices, too; the last
 * launch writes, unless one was out of bounds. One value for all needs the check alone. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/indexing.h"
#include "backend/cuda/forms/take.h"
#include "backend/cuda/launch/workspace.h"
#include "forms/indexing.h"

#include <limits.h>
#include <string.h>

enum { BLOCK = 256, ARRAY_OWNERS = 1, TABLE_OWNERS = 2 };

/* An axis gets an array if it is short, or not so many times longer than its indices that memory
 * were wasted. Where indices are many and the array does not fit into the cache, clearing it is
 * less than writing twice. */
enum { SHORT_AXIS = 1 << 24, CACHED_AXIS = 1 << 22, OWNERS_SHARE = 32 };
enum { ALONE, MARK, OWN };

static void write_types(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s IndexType;\n", tni_body_stored((tn_dtype)key->dtypes[0]));
}

static const tni_form own_form = {
    "own", {"BLOCK", "INDEX_MODE", "OWNERS", "STEP"}, write_types, 32};

static tn_status note_owners(const tni_indexing *form, const tni_move *move, int step,
                             const tni_bounds *bounds, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    key.op = -1;
    key.dtypes[0] = (int8_t)(form->index_dtype == TN_U64 ? TN_I64 : form->index_dtype);
    key.numbers[0] = BLOCK;
    key.numbers[1] = (int16_t)form->mode;
    key.numbers[2] = (int16_t)move->owners;
    key.numbers[3] = (int16_t)step;
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

/* *step is that of the first launch. */
static tn_status init_owners(tni_form_scratch *memory, tni_move *move, int *step,
                             const tni_indexing *form, tn_stream *stream) {
    bool are_few = form->index_count < form->axis_size / OWNERS_SHARE;
    int64_t slots = 1024;
    *step = ALONE;
    if (form->axis_size > 0 && form->index_count < INT_MAX &&
        (!are_few || form->axis_size <= SHORT_AXIS)) {
        if (are_few || form->axis_size <= CACHED_AXIS) *step = MARK;
        move->owners = ARRAY_OWNERS;
        return tni_form_scratch_init(memory, 4 * form->axis_size, *step == MARK ? -1 : 0xff,
                                     stream);
    }
    while (slots < 2 * form->index_count)
        slots *= 2;
    move->owners = TABLE_OWNERS;
    move->owner_mask = slots - 1;
    return tni_form_scratch_init(memory, 16 * slots, 0xff, stream);
}

static tn_status put_values(const tni_indexing *form, const tni_bounds *bounds, tn_stream *stream) {
    tni_move move = {.is_put = true, .is_checked = form->mode == TN_INDEX_RAISE};
    tni_form_scratch memory;
    tn_status status = TN_OK;
    int step;
    TNI_TRY(init_owners(&memory, &move, &step, form, stream));
    move.owner_data = memory.address;
    TNI_TRY_OWNING(note_owners(form, &move, step, bounds, stream));
    if (step == MARK) TNI_TRY_OWNING(note_owners(form, &move, OWN, bounds, stream));
    status = tni_cuda_move(form, &move, bounds, stream);
cleanup:
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
