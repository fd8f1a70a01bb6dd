/* The compiled loops of the host: one per operation and dtype, one per pair of dtypes to convert.
 *
 * Contract of a loop: args are the inputs, then the outputs; strides are in bytes, of either sign
 * or zero; every element is aligned to its size (complex: to its part's). An output coincides
 * exactly with an input (same address, stride and size) or overlaps none, with two exceptions for
 * operations of two inputs and one output of one dtype:
 *   reduce      args[0] == args[2], strides 0:
 *               args[0] = op(... op(args[0], b[0]) ..., b[count - 1])
 *   accumulate  args[2] == args[0] + strides[0]: r[i] = op(r[i - 1], b[i])
 * The halves reduce in float and round once at the end.
 * Results do not depend on count, position, alignment or strides. */
#ifndef TNI_BACKEND_HOST_LOOPS_H
#define TNI_BACKEND_HOST_LOOPS_H

#include <tenorite/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*tni_loop)(char *const *args, const int64_t *strides, int64_t count);

/* Chooses the instruction-set level and loads the vector maths library, once; all functions here
 * call it themselves. TENORITE_ISA=v2|v3|v4 lowers the level. TENORITE_SLEEF=0 leaves out all
 * vector mathematics, SLEEF's and ours, so that the C library computes. */
void tni_loops_init(void);

/* All loops of the level in use (loops/level.h). */
typedef struct tni_level tni_level;
const tni_level *tni_loops_level(void);

/* The level's name: "v2", "v3", "v4", or "generic". */
const char *tni_loops_isa(void);

/* The loop of an operation (enum tn_op) whose T is `dtype` (enum tn_dtype); NULL if it has no
 * body. */
tni_loop tni_loop_find(int op, int dtype);

/* The loop with one input and one output that converts; never NULL for valid dtypes. */
tni_loop tni_cast_find(int from, int to);

/* Copies without keeping the target in the caches; for results larger than these. Any alignment;
 * a run of at least a few cache lines is worth it. The thread that copied calls tni_stream_finish
 * before others may read. */
void tni_stream_copy(void *to, const void *from, size_t bytes);

/* Orders the stores of tni_stream_copy before what follows. Once a task, not once a copy: it waits
 * until all of them have left for memory. */
static inline void tni_stream_finish(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

/* A call that reads and writes so many bytes finds nothing of them in the caches again. */
#define TNI_STREAM_BYTES (INT64_C(32) << 20)

/* to[r * to_row + c * item_bytes] = from[r * from_row + c * from_column], in bytes, of items of 1,
 * 2, 4, 8 or 16; fast where from_row == item_bytes. `streams`: as tni_stream_copy, for items of 4
 * bytes and more, `to` and `to_row` multiples of 64. */
typedef struct tni_transposition {
    char *to;
    const char *from;
    int64_t to_row, from_row, from_column;
    int64_t item_bytes, rows, columns;
    bool streams;
} tni_transposition;
void tni_transpose(const tni_transposition *t);

#endif
