/* Brings elements that lie apart, or in reverse order, together.
 *
 * A loop has vectors only for what is contiguous. So operands in steps go through stages, which
 * stay in the L1 cache: moved in (by few instructions, which need not know the dtype), computed on,
 * moved out. That costs less than the loop's own walk even for one addition, unless another operand
 * stays apart and makes the loop walk. What comes from memory is asked for one stage ahead: while a
 * loop computes on a stage nothing else would be on its way. */
#include "backend/host/forms/steps.h"

#include <tenorite/elementwise.h>

enum { STAGE_BYTES = 2048, LINE = 64, FAR_BYTES = 1 << 19 };

/* Conversions of a dtype to itself move items of its size. */
static tni_loop find_move(int64_t size) {
    tn_dtype dtype = size == 1 ? TN_U8 : size == 2 ? TN_U16 : size == 4 ? TN_U32 : TN_C64;
    return tni_cast_find(dtype, dtype);
}

/* Whether so many elements come from memory, several in a line. */
static bool are_far(int64_t stride, int64_t count) {
    const int64_t step = stride < 0 ? -stride : stride;
    return step <= LINE && step * count >= FAR_BYTES;
}

/* Asks for elements, or what lies where they would. */
static void prefetch(const char *at, int64_t stride, int64_t count) {
    const int64_t step = stride < 0 ? -LINE : LINE;
    for (int64_t lines = stride * count / step; lines >= 0; lines--, at += step)
        __builtin_prefetch(at);
}

void tni_steps_run(tni_loop loop, int inputs, int operands, const int64_t *sizes, char *const *args,
                   const int64_t *strides, int64_t count) {
    _Alignas(64) char stages[TN_MAX_OPERANDS][STAGE_BYTES];
    tni_loop moves[TN_MAX_OPERANDS];
    int64_t steps[TN_MAX_OPERANDS], widest = 1;
    bool is_far[TN_MAX_OPERANDS];
    for (int k = 0; k < operands; k++) {
        bool apart = tni_steps_are_apart(strides[k], sizes[k], inputs, count);
        moves[k] = apart ? find_move(sizes[k]) : NULL;
        steps[k] = apart ? sizes[k] : strides[k];
        if (sizes[k] > widest) widest = sizes[k];
        if (steps[k] != sizes[k] && steps[k] != 0) {
            loop(args, strides, count);
            return;
        }
        is_far[k] = apart && are_far(strides[k], count);
    }
    const int64_t piece = STAGE_BYTES / widest;
    for (int64_t done = 0; done < count; done += piece) {
        int64_t now = count - done < piece ? count - done : piece;
        char *at[TN_MAX_OPERANDS];
        for (int k = 0; k < operands; k++) {
            at[k] = moves[k] ? stages[k] : args[k] + done * strides[k];
            if (k < inputs && moves[k])
                moves[k]((char *[]){args[k] + done * strides[k], at[k]},
                         (int64_t[]){strides[k], sizes[k]}, now);
        }
        const int64_t next = done + now, ahead = count - next < piece ? count - next : piece;
        for (int k = 0; k < operands; k++)
            if (is_far[k]) prefetch(args[k] + next * strides[k], strides[k], ahead);
        loop(at, steps, now);
        for (int k = inputs; k < operands; k++)
            if (moves[k])
                moves[k]((char *[]){at[k], args[k] + done * strides[k]},
                         (int64_t[]){sizes[k], strides[k]}, now);
    }
}
