/* The compiled loops of reductions at the level in use, found by operation and dtype. */
#include "backend/host/folding.h"

#include <pthread.h>
#include <string.h>

#define LEVEL(isa) {#isa, &tni_reduce_loops_##isa, tni_position_loops_##isa, tni_scan_loops_##isa},
static const struct level {
    const char *isa;
    const tni_reduce_loops *reduce;
    const tni_position_loops *positions;
    const tni_scan_loops *scans;
} levels[] = {
#ifdef TNI_HAVE_ISA_generic
    LEVEL(generic)
#endif
#ifdef TNI_HAVE_ISA_v2
        LEVEL(v2)
#endif
#ifdef TNI_HAVE_ISA_v3
            LEVEL(v3)
#endif
#ifdef TNI_HAVE_ISA_v4
                LEVEL(v4)
#endif
};

static const struct level *level;
static const tni_fold *folds[TN_OP_COUNT][TN_DTYPE_COUNT]; /* to the same dtype */
static const tni_fold *widening[TN_DTYPE_COUNT];           /* sums, to i64 or u64 */
static const tni_position_loops *positions[TN_OP_COUNT][TN_DTYPE_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_tables(void) {
    const char *isa = tni_loops_isa();
    level = &levels[0];
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++)
        if (strcmp(levels[k].isa, isa) == 0) level = &levels[k];
    for (const tni_fold *const *list = level->reduce->folds; *list; list++)
        for (const tni_fold *fold = *list; fold->op >= 0; fold++)
            if (fold->input == fold->accumulator)
                folds[fold->op][fold->input] = fold;
            else
                widening[fold->input] = fold;
    for (const tni_position_loops *loops = level->positions; loops->op >= 0; loops++)
        positions[loops->op][loops->dtype] = loops;
}

static inline const struct level *get_level(void) {
    pthread_once(&once, read_tables);
    return level;
}

const tni_reduce_loops *tni_host_reduce_loops(void) {
    return get_level()->reduce;
}

const tni_fold *tni_host_fold_find(tn_op op, tn_dtype input, tn_dtype accumulator) {
    get_level();
    if (input != accumulator && op == TN_OP_ADD && widening[input] &&
        widening[input]->accumulator == (short)accumulator)
        return widening[input];
    return folds[op][accumulator];
}

const tni_fold *tni_host_moment_find(tn_dtype input, bool skips_nan) {
    const tni_reduce_loops *loops = get_level()->reduce;
    return &(skips_nan ? loops->number_moments : loops->moments)[input == TN_F64];
}

const tni_position_loops *tni_host_position_find(tn_op op, tn_dtype dtype) {
    get_level();
    return positions[op][dtype];
}

const tni_scan_loops *tni_host_scan_find(tn_op op, tn_dtype dtype) {
    const tni_scan_loops *loops = get_level()->scans;
    while (loops->op >= 0 && (loops->op != (short)op || loops->dtype != (short)dtype))
        loops++;
    return loops->op >= 0 ? loops : NULL;
}
