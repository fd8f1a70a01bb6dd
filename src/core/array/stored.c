/* Dtypes of elements that are no numbers. Each is a row of a table that only grows: rows lie in
 * blocks of doubling size that never move, so a row is read without a lock. A row is complete
 * before the number of rows includes it. */
#include "core/array/stored.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/forklock.h"

#include <stdatomic.h>
#include <string.h>

enum { FIRST_BLOCK = 64, BLOCKS = 9 }; /* an array keeps its dtype in 16 bits */

static tni_fork_lock lock = TNI_FORK_LOCK;
static tni_stored *blocks[BLOCKS];
static atomic_int row_count;

/* Block b has the rows from (2^b - 1) * FIRST_BLOCK on. */
static int block_of(int row) {
    return 31 - __builtin_clz((unsigned)row / FIRST_BLOCK + 1);
}

static tni_stored *row_at(int row) {
    const int block = block_of(row);
    return blocks[block] + (row - ((1 << block) - 1) * FIRST_BLOCK);
}

const tni_stored *tni_stored_find(int dtype) {
    const int row = dtype - TN_DTYPE_COUNT;
    if (row < 0 || row >= atomic_load_explicit(&row_count, memory_order_acquire)) return NULL;
    return row_at(row);
}

/* Room for one more row; the lock is held. */
static tn_status make_room(int row) {
    const int block = block_of(row);
    const size_t bytes = sizeof(tni_stored) * (FIRST_BLOCK << block);
    if (block >= BLOCKS) TNI_FAIL(TN_ERROR_MEMORY, "there are too many dtypes: %d", row);
    if (!blocks[block] && !(blocks[block] = tni_malloc(bytes)))
        return tni_fail_no_memory((int64_t)bytes);
    return TN_OK;
}

static tn_status copy_text(char **copy, const char *text) {
    const size_t bytes = text ? strlen(text) + 1 : 0;
    *copy = text ? tni_malloc(bytes) : NULL;
    if (text && !*copy) return tni_fail_no_memory((int64_t)bytes);
    if (text) memcpy(*copy, text, bytes);
    return TN_OK;
}

tn_status tn_dtype_new(tn_dtype *result, const char *name, int64_t item_bytes, const char *c_type,
                       const char *c_text) {
    if (item_bytes < 1 || item_bytes > INT32_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "an element has 1 to 2**31 - 1 bytes, not %lld",
                 (long long)item_bytes);
    tni_stored made = {item_bytes, NULL, NULL, NULL};
    tn_status status = copy_text(&made.name, name);
    if (status == TN_OK) status = copy_text(&made.c_type, c_type);
    if (status == TN_OK) status = copy_text(&made.c_text, c_text);
    tni_fork_lock_take(&lock);
    const int row = atomic_load_explicit(&row_count, memory_order_relaxed);
    if (status == TN_OK) status = make_room(row);
    if (status == TN_OK) {
        *row_at(row) = made;
        atomic_store_explicit(&row_count, row + 1, memory_order_release);
        *result = (tn_dtype)(TN_DTYPE_COUNT + row);
    }
    tni_fork_lock_give(&lock);
    if (status == TN_OK) return TN_OK;
    tni_free(made.name);
    tni_free(made.c_type);
    tni_free(made.c_text);
    return status;
}
