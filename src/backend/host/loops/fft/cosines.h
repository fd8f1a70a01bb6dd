/* Cosine and sine transforms of lines and of blocks, and all loops of one kind of number. */

typedef struct couple {
    element re, im;
} __attribute__((may_alias)) couple;

#define ONE element
#define COUPLE couple
#define NAME(name) line_##name
#include "backend/host/loops/fft/cosine.h"

#define ONE vector
#define COUPLE pair
#define NAME(name) block_##name
#include "backend/host/loops/fft/cosine.h"

#define LOOPS                                                                                      \
    {                                                                                              \
        LANES, transform, run_passes, enter, leave, leave_turned, load, store, turn, split, join,  \
            split_line, join_line, conjugate, mirror, multiply, part_lines, join_lines, {          \
            {line_before, block_before}, {                                                         \
                line_after, block_after                                                            \
            }                                                                                      \
        }                                                                                          \
    }
