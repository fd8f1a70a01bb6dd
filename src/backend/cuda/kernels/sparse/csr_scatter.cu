/* Adds the elements of a sparse matrix to a dense one: a warp a row, 32 elements at a time.
 *
 * Elements of one column are summed in their order by the first of them. The program defines
 * Value, Value csr_add(Value, Value), BLOCK, WIDE. */
#define MACROS BLOCK, WIDE
#include "access.cuh"
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    const Value *values;
    tn_i64 rows, columns, count;
    tn_i64 to_row, to_column;
    Value *to;
    tn_i64 text;
    Bounds bounds;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % 32;
    for (tn_i64 row = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / 32; row < p.rows;
         row += (tn_i64)gridDim.x * BLOCK / 32) {
        const CsrRow found(p.starts, row, p.count, p.bounds, p.text);
        for (tn_i64 base = found.begin; base < found.end; base += 32) {
            const tn_i64 k = base + lane;
            tn_i64 column = -1;
            Value own = Value(), sum = Value();
            if (k < found.end) {
                column = p.indices[k];
                own = p.values[k];
                if (column < 0 || column >= p.columns) {
                    report_structure(p.bounds, p.text);
                    column = -1;
                }
            }
            bool is_first = column >= 0;
            for (int other = 0; other < 32; other++) {
                const tn_i64 seen = shuffle_from(column, other);
                const Value value = shuffle_from(own, other);
                if (seen != column) continue;
                if (other < lane) is_first = false;
                sum = csr_add(sum, value);
            }
            if (is_first) {
                Value *to = p.to + row * p.to_row + column * p.to_column;
                *to = csr_add(*to, sum);
            }
            __syncwarp();
        }
    }
}
