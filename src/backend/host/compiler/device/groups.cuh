// cooperative_groups: the block, tiles of a warp, the grid of a cooperative launch.
namespace cooperative_groups {
struct thread_block {
    void sync() const { __syncthreads(); }
    unsigned thread_rank() const { return tni::thread(); }
    unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    unsigned num_threads() const { return size(); }
    dim3 group_index() const { return blockIdx; }
    dim3 thread_index() const { return threadIdx; }
    dim3 group_dim() const { return blockDim; }
    dim3 dim_threads() const { return blockDim; }
};
struct grid_group {
    void sync() const { tni::meet(TNI_GRID_SYNC, 0, 0, 0); }
    bool is_valid() const { return true; }
    unsigned long long block_rank() const {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    unsigned long long thread_rank() const {
        return block_rank() * thread_block().size() + tni::thread();
    }
    unsigned long long num_blocks() const {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    unsigned long long size() const { return num_blocks() * thread_block().size(); }
    unsigned long long num_threads() const { return size(); }
    dim3 group_dim() const { return gridDim; }
    dim3 dim_blocks() const { return gridDim; }
    dim3 block_index() const { return blockIdx; }
};
template <unsigned Size> struct thread_block_tile {
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    unsigned mask() const {
        return Size == 32 ? 0xffffffffu : ((1u << Size % 32) - 1) << (tni::lane() & ~(Size - 1));
    }
    unsigned thread_rank() const { return tni::lane() % Size; }
    unsigned meta_group_rank() const { return tni::thread() / Size; }
    unsigned meta_group_size() const { return (thread_block().size() + Size - 1) / Size; }
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    void sync() const { __syncwarp(mask()); }
    template <class T> T shfl(T v, int from) const { return __shfl_sync(mask(), v, from, Size); }
    template <class T> T shfl_up(T v, unsigned by) const {
        return __shfl_up_sync(mask(), v, by, Size);
    }
    template <class T> T shfl_down(T v, unsigned by) const {
        return __shfl_down_sync(mask(), v, by, Size);
    }
    template <class T> T shfl_xor(T v, unsigned with) const {
        return __shfl_xor_sync(mask(), v, with, Size);
    }
    int any(int p) const { return __any_sync(mask(), p); }
    int all(int p) const { return __all_sync(mask(), p); }
    unsigned ballot(int p) const { return __ballot_sync(mask(), p) >> (tni::lane() & ~(Size - 1)); }
};
static inline thread_block this_thread_block() {
    return {};
}
static inline grid_group this_grid() {
    return {};
}
template <unsigned Size, class G> static inline thread_block_tile<Size> tiled_partition(const G &) {
    return {};
}
template <class G> static inline void sync(const G &group) {
    group.sync();
}
} // namespace cooperative_groups
