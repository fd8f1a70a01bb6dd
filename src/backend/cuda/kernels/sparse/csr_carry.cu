/* Adds what the pieces before the last one have of a row: a team of TEAM threads a row and column,
 * which begins with the first of these pieces.
 *
 * The program defines Value, Value csr_add(Value, Value), BLOCK, TEAM. */
#define MACROS BLOCK, WIDE, TEAM
#include "access.cuh"

struct Params {
    const tn_i64 *cuts;
    const Value *carries;
    Value *output;
    tn_i64 rows, pieces, width;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % TEAM;
    for (tn_i64 at = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / TEAM; at < p.pieces * p.width;
         at += (tn_i64)gridDim.x * BLOCK / TEAM) {
        const tn_i64 first = at / p.width, column = at % p.width, row = p.cuts[first + 1];
        const bool begins = row < p.rows && (first == 0 || p.cuts[first] != row);
        if (!begins) continue; /* all of a team */
        Value sum = Value();
        for (tn_i64 k = first + lane; k < p.pieces && p.cuts[k + 1] == row; k += TEAM)
            sum = csr_add(sum, p.carries[k * p.width + column]);
#pragma unroll
        for (int by = TEAM / 2; by > 0; by /= 2) sum = csr_add(sum, shuffle_down(sum, by, TEAM));
        Value *to = p.output + row * p.width + column;
        if (lane == 0) *to = csr_add(sum, *to);
    }
}
