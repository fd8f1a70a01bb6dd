/* The points of a tree within a radius of each row of x (ops/tree.h has the walk). */
#define HEADER "tree.h"
#define MACROS BLOCK, AXES, NORM, PERIODIC
#include "tree_rows.cuh"

struct Params {
    const double *points, *boxes, *periods, *x, *radii, *weights;
    const tn_i64 *order, *turns, *only_after, *starts;
    tn_i64 *counts, *numbers;
    double *sums, *distances;
    tn_i64 count, axes, levels, rows, total;
    double p;
};

__device__ __forceinline__ void gather(const Params &p, const tn_tree_view &view, tn_i64 i) {
    const tn_i64 start = p.numbers ? p.starts[i] : 0;
    if (start < 0 || (p.numbers && start >= p.total)) return;
    tn_tree_found found = {p.only_after ? p.only_after[i] : -1,
                           0,
                           p.total - start,
                           0,
                           p.weights,
                           p.numbers ? p.numbers + start : (tn_i64 *)0,
                           p.distances ? p.distances + start : (double *)0};
    m_tree_ball(&view, &found, m_tree_power(p.radii[i], NORM, p.p));
    if (p.counts) p.counts[i] = found.count;
    if (p.sums) p.sums[i] = found.sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    take_rows(p, [&](const tn_tree_view &view, tn_i64 i) { gather(p, view, i); });
}
