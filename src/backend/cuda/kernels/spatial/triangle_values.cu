/* Surfaces over triangles: a thread a point. The program defines BLOCK. */
#define HEADER "triangles.h"
#define MACROS BLOCK

struct Params {
    const double *points, *x, *values, *slopes;
    const tn_i32 *corners, *neighbors, *found;
    double *output;
    tn_i64 count, point_count, rows, columns;
    double fill, odd_fill;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_triangles_view view = {p.points, p.corners, p.neighbors, p.count, p.point_count};
    const double fill[2] = {p.fill, p.odd_fill};
    for (tn_i64 i = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; i < p.rows;
         i += gridDim.x * (tn_i64)BLOCK)
        m_triangle_values(&view, p.found[i], p.x + 2 * i, p.values, p.slopes, p.columns, fill,
                          p.output + i * p.columns);
}
