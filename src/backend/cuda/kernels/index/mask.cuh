/* Blocks of MASK_BLOCK elements of a mask: which are true, and which place a true element has.
 *
 * Invariant: 256 threads take a block; warp w has elements 512 w .. 512 w + 511 of it, lane l reads
 * the 16 from 16 l on, and in round r a warp stands at 32 neighbours, so that what follows is
 * coalesced. */
#ifndef MASK_CUH
#define MASK_CUH

#include "access.cuh"

#define MASK_BLOCK 4096
#define MASK_THREADS 256
#define MASK_ROUNDS 16

/* 16 bits of the 16 mask bytes from `at` on; bits from `count` on are false. */
__device__ __forceinline__ unsigned mask_bits(const unsigned char *mask, tn_i64 at, tn_i64 count) {
    unsigned bits = 0;
    if (at + 16 <= count && ((tn_u64)mask & 15) == 0) {
        uint4 bytes = *(const uint4 *)(mask + at);
        unsigned words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned ones = __vsetne4(words[k], 0); /* 1 or 0 a byte */
            bits |= ((ones * 0x10204080u) >> 28) << (4 * k);
        }
        return bits;
    }
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        if (at + k < count) bits |= (unsigned)(mask[at + k] != 0) << k;
    return bits;
}

/* The warp's 32 neighbours in a round, as bits. */
__device__ __forceinline__ unsigned mask_round(unsigned bits, int round) {
    unsigned low = __shfl_sync(0xffffffffu, bits, 2 * round);
    unsigned high = __shfl_sync(0xffffffffu, bits, 2 * round + 1);
    return low | high << 16;
}

/* The sum over a warp, in every lane. (The instruction for it needs sm_80.) */
__device__ __forceinline__ int warp_sum(int value) {
#pragma unroll
    for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(0xffffffffu, value, by);
    return value;
}

/* True elements of the block before this warp's. */
__device__ __forceinline__ int mask_before_warp(unsigned bits, int *warps) {
    int count = warp_sum(__popc(bits));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = count;
    __syncthreads();
    int before = 0;
#pragma unroll
    for (int k = 0; k < MASK_THREADS / 32; k++)
        if (k < (int)threadIdx.x / 32) before += warps[k];
    __syncthreads();
    return before;
}

#endif
