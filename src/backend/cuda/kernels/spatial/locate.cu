/* The triangle that a point lies in: a thread a point, a walk each. The program defines BLOCK. */
#define HEADER "triangles.h"
#define MACROS BLOCK

struct Params {
    const double *points, *x;
    const tn_i32 *corners, *neighbors, *starts;
    tn_i32 *found;
    tn_i64 count, point_count, rows, has_last;
    double eps;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_triangles_view view = {p.points, p.corners, p.neighbors, p.count, p.point_count};
    for (tn_i64 i = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; i < p.rows;
         i += gridDim.x * (tn_i64)BLOCK) {
        const double x[2] = {p.x[2 * i], p.x[2 * i + 1]};
        const tn_i64 start = p.starts ? (tn_i64)p.starts[i] : 0;
        const tn_i64 found = p.count ? m_triangle_locate(&view, x, start, p.eps) : -1;
        p.found[i] = (tn_i32)(found >= 0 || p.has_last ? found : -1);
    }
}
