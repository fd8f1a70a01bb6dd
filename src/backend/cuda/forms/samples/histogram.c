/* The form "histogram" on CUDA: the result is cleared, then blocks count in tables in shared
 * memory, as far as the bins have room there, and add these up. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"
#include "forms/samples.h"

enum { BLOCK = 512, VALUES = 16, BLOCKS_PER_MULTIPROCESSOR = 4, TABLE_BYTES = 32 << 10 };
enum { OWN, EVEN, BETWEEN };

/* dtypes[]: of the values, of the edges. */
static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype stored = (tn_dtype)key->dtypes[0], working = (tn_dtype)key->dtypes[1];
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Working;\n", tni_body_stored(stored),
                   tni_body_working(working));
    tni_body_add_load(source, "histogram_load", stored, working);
}

static const tni_form form = {
    "histogram", {"BLOCK", "HISTOGRAM_WAY", "WEIGHTED", "TABLE", "COPIES"}, write_body, 91};

/* How many bins a table has, a power of two so that few programs do, and how often it is there.
 * Many values of one bin would wait for each other. */
static int choose_table(const tni_histogram *call, int *copies) {
    const int room = TABLE_BYTES / (call->weights ? 8 : 4);
    int table = 64;
    *copies = 1;
    if (call->bins > room) return 0;
    while (table < call->bins)
        table *= 2;
    while (*copies < 8 && 2 * *copies * table <= room / 2)
        *copies *= 2;
    return table;
}

tn_status tni_plan_histogram(tni_plan *plan, const tni_histogram *call) {
    int copies;
    const int table = choose_table(call, &copies);
    const int16_t numbers[TNI_FORM_MACROS] = {
        BLOCK, call->edges ? call->is_even ? EVEN : BETWEEN : OWN, call->weights != NULL,
        (int16_t)table, (int16_t)copies};
    tni_plan_clear(plan, call->result, call->bins * 8);
    if (call->count == 0) return TN_OK;
    tni_form_key *key = tni_plan_step(plan, &form, numbers);
    key->dtypes[0] = (int8_t)call->dtype;
    key->dtypes[1] = (int8_t)call->working;
    tni_params_pointer(plan, call->values);
    tni_params_pointer(plan, call->weights);
    tni_params_pointer(plan, call->edges);
    tni_params_pointer(plan, call->result);
    tni_params_i64(plan, call->count);
    tni_params_i64(plan, call->stride);
    tni_params_i64(plan, call->bins);
    tni_params_f64(plan, call->first);
    tni_params_f64(plan, call->scale);
    const int64_t most = (int64_t)plan->target->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    const int64_t blocks = tni_form_ceil(call->count, BLOCK * VALUES);
    tni_plan_grid(plan, table ? tni_form_min(blocks, most) : blocks, BLOCK);
    return TN_OK;
}
