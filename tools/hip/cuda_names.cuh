// The names of CUDA that the device texts use and HIP lacks, for tools/check_hip.py: the table that
// a hip backend would put before its programs (docs/design/hip.rst).
//
// A warp of the texts has 32 lanes. On processors whose waves have 64, it is half a wave: shuffles
// take a width of 32, and a ballot's bits are shifted to the half.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#define __grid_constant__
#define TNI_LANES 32

static __device__ __forceinline__ unsigned tni_half_of_wave() {
    return __lane_id() & 32u;
}
template <typename T>
static __device__ __forceinline__ T __shfl_sync(unsigned, T value, int lane,
                                                int width = TNI_LANES) {
    return __shfl(value, lane, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_xor_sync(unsigned, T value, int mask,
                                                    int width = TNI_LANES) {
    return __shfl_xor(value, mask, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_down_sync(unsigned, T value, unsigned by,
                                                     int width = TNI_LANES) {
    return __shfl_down(value, by, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_up_sync(unsigned, T value, unsigned by,
                                                   int width = TNI_LANES) {
    return __shfl_up(value, by, width);
}
static __device__ __forceinline__ unsigned __ballot_sync(unsigned mask, int predicate) {
    return (unsigned)(__ballot(predicate) >> tni_half_of_wave()) & mask;
}
static __device__ __forceinline__ int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
static __device__ __forceinline__ int __all_sync(unsigned mask, int predicate) {
    return (__ballot_sync(mask, predicate) ^ mask) == 0;
}
static __device__ __forceinline__ unsigned __activemask() {
    return (unsigned)(__ballot(1) >> tni_half_of_wave());
}
static __device__ __forceinline__ void __syncwarp(unsigned = ~0u) {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}
// Lanes with the same value, found value by value.
template <typename T>
static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, T value) {
    for (unsigned left = mask; left;) {
        int first = __ffs((int)left) - 1;
        unsigned same = __ballot_sync(left, value == __shfl(value, first, TNI_LANES));
        if (same >> (__lane_id() & 31u) & 1u) return same;
        left &= ~same;
    }
    return 0;
}
// Loads past the caches of a compute unit, of what another block wrote.
template <typename T> static __device__ __forceinline__ T __ldcg(const T *from) {
    return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
// Hints for the caches, which HIP has for numbers and not for its vectors.
template <typename T> static __device__ __forceinline__ T __ldcs(const T *from) {
    return *from;
}
template <typename T> static __device__ __forceinline__ void __stcs(T *to, T value) {
    *to = value;
}
// 1 for each of the four bytes that differ.
static __device__ __forceinline__ unsigned __vsetne4(unsigned a, unsigned b) {
    unsigned differs = a ^ b;
    return (((differs & 0x7f7f7f7fu) + 0x7f7f7f7fu | differs) >> 7) & 0x01010101u;
}
// The texts' functions are of the device without a word, as NVRTC's option has it.
#pragma clang force_cuda_host_device begin
