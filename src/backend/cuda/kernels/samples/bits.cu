/* Rows of flags as rows of bytes, and back; forms/samples.h has the rules.
 *
 * The program defines BLOCK, UNPACKS and IS_LITTLE. A thread makes elements of the output. */
#define MACROS BLOCK, UNPACKS, IS_LITTLE

struct Params {
    const tn_u8 *input;
    tn_u8 *output;
    tn_i64 count, in_width, out_width;
};

__device__ __forceinline__ int bit_of(tn_i64 flag) {
    const int place = (int)(flag & 7);
    return IS_LITTLE ? place : 7 - place;
}

__device__ __forceinline__ tn_u8 unpacked(const tn_u8 *row, tn_i64 column, tn_i64 bytes) {
    return column / 8 < bytes ? row[column / 8] >> bit_of(column) & 1 : 0;
}

__device__ __forceinline__ tn_u8 packed(const tn_u8 *row, tn_i64 column, tn_i64 length) {
    unsigned byte = 0;
    for (tn_i64 flag = 8 * column; flag < length && flag < 8 * column + 8; flag++)
        byte |= (row[flag] ? 1u : 0u) << bit_of(flag);
    return (tn_u8)byte;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += gridDim.x * (tn_i64)BLOCK) {
        const tn_u8 *row = p.input + at / p.out_width * p.in_width;
        const tn_i64 column = at % p.out_width;
        p.output[at] =
            UNPACKS ? unpacked(row, column, p.in_width) : packed(row, column, p.in_width);
    }
}
