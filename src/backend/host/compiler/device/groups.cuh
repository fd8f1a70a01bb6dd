// cooperative_groups: the block, tiles of a warp, the grid of a cooperative launch.
#ifndef TNI_GROUPS
#define TNI_GROUPS
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
    template <class T> T shfl(T v, int from) const {
        return tni::shuffle_to(mask(), v, from, Size);
    }
    template <class T> T shfl_up(T v, unsigned by) const {
        return tni::shuffle_up(mask(), v, by, Size);
    }
    template <class T> T shfl_down(T v, unsigned by) const {
        return tni::shuffle_down(mask(), v, by, Size);
    }
    template <class T> T shfl_xor(T v, unsigned with) const {
        return tni::shuffle_xor(mask(), v, with, Size);
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
// <cooperative_groups/reduce.h> and scan.h: what the threads of a tile make together.
#define TNI_GROUP_OPERATION(name, text)                                                            \
    template <class T> struct name {                                                               \
        T operator()(T a, T b) const { return text; }                                              \
    };
TNI_GROUP_OPERATION(plus, a + b)
TNI_GROUP_OPERATION(less, b < a ? b : a)
TNI_GROUP_OPERATION(greater, a < b ? b : a)
TNI_GROUP_OPERATION(bit_and, a &b)
TNI_GROUP_OPERATION(bit_or, a | b)
TNI_GROUP_OPERATION(bit_xor, a ^ b)
#undef TNI_GROUP_OPERATION
template <unsigned Size, class T, class F>
static inline T reduce(const thread_block_tile<Size> &tile, T value, F &&function) {
    for (unsigned with = Size / 2; with > 0; with /= 2)
        value = function(value, tile.shfl_xor(value, with));
    return value;
}
template <unsigned Size, class T, class F>
static inline T inclusive_scan(const thread_block_tile<Size> &tile, T value, F &&function) {
    for (unsigned by = 1; by < Size; by *= 2) {
        T before = tile.shfl_up(value, by);
        if (tile.thread_rank() >= by) value = function(before, value);
    }
    return value;
}
template <unsigned Size, class T>
static inline T inclusive_scan(const thread_block_tile<Size> &tile, T value) {
    return inclusive_scan(tile, value, plus<T>());
}
template <unsigned Size, class T, class F>
static inline T exclusive_scan(const thread_block_tile<Size> &tile, T value, F &&function) {
    T before = tile.shfl_up(inclusive_scan(tile, value, function), 1);
    return tile.thread_rank() ? before : T();
}
template <unsigned Size, class T>
static inline T exclusive_scan(const thread_block_tile<Size> &tile, T value) {
    return exclusive_scan(tile, value, plus<T>());
}
template <class G> static inline void sync(const G &group) {
    group.sync();
}
} // namespace cooperative_groups
#endif
