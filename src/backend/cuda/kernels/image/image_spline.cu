/* The coefficients of B-splines along one axis; forms/image_map.h has the rules.
 *
 * The program defines Real, BLOCK, ROWS (of a tile, at most), POLES and BESIDE. Lines are cut into
 * pieces, each with a halo beyond its ends; a tile in shared memory has BLOCK pieces as its
 * columns, and a thread filters one of them. BESIDE 1: the pieces of a tile are those of lines that
 * lie beside each other, so that a row is a row of memory; 0: of any lines, which are read one
 * after the other and stand transposed. */
#define MACROS BLOCK, ROWS, POLES, BESIDE

struct Params {
    const Real *input;
    Real *output;
    tn_i64 outer, length, inner, pad, fold, is_constant, parts;
    tn_i64 pieces, piece, halo, tiles, groups; /* groups: tiles along `inner`, if BESIDE */
    double outside[2], poles[2];
};

#define PITCH (BLOCK + 1)
/* Numbers that a thread reads before it writes the first to the tile; they divide BLOCK. */
#define AHEAD (BLOCK < 16 ? BLOCK : 16)

enum { FOLD_MIRROR, FOLD_REFLECT, FOLD_WRAP };

/* The place in the input of a number of the padded line; -1: it is outside[]. */
__device__ __forceinline__ tn_i64 source(const Params &p, tn_i64 at) {
    const tn_i64 padded = p.length + 2 * p.pad;
    if (at < 0 || at >= padded) {
        const tn_i64 period = p.fold == FOLD_MIRROR    ? 2 * padded - 2
                              : p.fold == FOLD_REFLECT ? 2 * padded
                                                       : padded;
        at = padded == 1 ? 0 : at % period;
        at += at < 0 ? period : 0;
        if (at >= padded) at = p.fold == FOLD_MIRROR ? period - at : period - 1 - at;
    }
    at -= p.pad;
    if (at >= 0 && at < p.length) return at;
    return p.is_constant ? -1 : at < 0 ? 0 : p.length - 1;
}

/* Column 0 of a tile of so many rows, forwards and backwards. */
__device__ __forceinline__ void filter(Real *column, int rows, double pole) {
    const Real z = (Real)pole, rest = (Real)(1 - pole), gain = rest * rest;
    Real line = column[0] / rest;
#pragma unroll 8
    for (int row = 0; row < rows; row++) {
        line = column[row * PITCH] + line * z;
        column[row * PITCH] = line;
    }
    line *= rest;
#pragma unroll 8
    for (int row = rows - 1; row >= 0; row--) {
        line = column[row * PITCH] * gain + line * z;
        column[row * PITCH] = line;
    }
}

/* A piece: where its line begins in the input and its own numbers in the output, where its halo
 * begins on the padded line, how many of its numbers are written (0: there is none), and which
 * outside[] it has. */
struct Piece {
    const Real *from;
    Real *to;
    tn_i64 first;
    int length, part;
};

__device__ __forceinline__ Piece piece_of(const Params &p, tn_i64 outer, tn_i64 number,
                                          tn_i64 inner, bool is_there) {
    const tn_i64 padded = p.length + 2 * p.pad, first = number * p.piece;
    const tn_i64 left = padded - first;
    Piece piece;
    piece.from = p.input + outer * p.length * p.inner + inner;
    piece.to = p.output + (outer * padded + first) * p.inner + inner;
    piece.first = first - p.halo;
    piece.length = !is_there ? 0 : left < p.piece ? (int)left : (int)p.piece;
    piece.part = p.parts == 2 ? (int)inner & 1 : 0;
    return piece;
}

__device__ __forceinline__ Piece own_piece(const Params &p, tn_i64 tile) {
    if (BESIDE) {
        const tn_i64 group = tile % p.groups, line = tile / p.groups;
        const tn_i64 inner = group * BLOCK + threadIdx.x;
        const bool is_there = inner < p.inner;
        return piece_of(p, line / p.pieces, line % p.pieces, is_there ? inner : 0, is_there);
    }
    const tn_i64 all = p.outer * p.inner * p.pieces, at = tile * BLOCK + threadIdx.x;
    const bool is_there = at < all;
    const tn_i64 line = is_there ? at / p.pieces : 0, number = is_there ? at % p.pieces : 0;
    return piece_of(p, line / p.inner, number, line % p.inner, is_there);
}

__device__ __forceinline__ Real number_at(const Params &p, const Piece &piece, int row) {
    const tn_i64 at = source(p, piece.first + row);
    return at < 0 ? (Real)p.outside[piece.part] : piece.from[at * p.inner];
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Real panel[ROWS * PITCH];
    __shared__ Piece pieces[BESIDE ? 1 : BLOCK];
    const int rows = (int)(p.piece + 2 * p.halo), halo = (int)p.halo;
    Real *column = panel + threadIdx.x;
    for (tn_i64 tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const Piece own = own_piece(p, tile);
        if (BESIDE) {
            for (int first = 0; first < rows; first += AHEAD) {
                Real some[AHEAD];
#pragma unroll
                for (int k = 0; k < AHEAD; k++)
                    if (first + k < rows) some[k] = number_at(p, own, first + k);
#pragma unroll
                for (int k = 0; k < AHEAD; k++)
                    if (first + k < rows) column[(first + k) * PITCH] = some[k];
            }
        } else {
            __syncthreads();
            pieces[threadIdx.x] = own;
            __syncthreads();
            for (int row = (int)threadIdx.x; row < rows; row += BLOCK)
                for (int first = 0; first < BLOCK; first += AHEAD) {
                    Real some[AHEAD];
#pragma unroll
                    for (int k = 0; k < AHEAD; k++) {
                        some[k] = 0;
                        if (pieces[first + k].length)
                            some[k] = number_at(p, pieces[first + k], row);
                    }
#pragma unroll
                    for (int k = 0; k < AHEAD; k++) panel[row * PITCH + first + k] = some[k];
                }
            __syncthreads();
        }
        if (own.length) {
            filter(column, rows, p.poles[0]);
            if (POLES > 1) filter(column, rows, p.poles[1]);
        }
        if (BESIDE) {
#pragma unroll 4
            for (int row = 0; row < own.length; row++)
                own.to[row * p.inner] = column[(halo + row) * PITCH];
        } else {
            __syncthreads();
            for (int k = 0; k < BLOCK; k++)
                for (int row = (int)threadIdx.x; row < pieces[k].length; row += BLOCK)
                    pieces[k].to[row * p.inner] = panel[(halo + row) * PITCH + k];
        }
    }
}
