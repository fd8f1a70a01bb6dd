/* Putting on CUDA: array[indices] = dense.
 *
 * Of equal indices the last wins. So launches before the one that writes note, for every place of
 * the axis that is written, the last index that names it (owners.cuh): in an array as long as the
 * axis, or, where indices are few, in a hash table. They check the indices, too; the last launch
 * writes, unless one was out of bounds. Where an index is an element, two bits tell which indices
 * are there more than once, and owners are noted for these alone (kernels/index/put_last.cu): bits
 * lie in the cache where owners would not. One value for all needs the check alone. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/index/indexing.h"
#include "backend/cuda/forms/index/take.h"
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

static const tni_own_form own_form = TNI_FORM(own, write_types);

static void note_owners(tni_plan *plan, const tni_indexing *form, const tni_move *move, int step) {
    tni_form_key *key = TNI_STEP(
        plan, own, &own_form,
        MACROS(.BLOCK = BLOCK, .INDEX_MODE = form->mode, .OWNERS = move->owners, .STEP = step),
        PARAMS(.indices = form->indices, .count = form->index_count,
               .index_stride = form->index_stride, .axis_size = form->axis_size, .axis = form->axis,
               .owners = move->owner_data, .owner_mask = move->owner_mask));
    key->dtypes[0] = (int8_t)(form->index_dtype == TN_U64 ? TN_I64 : form->index_dtype);
    tni_plan_grid(plan, tni_form_ceil(form->index_count, BLOCK), BLOCK);
}

static bool are_few(const tni_indexing *form) {
    return form->index_count < form->axis_size / OWNERS_SHARE;
}

static bool gets_array(const tni_indexing *form) {
    return form->axis_size > 0 && form->index_count < INT_MAX &&
           (!are_few(form) || form->axis_size <= SHORT_AXIS);
}

/* The step of the first launch. */
static int plan_owners(tni_plan *plan, tni_move *move, const tni_indexing *form) {
    int64_t slots = 1024;
    if (gets_array(form)) {
        bool marks = are_few(form) || form->axis_size <= CACHED_AXIS;
        move->owners = ARRAY_OWNERS;
        move->owner_data = tni_plan_scratch(plan, 4 * form->axis_size, marks ? -1 : 0xff);
        return marks ? MARK : ALONE;
    }
    while (slots < 2 * form->index_count)
        slots *= 2;
    move->owners = TABLE_OWNERS;
    move->owner_mask = slots - 1;
    move->owner_data = tni_plan_scratch(plan, 16 * slots, 0xff);
    return ALONE;
}

/* --- An element an index --- */

enum { UNROLL = 4, STEPS = 3 };

static const tni_put_last_form last_form = TNI_FORM(put_last, write_types);

/* Whether all elements are read and written as one unit. */
static bool is_of_elements(const tni_indexing *form) {
    const int64_t bits = (int64_t)(uintptr_t)form->array | form->axis_stride | form->item_bytes |
                         (int64_t)(uintptr_t)form->dense | form->dense_stride;
    return form->ndim == 0 && tni_form_alignment(bits, 16) == form->item_bytes;
}

static void plan_last(tni_plan *plan, const tni_indexing *form, const char *seen,
                      const char *owners, int step) {
    const bool looks = form->axis_size < 4 * form->index_count;
    tni_form_key *key = TNI_STEP(
        plan, put_last, &last_form,
        MACROS(.BLOCK = BLOCK, .INDEX_MODE = form->mode, .UNIT_BYTES = form->item_bytes,
               .UNROLL = UNROLL, .STEP = step, .LOOKS = looks),
        PARAMS(.array = form->array, .dense = form->dense, .indices = form->indices,
               .count = form->index_count, .axis_size = form->axis_size,
               .axis_stride = form->axis_stride, .axis = form->axis,
               .dense_stride = form->dense_stride, .index_stride = form->index_stride, .seen = seen,
               .owners = owners, .clashes = owners + ((4 * form->axis_size + 255) & -256)));
    key->dtypes[0] = (int8_t)(form->index_dtype == TN_U64 ? TN_I64 : form->index_dtype);
    tni_plan_grid(plan, tni_form_ceil(form->index_count, BLOCK * UNROLL), BLOCK);
}

static void put_elements(tni_plan *plan, const tni_indexing *form) {
    const int64_t owners = (4 * form->axis_size + 255) & -256;
    const char *seen = tni_plan_scratch(plan, form->axis_size / 4 + 4, 0);
    const char *noted = tni_plan_scratch(plan, owners + form->index_count / 8 + 4, -1);
    for (int step = 0; step < STEPS; step++)
        plan_last(plan, form, seen, noted, step);
}

/* --- Rows --- */

static tn_status put_values(tni_plan *plan, const tni_indexing *form) {
    if (gets_array(form) && is_of_elements(form)) {
        put_elements(plan, form);
        return TN_OK;
    }
    tni_move move = {.is_put = true, .is_checked = form->mode == TN_INDEX_RAISE};
    int step = plan_owners(plan, &move, form);
    note_owners(plan, form, &move, step);
    if (step == MARK) note_owners(plan, form, &move, OWN);
    return tni_plan_move(plan, form, &move);
}

tn_status tni_plan_put(tni_plan *plan, const struct tni_put *call) {
    const tni_indexing *form = &call->form;
    if (form->index_count == 0) return TN_OK;
    tni_move move = {.is_put = true, .has_value = true};
    move.is_checked = form->mode == TN_INDEX_RAISE;
    if (form->dense && (form->axis_size == 0 || form->index_count > 1))
        return put_values(plan, form);
    if (move.is_checked)
        tni_plan_check(plan, form->indices, form->index_dtype, 1, &form->index_count,
                       &form->index_stride, form->axis_size, form->axis, false);
    move.has_value = !form->dense;
    memcpy(move.value, call->value, sizeof move.value);
    return tni_plan_move(plan, form, &move);
}
