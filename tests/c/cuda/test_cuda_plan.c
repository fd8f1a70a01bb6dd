/* Plans of the CUDA backend's forms: made for a device that is not there, without a driver. */
#include "replay.h"

#include "backend/cuda/driver/library.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/elementwise.h"
#include "forms/indexing.h"
#include "forms/mask.h"
#include "forms/matmul.h"
#include "forms/reduce.h"

#include <tenorite/tenorite.h>

static char *const somewhere = (char *)(uintptr_t)0x7000000;
static const tni_target large = {.arch = 90, .multiprocessors = 132};
static const tni_target small = {.arch = 75, .multiprocessors = 8};

/* One at a time. */
static tni_plan plan;

static void begin(const tni_target *target) {
    memset(&plan, 0x5a, sizeof plan); /* what a plan leaves unset is not looked at */
    tni_plan_init(&plan, target);
}

static int64_t word(const tni_step *step, int number) {
    int64_t value;
    memcpy(&value, plan.params + step->params_at + 8 * number, sizeof value);
    return value;
}

static int count_slots(int kind) {
    int count = 0;
    for (int k = 0; k < plan.slot_count; k++)
        count += (int)plan.slots[k].kind == kind;
    return count;
}

static void check_files(const char *files) {
    char found[128] = "";
    for (int k = 0; k < plan.step_count; k++) {
        const char *file = plan.steps[k].key.form ? plan.steps[k].key.form->file : "-";
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", k ? " " : "", file);
    }
    assert_string_equal(found, files);
}

/* One launch with the operands' addresses, whatever the device. */
static void test_elementwise(void **state) {
    (void)state;
    tni_elementwise call = {.op = TN_OP_ADD, .dtype = TN_F32, .input_count = 2, .output_count = 1};
    call.ndim = 1;
    call.size = call.shape[0] = 1000000;
    for (int k = 0; k < 3; k++) {
        call.arguments[k].dtype = call.arguments[k].loop_dtype = TN_F32;
        call.arguments[k].data = somewhere + 0x1000000 * k;
        call.arguments[k].strides[0] = 4;
    }
    begin(&large);
    assert_int_equal(tni_plan_elementwise(&plan, &call), TN_OK);
    check_files("flat");
    const tni_step *step = &plan.steps[0];
    assert_int_equal(step->key.op, TN_OP_ADD);
    assert_int_equal(step->key.dtypes[0], TN_F32);
    assert_int_equal(step->blocks, (1000000 + 4 * 128 - 1) / (4 * 128));
    assert_int_equal(step->threads, 128);
    assert_int_equal(step->params_bytes, 8 + 3 * 8 + 3 * 16);
    assert_int_equal(word(step, 0), 1000000);
    for (int k = 0; k < 3; k++)
        assert_int_equal(word(step, 1 + k), (int64_t)(uintptr_t)call.arguments[k].data);
    assert_int_equal(plan.slot_count + plan.scratch_count, 0);
    call.size = 0;
    begin(&large);
    assert_int_equal(tni_plan_elementwise(&plan, &call), TN_OK);
    assert_int_equal(plan.step_count, 0);
    assert_null(tni_driver.cuInit); /* no driver was loaded for it */
}

/* The grid is the target's; several blocks of one result ask for states and counters. */
static void test_reduction(void **state) {
    (void)state;
    tni_reduce call = {.op = TN_OP_ADD, .statistic = TNI_STATISTIC_FOLD};
    call.input_dtype = call.accumulator = call.output_dtype = TN_F32;
    call.input = somewhere;
    call.output = somewhere + 0x1000000;
    call.kept_size = call.reduced_ndim = 1;
    call.reduced_size = call.reduced_shape[0] = 100000000;
    call.reduced_input[0] = 4;
    const tni_target *targets[] = {&large, &small};
    for (int k = 0; k < 2; k++) {
        begin(targets[k]);
        assert_int_equal(tni_plan_reduce(&plan, &call), TN_OK);
        check_files("reduce_rows");
        assert_int_equal(plan.steps[0].blocks, 8 * targets[k]->multiprocessors);
        assert_int_equal(plan.scratch_count, 1);
        assert_int_equal(plan.scratch[0].bytes, 32 * (int64_t)plan.steps[0].blocks);
        assert_int_equal(plan.scratch[0].fill, -1);
        assert_true(plan.needs_workspace);
        assert_int_equal(count_slots(TNI_SLOT_SCRATCH), 1);
        assert_int_equal(count_slots(TNI_SLOT_COUNTERS), 1);
        assert_int_equal(plan.slot_count, 2);
    }
    call.reduced_size = call.reduced_shape[0] = 10;
    begin(&large);
    assert_int_equal(tni_plan_reduce(&plan, &call), TN_OK);
    assert_int_equal(plan.steps[0].blocks, 1);
    assert_int_equal(plan.slot_count + plan.scratch_count, 0);
}

