/* array[indices] = op(array[indices], operand), element by element, equal indices included.
 *
 * The program defines Stored, Operand (storage types), INDEX_COUNT, NDIM, WIDE_INDEX, and AT_WAY:
 * 0 void at_native(Stored *, Operand) with the machine's own atomics, 1 a compare-and-swap loop on
 * elements of 1 to 8 bytes, 2 a table of locks for elements of 16, 3 as 0 where one index array
 * leads into PLACES elements or fewer and the operation is an addition: each block adds up in
 * shared memory first. 1 and 2 call load_element(Stored), load_operand(Operand), at_body(of both)
 * and save_element(of that).
 * Invariant: an earlier launch checked the indices; if one was bad nothing is written.
 * Algorithm: elements of 1 byte swap the word around them. Locks are chosen by the element's
 * address; a thread that has one runs to its end before another of its warp tries, so none waits
 * for itself.
 * Limit: the order of equal indices is the machine's, so float sums may differ in the last bits. */
#define MACROS AT_WAY, BLOCK, PLACES, INDEX_COUNT, NDIM, WIDE_INDEX
#define INDEX_MODE 0
#include "access.cuh"
#include "bounds.cuh"

#define LOCKS 8192

struct Params {
    char *array;
    const char *operand;
    const char *indices[INDEX_COUNT];
    tn_i64 sizes[INDEX_COUNT], steps[INDEX_COUNT];
    tn_i64 count;
    Bounds bounds;
    Locks locks;                        /* LOCKS of them, zero */
    Shape<NDIM, 2 + INDEX_COUNT> shape; /* array, operand, indices */
};

#if AT_WAY == 1 || AT_WAY == 2
__device__ __forceinline__ Stored at_apply(Stored x, Operand y) {
    return save_element(at_body(load_element(x), load_operand(y)));
}
#endif

#if AT_WAY == 1
template <int BYTES> struct Swap;
template <> struct Swap<2> { typedef unsigned short type; };
template <> struct Swap<4> { typedef unsigned type; };
template <> struct Swap<8> { typedef tn_u64 type; };

template <typename T, typename U> __device__ __forceinline__ T as(const U &from) {
    union Both {
        U from;
        T to;
        __device__ Both() {}
    } both;
    both.from = from;
    return both.to;
}

__device__ __forceinline__ void update(Stored *at, Operand operand) {
    if (sizeof(Stored) == 1) {
        unsigned *word = (unsigned *)((tn_u64)at & ~(tn_u64)3);
        unsigned shift = 8 * ((unsigned)(tn_u64)at & 3), old = *word, seen;
        do {
            seen = old;
            unsigned char byte = (unsigned char)(seen >> shift);
            byte = as<unsigned char>(at_apply(as<Stored>(byte), operand));
            old = atomicCAS(word, seen, (seen & ~(0xffu << shift)) | (unsigned)byte << shift);
        } while (old != seen);
    } else {
        typedef Swap<sizeof(Stored) == 1 ? 4 : sizeof(Stored)>::type Bits;
        Bits *bits = (Bits *)at, old = *bits, seen;
        do {
            seen = old;
            old = atomicCAS(bits, seen, as<Bits>(at_apply(as<Stored>(seen), operand)));
        } while (old != seen);
    }
}
#elif AT_WAY == 2
__device__ __forceinline__ void update(Stored *at, Operand operand, unsigned *locks) {
    unsigned *lock = locks + ((tn_u64)at / sizeof(Stored) * 0x9e3779b1u >> 7) % LOCKS;
    for (bool is_done = false; !is_done;) {
        if (atomicCAS(lock, 0u, 1u) == 0) {
            __threadfence();
            Stored old = load_fresh(at);
            Stored made = at_apply(old, operand);
            *at = made;
            __threadfence();
            atomicExch(lock, 0u);
            is_done = true;
        }
    }
}
#endif

#if AT_WAY == 3
extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Stored sums[PLACES];
    if (p.bounds.has_failed()) return;
    const int size = (int)p.sizes[0];
    for (int k = threadIdx.x; k < size; k += BLOCK) sums[k] = Stored();
    __syncthreads();
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 offsets[3] = {0, 0, 0};
        p.shape.walk((Index)at, offsets);
        tn_i64 index = *(const tn_i64 *)(p.indices[0] + offsets[2]);
        at_native(&sums[index < 0 ? index + size : index],
                  *(const Operand *)(p.operand + offsets[1]));
    }
    __syncthreads();
    for (int k = threadIdx.x; k < size; k += BLOCK)
        if (sums[k] != Stored()) at_native((Stored *)(p.array + k * p.steps[0]), sums[k]);
}
#else
extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    if (p.bounds.has_failed()) return;
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 offsets[2 + INDEX_COUNT];
#pragma unroll
        for (int k = 0; k < 2 + INDEX_COUNT; k++) offsets[k] = 0;
        p.shape.walk((Index)at, offsets);
        char *to = p.array + offsets[0];
#pragma unroll
        for (int k = 0; k < INDEX_COUNT; k++) {
            tn_i64 index = *(const tn_i64 *)(p.indices[k] + offsets[2 + k]);
            to += (index < 0 ? index + p.sizes[k] : index) * p.steps[k];
        }
        Operand operand = *(const Operand *)(p.operand + offsets[1]);
#if AT_WAY == 0
        at_native((Stored *)to, operand);
#elif AT_WAY == 1
        update((Stored *)to, operand);
#else
        update((Stored *)to, operand, p.locks);
#endif
    }
}
#endif
