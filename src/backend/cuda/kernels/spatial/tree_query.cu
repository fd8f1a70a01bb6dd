/* The points of a tree that are nearest to each row of x (ops/tree.h has the walk).
 *
 * The program defines NEAREST: so many points are kept in registers, in order; 0: any number in the
 * output, as a heap. */
#define HEADER "tree.h"
#define MACROS BLOCK, AXES, NORM, PERIODIC, NEAREST
#include "tree_rows.cuh"

struct Params {
    const double *points, *boxes, *periods, *x;
    const tn_i64 *order, *turns;
    double *distances;
    tn_i64 *numbers;
    tn_i64 count, axes, levels, rows, k;
    double p, limit, stretch;
};

#define KEPT (NEAREST ? NEAREST : 1)

/* The nearest points so far, in order. */
struct Nearest {
    double distances[KEPT];
    tn_i64 numbers[KEPT];

    __device__ __forceinline__ void insert(double distance, tn_i64 number) {
#pragma unroll
        for (int k = KEPT - 1; k > 0; k--) {
            const bool moves = m_tree_before(distance, number, distances[k - 1], numbers[k - 1]);
            const bool is_here = m_tree_before(distance, number, distances[k], numbers[k]);
            distances[k] = moves ? distances[k - 1] : is_here ? distance : distances[k];
            numbers[k] = moves ? numbers[k - 1] : is_here ? number : numbers[k];
        }
        if (m_tree_before(distance, number, distances[0], numbers[0])) {
            distances[0] = distance;
            numbers[0] = number;
        }
    }
};

__device__ __forceinline__ void query_in_registers(const Params &p, const tn_tree_view &view,
                                                   double *distances, tn_i64 *numbers) {
    Nearest nearest;
    tn_tree_walk walk;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        nearest.distances[k] = p.limit;
        nearest.numbers[k] = -1;
    }
    m_tree_begin(&walk);
    for (;;) {
        const tn_u32 leaf = m_tree_next(&view, &walk, nearest.distances[KEPT - 1], p.stretch);
        if (!leaf) break;
        const tn_i64 end = m_tree_start(&view, leaf + 1, view.levels);
        for (tn_i64 i = m_tree_start(&view, leaf, view.levels); i < end; i++) {
            const double distance = m_tree_distance(&view, view.points + i * view.axes);
            if (distance <= nearest.distances[KEPT - 1]) nearest.insert(distance, view.order[i]);
        }
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        if (k >= p.k) break;
        const bool is_there = nearest.numbers[k] >= 0;
        distances[k] =
            is_there ? m_tree_root(nearest.distances[k], view.norm, view.p) : TN_INFINITY;
        numbers[k] = is_there ? nearest.numbers[k] : p.count;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    take_rows(p, [&](const tn_tree_view &view, tn_i64 i) {
        double *distances = p.distances + i * p.k;
        tn_i64 *numbers = p.numbers + i * p.k;
        if (NEAREST)
            query_in_registers(p, view, distances, numbers);
        else
            m_tree_query(&view, distances, numbers, p.k, p.limit, p.stretch);
    });
}
