/* What the forms of sparse matrices share on CUDA.
 *
 * The next call that waits reports a broken structure, as it does bad indices. */
#ifndef TNI_CUDA_FORMS_SPARSE_CSR_H
#define TNI_CUDA_FORMS_SPARSE_CSR_H

#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/sparse.h"

enum {
    TNI_CSR_BLOCK = 256,
    TNI_CSR_TILE = 2048 /* items of a piece that a block has */
};

/* The body of forms that compute: Value, csr_add, csr_multiply. */
void tni_csr_write(tni_source *source, const tni_form_key *key);

/* Of what fails, for a step's parameter `text`. */
extern const char tni_csr_broken[];
#define TNI_CSR_TEXT ((int64_t)(uintptr_t)tni_csr_broken)

/* A thread an item. */
static inline void tni_csr_grid(tni_plan *plan, int64_t items) {
    tni_plan_grid(plan, tni_form_ceil(items, TNI_CSR_BLOCK), TNI_CSR_BLOCK);
}

/* Where pieces of `tile` items begin; their number. */
int64_t tni_csr_pieces(const tni_csr *a, int tile);
void tni_csr_plan_cuts(tni_plan *plan, const tni_csr *a, bool is_wide, int tile, const char *cuts);
/* The row of every element, as an index. */
void tni_csr_plan_rows(tni_plan *plan, const tni_csr *a, bool is_wide, const char *cuts, char *to);

/* to[k] = the sum of from[0 .. k], i64; `from` are of `dtype`. */
tn_status tni_csr_plan_sums(tni_plan *plan, tn_dtype dtype, const char *from, char *to,
                            int64_t count);

/* Bytes of `count` items, so that what lies after is aligned. */
static inline int64_t tni_csr_room(int64_t count, int64_t item) {
    return (count * item + 255) & -256;
}

static inline int64_t tni_csr_index_bytes(bool is_wide) {
    return is_wide ? 8 : 4;
}

#endif
