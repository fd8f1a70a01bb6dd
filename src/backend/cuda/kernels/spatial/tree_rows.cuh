/* What the walks through a tree share: a thread takes the rows of x.
 *
 * The program defines BLOCK, AXES (0: p.axes), NORM and PERIODIC. */
#ifndef TREE_ROWS_CUH
#define TREE_ROWS_CUH

/* Calls take(view, i) for each row i of the thread, in the order of p.turns. */
template <class Params, class Take>
__device__ __forceinline__ void take_rows(const Params &p, Take take) {
    for (tn_i64 t = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; t < p.rows;
         t += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 i = p.turns ? p.turns[t] : t;
        if (i < 0 || i >= p.rows) continue;
        const int axes = AXES ? AXES : (int)p.axes;
        double own[AXES ? AXES : 1];
#pragma unroll
        for (int k = 0; k < AXES; k++) own[k] = p.x[i * AXES + k];
        const tn_tree_view view = {p.points,
                                   p.boxes,
                                   PERIODIC ? p.periods : (const double *)0,
                                   p.order,
                                   AXES ? own : p.x + i * axes,
                                   p.count,
                                   axes,
                                   (int)p.levels,
                                   NORM,
                                   p.p};
        take(view, i);
    }
}

#endif
