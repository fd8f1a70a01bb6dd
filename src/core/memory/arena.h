/* The memory of one stream in a pool: chunks from the source, cut into blocks.
 *
 * Nothing here locks, counts or calls the source: that is the pool's business. */
#ifndef TNI_ARENA_H
#define TNI_ARENA_H

#include <tenorite/memory.h>

enum {
    TNI_UNIT = 512,           /* sizes and addresses of blocks are multiples */
    TNI_BIN_BYTES = 32 << 10, /* blocks up to this size are kept in bins */
    TNI_BINS = TNI_BIN_BYTES / TNI_UNIT + 1,
    TNI_BINNED_MAX = 1 << 20,    /* bytes in bins before they are merged */
    TNI_SMALL_BYTES = 1 << 20,   /* requests below share chunks */
    TNI_SHARED_BYTES = 2 << 20,  /* of such a chunk */
    TNI_CARVED_BYTES = 64 << 10, /* the least that is carved from one */
};

typedef struct tni_block {
    char *address;
    int64_t bytes;
    struct tni_chunk *chunk;
    struct tni_block *previous, *next; /* neighbours in the chunk */
    struct tni_block *left, *right;    /* in a tree; `left` links bins and spare headers */
    struct tni_block *same_bucket; /* blocks that are found by address; core/memory/pool_take.c */
    /* The tni_device_pool; read without its lock, under which a block may come to another chunk. */
    void *owner;
    bool is_free; /* and in a tree (one in a bin counts as used here) */
} tni_block;

typedef struct tni_chunk {
    struct tni_arena *arena;
    struct tni_chunk *previous, *next;
    tni_block *first;
    char *address;
    int64_t bytes;
    bool is_shared;    /* cut for small requests */
    bool is_inherited; /* its stream has ended */
    bool is_idle;      /* inherited, and none of it was handed out since */
    tni_block
        *outer; /* the block of another chunk that it was carved from; NULL: from the source */
    /* Number of the request that is ordering its stream after the chunk's earlier users; 0 after
     * any block of the chunk was handed out again. */
    uint64_t request;
} tni_chunk;

typedef struct tni_arena {
    struct tni_arena *next, *previous;
    tn_stream *stream;
    tni_block *bins[TNI_BINS]; /* freed small blocks by size in units, not merged yet */
    int64_t binned_bytes;
    tni_block *trees[2]; /* free blocks of exact [0] and of shared [1] chunks */
    tni_chunk *chunks;
    tni_block **spare; /* unused headers of the pool */
} tni_arena;

/* A block of `bytes` (a multiple of the unit) from what is there. NULL: nothing fits, or a header
 * could not be made. */
tni_block *tni_arena_take(tni_arena *arena, int64_t bytes);

/* Takes a block back: into a bin if it is small, else merged with its neighbours. */
void tni_arena_give(tni_arena *arena, tni_block *block);

/* Empties the bins, so that every free block is merged and in a tree. */
void tni_arena_merge(tni_arena *arena);

/* Number of blocks in the trees. */
int64_t tni_arena_count_free(const tni_arena *arena);

/* Adds memory of the source as one free block. `header`, whose owner is set, becomes its header. */
void tni_arena_add(tni_arena *arena, tni_chunk *chunk, tni_block *header);

/* A chunk that is one free block, NULL if there is none. Bins must be empty. */
tni_chunk *tni_arena_find_whole(const tni_arena *arena);

/* Takes such a chunk out. */
void tni_arena_remove(tni_arena *arena, tni_chunk *chunk);

/* The stream of an arena, whose bins are empty, has ended: its chunks are marked as inherited. */
void tni_arena_end(tni_arena *arena);

/* Moves all chunks of an arena, whose bins are empty, to another. */
void tni_arena_move(tni_arena *to, tni_arena *from);

/* The smallest inherited chunk that is one free block, for a request of `bytes`; NULL if there is
 * none. Bins must be empty. */
tni_chunk *tni_arena_find_inherited(const tni_arena *arena, int64_t bytes);

/* A number that no request had before. */
uint64_t tni_arena_new_request(void);

/* Marks all such chunks with a request's number. Bins must be empty. */
void tni_arena_mark_request(tni_arena *arena, uint64_t request);
/* The work of the arena's stream up to that mark is done: marks those chunks as idle of which no
 * block was handed out since. */
void tni_arena_mark_idle(tni_arena *arena, uint64_t request);

/* Moves such a chunk to another arena, where it is like any other. */
void tni_arena_move_chunk(tni_arena *to, tni_arena *from, tni_chunk *chunk);

/* Takes a free block of an inherited chunk that small requests share out of an arena: memory for
 * `chunk`, which is in no arena yet. False: there is none for a request of `bytes`; what lies in
 * bins is not looked at. */
bool tni_arena_carve(tni_arena *from, int64_t bytes, tni_chunk *chunk);

/* Gives the memory of such a chunk, which is in no arena, back to where it was carved from. */
void tni_arena_uncarve(tni_chunk *chunk);

/* The stream of an arena, whose bins are empty, has ended: what is in chunks that were carved from
 * another's becomes part of those. */
void tni_arena_dissolve(tni_arena *arena);

#endif
