/* The host's form "csr_factor_solve". */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "forms/factors.h"

#include <stdatomic.h>
#include <string.h>

enum { PANEL = 8 }; /* right sides that are solved together */

typedef struct solving {
    const tni_csr_factor_solve *call;
    int64_t item;
    atomic_bool lacks_memory;
} solving;

static tni_lu_triangle triangle(const tni_factors *f, bool is_upper) {
    const tni_factor_part *part = is_upper ? &f->upper : &f->lower;
    return (tni_lu_triangle){f->n, part->starts, part->rows, part->values,
                             is_upper ? f->diagonal : NULL};
}

/* Between the rows of b and those of a panel: row k of the panel is row order[k]. */
static void move(const solving *s, char *panel, int64_t first, int64_t width, const int32_t *order,
                 bool is_back) {
    const int64_t line = s->call->columns * s->item;
    char *b = (char *)s->call->b + first * s->item;
    const size_t bytes = (size_t)(width * s->item);
    for (int64_t k = 0; k < s->call->factors->n; k++) {
        char *in_panel = panel + k * (int64_t)bytes, *in_b = b + order[k] * line;
        memcpy(is_back ? in_b : in_panel, is_back ? in_panel : in_b, bytes);
    }
}

static void solve_panels(void *context, int64_t begin, int64_t end) {
    solving *s = context;
    const tni_csr_factor_solve *call = s->call;
    const tni_factors *f = call->factors;
    const tni_lu_loops *loops = tni_loops_level()->lu[call->dtype];
    const tni_lu_triangle lower = triangle(f, false), upper = triangle(f, true);
    const bool is_plain = !call->is_transposed;
    char *panel = tni_malloc((size_t)(f->n * PANEL * s->item));
    if (!panel) {
        atomic_store(&s->lacks_memory, true);
        return;
    }
    for (int64_t at = begin; at < end; at++) {
        const int64_t first = at * PANEL, left = call->columns - first;
        const int64_t width = left < PANEL ? left : PANEL;
        move(s, panel, first, width, is_plain ? f->row_of : f->column_of, false);
        if (is_plain) {
            loops->solve(&lower, 0, panel, width);
            loops->solve(&upper, 1, panel, width);
        } else {
            loops->solve_transposed(&upper, 1, call->is_adjoint, panel, width);
            loops->solve_transposed(&lower, 0, call->is_adjoint, panel, width);
        }
        move(s, panel, first, width, is_plain ? f->column_of : f->row_of, true);
    }
    tni_free(panel);
}

tn_status tni_host_run_csr_factor_solve(void *parameters) {
    const tni_csr_factor_solve *call = parameters;
    solving s = {call, tn_dtype_size(call->dtype), false};
    const int64_t work = call->factors->lower.starts[call->factors->n] +
                         call->factors->upper.starts[call->factors->n] + call->factors->n;
    tni_parallel_units((call->columns + PANEL - 1) / PANEL, work * PANEL / 2, solve_panels, &s);
    return atomic_load(&s.lacks_memory) ? tni_fail_no_memory(call->factors->n * PANEL * s.item)
                                        : TN_OK;
}

TNI_HOST_PLAN(csr_factor_solve, call->factors->n * call->columns * 16)
