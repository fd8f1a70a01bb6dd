// What programs of tenorite.jit stand on.
#ifndef TNI_JIT
#define TNI_JIT
#include <cupy/carray.cuh>

// Values of several outputs. NVRTC and the system's compiler have no header of one in common.
template <class... T> struct tni_tuple;
template <> struct tni_tuple<> {};
template <class T, class... R> struct tni_tuple<T, R...> {
    T first;
    tni_tuple<R...> rest;
};
template <int k> struct tni_item {
    template <class T> __device__ static auto of(const T &value) {
        return tni_item<k - 1>::of(value.rest);
    }
};
template <> struct tni_item<0> {
    template <class T> __device__ static auto of(const T &value) { return value.first; }
};

// What thrust and cub compare by; complex numbers by their real parts first.
template <class T> __device__ inline bool tni_less(const T &a, const T &b) {
    return a < b;
}
template <class T> __device__ inline bool tni_less(const complex<T> &a, const complex<T> &b) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

// Elements and rows of arrays, and iterators over arrays that do not lie contiguous, in the order
// of C.
template <class A, class... I> __device__ inline auto &tni_at(A &x, I... i) {
    const ptrdiff_t index[] = {(ptrdiff_t)i..., 0};
    return x[(const ptrdiff_t *)index];
}
template <class T, int N, bool C, bool S, class... I>
__device__ inline CArray<T, N - (int)sizeof...(I), C, S> tni_row(const CArray<T, N, C, S> &x,
                                                                 I... i) {
    const int count = (int)sizeof...(I);
    const ptrdiff_t index[] = {(ptrdiff_t)i...};
    ptrdiff_t offset = 0;
    for (int k = 0; k < count; k++) offset += index[k] * x.strides()[k];
    return CArray<T, N - count, C, S>((T *)((char *)x.data() + offset), x.shape() + count,
                                      x.strides() + count);
}
template <class A> struct tni_iterator {
    A array;
    ptrdiff_t at;
    __device__ auto &operator[](ptrdiff_t i) const { return const_cast<A &>(array)[at + i]; }
    __device__ tni_iterator operator+(ptrdiff_t i) const { return {array, at + i}; }
    __device__ tni_iterator operator-(ptrdiff_t i) const { return {array, at - i}; }
    __device__ ptrdiff_t operator-(const tni_iterator &other) const { return at - other.at; }
    __device__ bool operator==(const tni_iterator &other) const { return at == other.at; }
    __device__ bool operator!=(const tni_iterator &other) const { return at != other.at; }
    __device__ bool operator<(const tni_iterator &other) const { return at < other.at; }
    __device__ bool operator<=(const tni_iterator &other) const { return at <= other.at; }
    __device__ bool operator>(const tni_iterator &other) const { return at > other.at; }
    __device__ bool operator>=(const tni_iterator &other) const { return at >= other.at; }
};
template <class A> __device__ inline tni_iterator<A> tni_begin(const A &array, ptrdiff_t at) {
    return {array, at};
}

// An integer to a negative power is an error of the ufunc, but a kernel has none.
template <class T> __device__ inline T tni_power(T a, T b) {
    if (b < 0) return a == T(1) ? 1 : a == T(-1) ? (b % 2 ? -1 : 1) : 0;
    unsigned long long result = 1, base = (unsigned long long)a;
    for (unsigned long long n = (unsigned long long)b; n; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return T(result);
}

// The block as a group: it needs no header, which not every installation of NVRTC has.
struct tni_thread_block {
    __device__ void sync() const { __syncthreads(); }
    __device__ unsigned thread_rank() const {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __device__ unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ unsigned num_threads() const { return size(); }
    __device__ dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ dim3 group_dim() const { return blockDim; }
    __device__ dim3 dim_threads() const { return blockDim; }
};
// The elements that a group copies, each thread its part.
template <class G, class D, class S>
__device__ inline void tni_copy(const G &group, D *to, const S *from, long long size) {
    char *out = (char *)to;
    const char *in = (const char *)from;
    for (long long i = group.thread_rank(); i < size; i += group.size()) out[i] = in[i];
}
#endif
