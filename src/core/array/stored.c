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

static tni_stored *find(int dtype) {
    const int row = dtype - TN_DTYPE_COUNT;
    if (row < 0 || row >= atomic_load_explicit(&row_count, memory_order_acquire)) return NULL;
    return row_at(row);
}

const tni_stored *tni_stored_find(int dtype) {
    return find(dtype);
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
    const size_t bytes = strlen(text) + 1;
    if (!(*copy = tni_malloc(bytes))) return tni_fail_no_memory((int64_t)bytes);
    memcpy(*copy, text, bytes);
    return TN_OK;
}

tn_status tn_dtype_new(tn_dtype *result, const char *name, int64_t item_bytes) {
    if (item_bytes < 1 || item_bytes > INT32_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "an element has 1 to 2**31 - 1 bytes, not %lld",
                 (long long)item_bytes);
    char *copy;
    TNI_TRY(copy_text(&copy, name));
    tni_fork_lock_take(&lock);
    const int row = atomic_load_explicit(&row_count, memory_order_relaxed);
    tn_status status = make_room(row);
    if (status == TN_OK) {
        tni_stored *made = row_at(row);
        made->bytes = item_bytes;
        made->name = copy;
        made->c_text = NULL;
        atomic_init(&made->c_type, NULL);
        atomic_store_explicit(&row_count, row + 1, memory_order_release);
        *result = (tn_dtype)(TN_DTYPE_COUNT + row);
    }
    tni_fork_lock_give(&lock);
    if (status != TN_OK) tni_free(copy);
    return status;
}

tn_status tn_dtype_set_type(tn_dtype dtype, const char *c_type, const char *c_text) {
    tni_stored *stored = find(dtype);
    if (!stored) TNI_FAIL(TN_ERROR_VALUE, "the dtype %d was not made by tn_dtype_new", dtype);
    char *type = NULL, *text = NULL;
    tn_status status = copy_text(&type, c_type);
    if (status == TN_OK) status = copy_text(&text, c_text);
    tni_fork_lock_take(&lock);
    const bool is_set = status == TN_OK && !atomic_load(&stored->c_type);
    if (is_set) {
        stored->c_text = text;
        atomic_store(&stored->c_type, type);
    }
    tni_fork_lock_give(&lock);
    if (is_set) return TN_OK;
    tni_free(type);
    tni_free(text);
    return status;
}

bool tn_dtype_has_type(tn_dtype dtype) {
    const tni_stored *stored = tni_stored_find(dtype);
    return stored && atomic_load(&stored->c_type);
}