/* Three launches that share one array of owners and the record of bad indexes. */
static void test_put(void **state) {
    (void)state;
    tni_put call = {.form = {.item_bytes = 4, .array = somewhere, .axis_size = 1000000}};
    call.form.axis_stride = call.form.dense_stride = 4;
    call.form.dense = somewhere + 0x1000000;
    call.form.indices = somewhere + 0x2000000;
    call.form.index_dtype = TN_I64;
    call.form.index_count = 1000;
    call.form.index_stride = 8;
    call.form.mode = TN_INDEX_RAISE;
    begin(&large);
    assert_int_equal(tni_plan_put(&plan, &call), TN_OK);
    check_files("put_last put_last put_last");
    assert_int_equal(plan.scratch_count, 2); /* two bits for each place, owners and clashes */
    assert_true(plan.scratch[0].bytes >= 1000000 / 4);
    assert_true(plan.scratch[1].bytes >= 4 * 1000000 + 1000 / 8);
    assert_true(plan.needs_bounds);
    assert_int_equal(count_slots(TNI_SLOT_BOUNDS), 3);
    assert_int_equal(count_slots(TNI_SLOT_SCRATCH), 9);
    call.form.ndim = 1; /* rows */
    call.form.shape[0] = call.form.dense_strides[0] = call.form.array_strides[0] = 4;
    begin(&large);
    assert_int_equal(tni_plan_put(&plan, &call), TN_OK);
    check_files("own own take");
    assert_int_equal(plan.scratch_count, 1);
    assert_int_equal(plan.scratch[0].bytes, 4 * 1000000);
    call.form.ndim = 0;
    call.form.dense = NULL; /* one value */
    begin(&large);
    assert_int_equal(tni_plan_put(&plan, &call), TN_OK);
    check_files("check take");
    assert_int_equal(plan.scratch_count, 0);
}

/* A long sum of integers is cut: parts into memory of the plan, and their sum out of it; floats are
 * a library's, in the same order of steps. */
static void test_matmul(void **state) {
    (void)state;
    tni_matmul call = {.dtype = TN_I64, .batch_count = 1, .m = 4, .n = 4, .k = 10000};
    call.out = (tni_matrix){somewhere, 32, 8, {0}};
    call.a = (tni_matrix){somewhere + 0x1000000, 80000, 8, {0}};
    call.b = (tni_matrix){somewhere + 0x2000000, 32, 8, {0}};
    begin(&large);
    assert_int_equal(tni_plan_matmul(&plan, &call), TN_OK);
    assert_int_equal(plan.step_count, 3);
    assert_string_equal(plan.steps[0].key.form->file, "matmul");
    assert_string_equal(plan.steps[1].key.form->file, "matmul");
    assert_memory_equal(plan.steps[2].key.form->file, "reduce_", 7);
    assert_int_equal(plan.scratch[0].bytes, 5 * 4 * 4 * 8);
    assert_true(tni_is_scratch((const void *)(uintptr_t)word(&plan.steps[0], 0)));
    assert_int_equal(word(&plan.steps[1], 0), word(&plan.steps[0], 0) + 4 * 4 * 4 * 8);
    call.dtype = TN_F64;
    begin(&large);
    assert_int_equal(tni_plan_matmul(&plan, &call), TN_OK);
    assert_int_equal(plan.step_count, 1);
    assert_null(plan.steps[0].key.form);
    assert_ptr_equal(plan.steps[0].call, &call);
}

/* An empty mask has one offset, which is cleared. */
static void test_clear(void **state) {
    (void)state;
    tni_nonzero call = {.is_counting = true};
    call.mask.offsets = (int64_t *)(void *)somewhere;
    begin(&small);
    assert_int_equal(tni_plan_nonzero(&plan, &call), TN_OK);
    assert_int_equal(plan.step_count, 1);
    assert_null(plan.steps[0].key.form);
    assert_true(plan.steps[0].run == NULL);
    assert_ptr_equal(plan.steps[0].to, somewhere);
    assert_int_equal(plan.steps[0].bytes, 8);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_elementwise), REPLAY(test_reduction),
                                        REPLAY(test_put), REPLAY(test_matmul), REPLAY(test_clear)};
    return REPLAY_RUN("cuda_plan", tests);
}
