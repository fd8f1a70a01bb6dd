/* Best fit with splitting and coalescing.
 *
 * Free blocks lie in two trees ordered by (size, address): one for chunks that small requests
 * share, one for chunks that were asked for as a whole, so that a small block never pins a large
 * chunk. The smallest block that fits is taken, and its rest is a free block again; a block that is
 * given back is merged with free neighbours. The trees are treaps whose priorities are hashed
 * addresses.
 *
 * In front of them are bins, one per small size: what a program frees and asks for again in a loop
 * is neither cut nor merged. A bin's blocks are not free in the sense of their neighbours. When
 * nothing fits, or much lies in bins, they are merged.
 *
 * A small result that lives on from an ended stream leaves most of its chunk free. The next streams
 * carve their chunks from there: a free block serves as a chunk of another arena, and counts as
 * used here, until the stream of that arena ends, too. So chunks are in chunks, but never deeper
 * than that. */
#include "core/memory/arena.h"

#include "core/base/alloc.h"

#include <stdatomic.h>

/* --- The trees --- */

static uint64_t priority(const tni_block *block) {
    return ((uint64_t)(uintptr_t)block->address / TNI_UNIT) * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_before(const tni_block *a, const tni_block *b) {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
}

static tni_block **tree_of(tni_arena *arena, const tni_block *block) {
    return &arena->trees[block->chunk->is_shared];
}

static void insert(tni_arena *arena, tni_block *block) {
    tni_block **place = tree_of(arena, block), **left = &block->left, **right = &block->right;
    while (*place && priority(*place) >= priority(block))
        place = is_before(block, *place) ? &(*place)->left : &(*place)->right;
    for (tni_block *below = *place; below;) { /* split what hung here */
        if (is_before(below, block)) {
            *left = below;
            left = &below->right;
            below = below->right;
        } else {
            *right = below;
            right = &below->left;
            below = below->left;
        }
    }
    *left = *right = NULL;
    *place = block;
    block->is_free = true;
}

static void take_out(tni_arena *arena, tni_block *block) {
    tni_block **place = tree_of(arena, block), *left = block->left, *right = block->right;
    while (*place != block)
        place = is_before(block, *place) ? &(*place)->left : &(*place)->right;
    while (left && right) {
        if (priority(left) >= priority(right)) {
            *place = left;
            place = &left->right;
            left = left->right;
        } else {
            *place = right;
            place = &right->left;
            right = right->left;
        }
    }
    *place = left ? left : right;
    block->is_free = false;
}

static tni_block *find(tni_block *tree, int64_t bytes) {
    tni_block *best = NULL;
    while (tree) {
        if (tree->bytes >= bytes) {
            best = tree;
            tree = tree->left;
        } else {
            tree = tree->right;
        }
    }
    return best;
}

/* --- Headers --- */

static tni_block *header_new(tni_arena *arena) {
    tni_block *header = *arena->spare;
    if (!header) return tni_malloc(sizeof *header);
    *arena->spare = header->left;
    return header;
}

static void header_free(tni_arena *arena, tni_block *header) {
    header->left = *arena->spare;
    *arena->spare = header;
}

/* --- Taking and giving --- */

/* Cuts a block that is in no tree to `bytes`; the rest is free. False without a header. */
static bool split(tni_arena *arena, tni_block *block, int64_t bytes) {
    if (block->bytes == bytes) return true;
    tni_block *rest = header_new(arena);
    if (!rest) return false;
    *rest = (tni_block){.address = block->address + bytes,
                        .bytes = block->bytes - bytes,
                        .chunk = block->chunk,
                        .owner = block->owner,
                        .previous = block,
                        .next = block->next};
    if (rest->next) rest->next->previous = rest;
    block->next = rest;
    block->bytes = bytes;
    insert(arena, rest);
    return true;
}

/* Joins `block` with its right neighbour. Neither is in a tree. */
static void absorb_next(tni_arena *arena, tni_block *block) {
    tni_block *gone = block->next;
    block->bytes += gone->bytes;
    block->next = gone->next;
    if (gone->next) gone->next->previous = block;
    header_free(arena, gone);
}

static void merge(tni_arena *arena, tni_block *block) {
    if (block->next && block->next->is_free) {
        take_out(arena, block->next);
        absorb_next(arena, block);
    }
    if (block->previous && block->previous->is_free) {
        block = block->previous;
        take_out(arena, block);
        absorb_next(arena, block);
    }
    insert(arena, block);
}

void tni_arena_merge(tni_arena *arena) {
    if (arena->binned_bytes == 0) return;
    for (int bin = 0; bin < TNI_BINS; bin++) {
        for (tni_block *block = arena->bins[bin], *next; block; block = next) {
            next = block->left;
            merge(arena, block);
        }
        arena->bins[bin] = NULL;
    }
    arena->binned_bytes = 0;
}

static tni_block *take_best(tni_arena *arena, int64_t bytes) {
    tni_block *block = find(arena->trees[bytes < TNI_SMALL_BYTES], bytes);
    if (!block) return NULL;
    take_out(arena, block);
    block->chunk->is_idle = false;
    block->chunk->request = 0;
    if (split(arena, block, bytes)) return block;
    insert(arena, block);
    return NULL;
}

tni_block *tni_arena_take(tni_arena *arena, int64_t bytes) {
    if (bytes <= TNI_BIN_BYTES) {
        tni_block **bin = &arena->bins[bytes / TNI_UNIT], *block = *bin;
        if (block) {
            *bin = block->left;
            arena->binned_bytes -= bytes;
            return block;
        }
    }
    tni_block *block = take_best(arena, bytes);
    if (block || arena->binned_bytes == 0 || bytes >= TNI_SMALL_BYTES) return block;
    tni_arena_merge(arena);
    return take_best(arena, bytes);
}

void tni_arena_give(tni_arena *arena, tni_block *block) {
    if (block->bytes > TNI_BIN_BYTES) {
        merge(arena, block);
        return;
    }
    tni_block **bin = &arena->bins[block->bytes / TNI_UNIT];
    block->left = *bin;
    *bin = block;
    arena->binned_bytes += block->bytes;
    if (arena->binned_bytes > TNI_BINNED_MAX) tni_arena_merge(arena);
}

static int64_t count(const tni_block *tree) {
    int64_t blocks = 0;
    for (; tree; tree = tree->right)
        blocks += 1 + count(tree->left);
    return blocks;
}

int64_t tni_arena_count_free(const tni_arena *arena) {
    return count(arena->trees[0]) + count(arena->trees[1]);
}

/* --- Chunks --- */

static void link_chunk(tni_arena *arena, tni_chunk *chunk) {
    chunk->arena = arena;
    chunk->previous = NULL;
    chunk->next = arena->chunks;
    if (chunk->next) chunk->next->previous = chunk;
    arena->chunks = chunk;
}

void tni_arena_add(tni_arena *arena, tni_chunk *chunk, tni_block *header) {
    *header = (tni_block){
        .address = chunk->address, .bytes = chunk->bytes, .chunk = chunk, .owner = header->owner};
    chunk->first = header;
    link_chunk(arena, chunk);
    insert(arena, header);
}

static void unlink_chunk(tni_arena *arena, tni_chunk *chunk) {
    if (chunk->previous)
        chunk->previous->next = chunk->next;
    else
        arena->chunks = chunk->next;
    if (chunk->next) chunk->next->previous = chunk->previous;
}

static bool is_whole(const tni_chunk *chunk) {
    return chunk->first->is_free && chunk->first->bytes == chunk->bytes;
}

tni_chunk *tni_arena_find_whole(const tni_arena *arena) {
    tni_chunk *chunk = arena->chunks;
    while (chunk && !is_whole(chunk))
        chunk = chunk->next;
    return chunk;
}

void tni_arena_remove(tni_arena *arena, tni_chunk *chunk) {
    take_out(arena, chunk->first);
    header_free(arena, chunk->first);
    unlink_chunk(arena, chunk);
}

void tni_arena_end(tni_arena *arena) {
    for (tni_chunk *chunk = arena->chunks; chunk; chunk = chunk->next) {
        chunk->is_inherited = true;
        chunk->is_idle = is_whole(chunk);
    }
}

void tni_arena_move(tni_arena *to, tni_arena *from) {
    from->trees[0] = from->trees[1] = NULL;
    for (tni_chunk *chunk = from->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        link_chunk(to, chunk);
        for (tni_block *block = chunk->first; block; block = block->next)
            if (block->is_free) insert(to, block);
    }
    from->chunks = NULL;
}

/* The smaller chunk, of equal ones the one that needs no wait. */
static bool is_better(const tni_chunk *chunk, const tni_chunk *best) {
    if (!best || chunk->bytes != best->bytes) return !best || chunk->bytes < best->bytes;
    return chunk->is_idle && !best->is_idle;
}

tni_chunk *tni_arena_find_inherited(const tni_arena *arena, int64_t bytes) {
    tni_chunk *best = NULL;
    bool is_shared = bytes < TNI_SMALL_BYTES;
    for (tni_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        if (chunk->is_inherited && chunk->is_shared == is_shared && chunk->bytes >= bytes &&
            is_whole(chunk) && is_better(chunk, best))
            best = chunk;
    return best;
}

uint64_t tni_arena_new_request(void) {
    static _Atomic(uint64_t) last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

void tni_arena_mark_request(tni_arena *arena, uint64_t request) {
    for (tni_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        if (chunk->is_inherited && is_whole(chunk)) chunk->request = request;
}

void tni_arena_mark_idle(tni_arena *arena, uint64_t request) {
    for (tni_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        if (chunk->request == request) chunk->is_idle = true;
}

void tni_arena_move_chunk(tni_arena *to, tni_arena *from, tni_chunk *chunk) {
    take_out(from, chunk->first);
    unlink_chunk(from, chunk);
    chunk->is_inherited = chunk->is_idle = false;
    link_chunk(to, chunk);
    insert(to, chunk->first);
}

/* --- Chunks in chunks --- */

/* The smallest block of an inherited chunk. The trees of shared chunks have few blocks of this
 * size. */
static tni_block *find_inherited_block(tni_block *tree, int64_t bytes) {
    if (!tree) return NULL;
    tni_block *left = tree->bytes >= bytes ? find_inherited_block(tree->left, bytes) : NULL;
    if (left) return left;
    if (tree->bytes >= bytes && tree->chunk->is_inherited) return tree;
    return find_inherited_block(tree->right, bytes);
}

bool tni_arena_carve(tni_arena *from, int64_t bytes, tni_chunk *chunk) {
    if (bytes < TNI_CARVED_BYTES) bytes = TNI_CARVED_BYTES;
    tni_block *outer = find_inherited_block(from->trees[true], bytes);
    if (!outer) return false;
    take_out(from, outer);
    outer->chunk->is_idle = false;
    outer->chunk->request = 0;
    chunk->outer = outer;
    chunk->address = outer->address;
    chunk->bytes = outer->bytes;
    return true;
}

void tni_arena_uncarve(tni_chunk *chunk) {
    merge(chunk->outer->chunk->arena, chunk->outer);
}

/* Lays the blocks of a chunk, none of which is in a tree, in place of the block that it was carved
 * from. */
static void splice(tni_chunk *chunk, tni_block *last) {
    tni_block *outer = chunk->outer, *first = chunk->first;
    first->previous = outer->previous;
    last->next = outer->next;
    if (first->previous)
        first->previous->next = first;
    else
        outer->chunk->first = first;
    if (last->next) last->next->previous = last;
}

static void dissolve(tni_arena *arena, tni_chunk *chunk) {
    tni_chunk *whole = chunk->outer->chunk;
    tni_block *last = NULL, *freed = NULL;
    for (tni_block *block = chunk->first; block; last = block, block = block->next) {
        block->chunk = whole;
        if (!block->is_free) continue;
        block->chunk = chunk; /* it says in which tree the block is */
        take_out(arena, block);
        block->chunk = whole;
        block->same_bucket = freed;
        freed = block;
    }
    splice(chunk, last);
    for (tni_block *next; freed; freed = next) {
        next = freed->same_bucket;
        merge(whole->arena, freed);
    }
    header_free(arena, chunk->outer);
    unlink_chunk(arena, chunk);
    tni_free(chunk);
}

void tni_arena_dissolve(tni_arena *arena) {
    for (tni_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        if (chunk->outer) dissolve(arena, chunk);
    }
}
