/* The form "histogram" on CUDA: the result is cleared, then blocks count in tables in shared
 * memory, as far as the bins have room there, and add these up. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
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

static const tni_histogram_form form = TNI_FORM(histogram, write_body);

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
    tni_plan_clear(plan, call->result, call->bins * 8);
    if (call->count == 0) return TN_OK;
    tni_form_key *key = TNI_STEP(
        plan, histogram, &form,
        MACROS(.BLOCK = BLOCK, .HISTOGRAM_WAY = call->edges ? call->is_even ? EVEN : BETWEEN : OWN,
               .WEIGHTED = call->weights != NULL, .TABLE = table, .COPIES = copies),
        PARAMS(.values = call->values, .weights = call->weights, .edges = call->edges,
               .result = call->result, .count = call->count, .stride = call->stride,
               .bins = call->bins, .first = call->first, .scale = call->scale));
    key->dtypes[0] = (int8_t)call->dtype;
    key->dtypes[1] = (int8_t)call->working;
    const int64_t most = (int64_t)plan->target->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    const int64_t blocks = tni_form_ceil(call->count, BLOCK * VALUES);
    tni_plan_grid(plan, table ? tni_form_min(blocks, most) : blocks, BLOCK);
    return TN_OK;
}
