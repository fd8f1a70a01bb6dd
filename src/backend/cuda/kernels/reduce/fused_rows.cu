/* A graph over rows in one pass: loads, folds of rows and what follows from them, stores.
 *
 * The program defines TEAM threads of a row (a power of two up to 32, or BLOCK), VECTORS vectors of
 * WIDTH elements of a thread, SKIPS 1 where rows begin within a vector, WHOLE 1 where every element
 * of every thread is the row's, ALL_AXES of the arrays, the first KEPT_AXES of which are not a
 * row's, APART arguments that lie in any way, ROOM bytes of a row that a thread has alone (0: there
 * are none), and fused_row(), which the graph writes. */
#define MACROS                                                                                     \
    BLOCK, TEAM, WIDTH, VECTORS, SKIPS, WHOLE, WIDE_INDEX, ARGUMENTS, FOLDS, KEPT_AXES, ALL_AXES,  \
        APART, ROOM
#include "fused_rows.cuh"

struct Params {
    tn_i64 rows, length;
    char *data[ARGUMENTS];
    ScalarValue values[ARGUMENTS];
    double corrections[FOLDS];
    tn_i64 has_initials[FOLDS];
    ScalarValue initials[FOLDS]; /* of the accumulators */
#if APART
    tn_i64 sizes[ALL_AXES];
    tn_i64 strides[APART * ALL_AXES];
#endif
};

/* Blocks of a multiprocessor: where a thread has many elements the compiler would rather have four,
 * and spill registers. 0: as it likes. */
#define BLOCKS (TEAM > 1 && WIDTH >= 4 && VECTORS * WIDTH > 16 ? 3 : 0)

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    KERNEL(const __grid_constant__ Params p) {
    /* A state is 32 bytes at most. */
    __shared__ uint4 room[ROOM ? (BLOCK * ROOM + 15) / 16 : BLOCK / 32 * 2];
    const tn_i64 teams = BLOCK / TEAM;
    /* Whole blocks go on together, for shuffles and barriers. */
    for (tn_i64 first = blockIdx.x * teams; first < p.rows; first += gridDim.x * teams) {
        const tn_i64 at = first + threadIdx.x / TEAM, row = at < p.rows ? at : 0;
        RowPlace<RowGeometry<TEAM, WIDTH, VECTORS, SKIPS, WHOLE>> place(
            row, p.length, SKIPS ? (int)(row * p.length % WIDTH) : 0, threadIdx.x % TEAM,
            at < p.rows);
        place.first = first;
        place.count = p.rows - first < teams ? (int)(p.rows - first) : (int)teams;
        fused_row(p, place, room);
    }
}
