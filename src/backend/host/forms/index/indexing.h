/* What the host's indexing forms share: the level of the loops, and walks over a tni_indexing. */
#ifndef TNI_HOST_INDEXING_H
#define TNI_HOST_INDEXING_H

#include "backend/host/loops/index/index_loops.h"
#include "backend/host/table.h"

enum { TNI_INDEX_BLOCK = 1024 }; /* indices that are resolved at once */

/* Elements of the dense array. */
int64_t tni_indexing_size(const tni_indexing *form);

/* A form ready to run: outer axes x indices x one run of bytes. Inner axes that are no run in both
 * arrays have become outer axes. */
typedef struct tni_index_walk {
    tni_indexing *form; /* its axes are rearranged; outer_ndim counts all outer ones */
    const tni_move_loops *loops;
    int64_t outer_count;
    int64_t run_bytes;
    int64_t *offsets; /* of all indices; NULL: to be resolved block by block (outer_count is 1) */
} tni_index_walk;

/* Prepares a walk; with `checks`, or when offsets are needed, an index out of bounds is found
 * here. */
tn_status tni_index_walk_init(tni_index_walk *walk, tni_indexing *form, bool checks);
void tni_index_walk_deinit(tni_index_walk *walk);

/* Addresses of the arrays' elements at outer position `outer`. */
void tni_index_walk_seek(const tni_index_walk *walk, int64_t outer, char **array, char **dense);

/* The offsets of indices [begin, begin + count), count <= TNI_INDEX_BLOCK: a pointer to them, in
 * `block` if they had to be resolved. NULL if an index is out of bounds. */
const int64_t *tni_index_walk_offsets(const tni_index_walk *walk, int64_t begin, int64_t count,
                                      int64_t *block);

/* TN_ERROR_INDEX that names the first index out of bounds. */
tn_status tni_index_fail(const tni_indexing *form);

#endif
