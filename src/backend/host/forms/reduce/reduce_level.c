/* The compiled loops of reductions at the level in use, found by operation and dtype. */
#include "backend/host/forms/reduce/reduce_level.h"

#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"

#include <pthread.h>

static const tni_fold *folds[TN_OP_COUNT][TN_DTYPE_COUNT]; /* to the same dtype */
static const tni_fold *widening[TN_DTYPE_COUNT];           /* sums, to i64 or u64 */
static const tni_position_loops *positions[TN_OP_COUNT][TN_DTYPE_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_tables(void) {
    const tni_level *level = tni_loops_level();
    for (const tni_fold *const *list = level->reduce->folds; *list; list++)
        for (const tni_fold *fold = *list; fold->op >= 0; fold++)
            if (fold->input == fold->accumulator)
                folds[fold->op][fold->input] = fold;
            else
                widening[fold->input] = fold;
    for (const tni_position_loops *loops = level->positions; loops->op >= 0; loops++)
        positions[loops->op][loops->dtype] = loops;
}

const tni_reduce_loops *tni_host_reduce_loops(void) {
    return tni_loops_level()->reduce;
}

const tni_fold *tni_host_fold_find(tn_op op, tn_dtype input, tn_dtype accumulator) {
    pthread_once(&once, read_tables);
    if (input != accumulator && op == TN_OP_ADD && widening[input] &&
        widening[input]->accumulator == (short)accumulator)
        return widening[input];
    return folds[op][accumulator];
}

const tni_fold *tni_host_moment_find(tn_dtype input, bool skips_nan) {
    const tni_reduce_loops *loops = tni_loops_level()->reduce;
    return &(skips_nan ? loops->number_moments : loops->moments)[input == TN_F64];
}

const tni_position_loops *tni_host_position_find(tn_op op, tn_dtype dtype) {
    pthread_once(&once, read_tables);
    return positions[op][dtype];
}

const tni_scan_loops *tni_host_scan_find(tn_op op, tn_dtype dtype) {
    const tni_scan_loops *loops = tni_loops_level()->scans;
    while (loops->op >= 0 && (loops->op != (short)op || loops->dtype != (short)dtype))
        loops++;
    return loops->op >= 0 ? loops : NULL;
}
