/* Which compiled loop runs (loops.h): the instruction-set level, chosen once, and the table of
 * loops.
 *
 * Decides: the best level that was built and that this processor has; TENORITE_ISA can lower it.
 * Invariant: after `once`, the tables do not change, so readers need no lock.
 * Algorithm: the lists of the level's files fill the tables in order, later entries over earlier
 * ones: bodies, conversions, block conversions, the vector maths library where it loads, and what
 * is faster than that. */
#include "backend/host/loops.h"

#include "backend/host/loops/level.h"
#include "core/base/library.h"

#ifdef TNI_HAVE_ISA_v3
#include <cpuid.h>
#endif
#include <pthread.h>
#include <stdlib.h>

extern const tni_level tni_level_generic, tni_level_v2, tni_level_v3, tni_level_v4;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const tni_level *chosen;
static tni_loop loops[tni_op_count][tni_dtype_count];
static tni_loop casts[tni_dtype_count][tni_dtype_count];

#ifdef TNI_HAVE_ISA_v3
/* clang 14 does not know this feature by name. The caller asks for another one of AVX, too, which
 * says that the system keeps its registers. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}
#endif

/* The levels that can run here, the plainest first. */
static int list_levels(const tni_level **levels) {
    int count = 0;
#ifdef TNI_HAVE_ISA_generic
    levels[count++] = &tni_level_generic;
#endif
#ifdef TNI_HAVE_ISA_v2
    levels[count++] = &tni_level_v2;
#endif
#ifdef TNI_HAVE_ISA_v3
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && has_f16c())
        levels[count++] = &tni_level_v3;
#endif
#ifdef TNI_HAVE_ISA_v4
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        levels[count++] = &tni_level_v4;
#endif
    return count;
}

/* The best level, or the one that TENORITE_ISA names if it can run. */
static const tni_level *choose_level(void) {
    const tni_level *levels[4];
    int count = list_levels(levels);
    const char *wanted = getenv("TENORITE_ISA");
    for (int k = 0; wanted && k < count; k++)
        if (strcmp(levels[k]->name, wanted) == 0) return levels[k];
    return levels[count - 1];
}

static void set_loop(int op, int dtype, tni_loop loop) {
    if (loops[op][dtype]) loops[op][dtype] = loop;
}

/* The handle stays open: its functions are in the table for good. */
static void bind_sleef(void) {
    static char path[TNI_LIBRARY_PATH];
    void *library = tni_library_open(TNI_LIBRARY_SLEEF, path);
    if (!library) return;
    chosen->bind_sleef(library, set_loop);
    tni_library_found(TNI_LIBRARY_SLEEF, path);
}

static void init(void) {
    chosen = choose_level();
    for (int k = 0; k < tni_dtype_count; k++) {
        for (const tni_loop_entry *e = chosen->loops[k]; e->loop; e++)
            loops[e->op][e->dtype] = e->loop;
        for (const tni_loop_entry *e = chosen->casts[k]; e->loop; e++)
            casts[e->op][e->dtype] = e->loop;
    }
    for (const tni_loop_entry *e = chosen->block_casts; e->loop; e++)
        casts[e->op][e->dtype] = e->loop;
    for (const tni_loop_entry *e = chosen->divisions; e->loop; e++)
        loops[e->op][e->dtype] = e->loop;
    for (const tni_loop_entry *e = chosen->exponents; e->loop; e++)
        loops[e->op][e->dtype] = e->loop;
    const char *wanted = getenv("TENORITE_SLEEF");
    if (wanted && strcmp(wanted, "0") == 0)
        return; /* nor our own: all results are the C library's */
    bind_sleef();
    for (const tni_loop_entry *e = chosen->faster; e->loop; e++)
        loops[e->op][e->dtype] = e->loop;
}

void tni_loops_init(void) {
    pthread_once(&once, init);
}

const tni_level *tni_loops_level(void) {
    tni_loops_init();
    return chosen;
}

const char *tni_loops_isa(void) {
    return tni_loops_level()->name;
}

tni_loop tni_loop_find(int op, int dtype) {
    tni_loops_init();
    return loops[op][dtype];
}

tni_loop tni_cast_find(int from, int to) {
    tni_loops_init();
    return casts[from][to];
}

void tni_stream_copy(void *to, const void *from, size_t bytes) {
    tni_loops_level()->stream_copy(to, from, bytes);
}

void tni_transpose(const tni_transposition *t) {
    tni_loops_level()->transpose(t);
}
