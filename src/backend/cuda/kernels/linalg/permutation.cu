/* Where the rows of matrices are after the exchanges of a pivoted factoring: a thread for each
 * matrix. The program defines BLOCK. */
#define MACROS BLOCK

struct Params {
    const tn_i64 *pivots; /* from 1 */
    tn_i64 *places;
    tn_i64 count, m, least;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 matrix = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; matrix < p.count;
         matrix += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 *pivots = p.pivots + matrix * p.least;
        tn_i64 *places = p.places + matrix * p.m;
        for (tn_i64 k = 0; k < p.m; k++) places[k] = k;
        for (tn_i64 k = p.least - 1; k >= 0; k--) {
            const tn_i64 other = pivots[k] - 1, moved = places[k];
            places[k] = places[other];
            places[other] = moved;
        }
    }
}
