// The words of CUDA C++ for a kernel that the system's compiler builds for the host: qualifiers,
// vector types, the built-in variables, barriers, votes, shuffles, and the loop over a block's
// threads.
//
// A block runs in one thread of the system. Its threads run one after the other, in a plain loop
// that the compiler vectorises. A thread that reaches a barrier is set aside with its stack
// (fibers.c), another fiber goes on with the next thread, and the loop that the thread came from
// ends with it. So no thread runs between the loop's first and a barrier twice, and a kernel
// without barriers never meets a fiber. What belongs to a block is thread-local: the built-in
// variables, and what is __shared__.
#define __TENORITE_HOST__ 1
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 700
// Kernels are found in the table of entries.
#define __global__ inline __attribute__((visibility("hidden")))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __inline__ inline
#define __restrict __restrict__

typedef decltype(sizeof 0) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;

// --- Vector types ---

#define TNI_VECTOR(type, name, align2, align4)                                                     \
    struct name##1 {                                                                               \
        type x;                                                                                    \
    };                                                                                             \
    struct __align__(align2) name##2 {                                                             \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __align__(align4) name##4 {                                                             \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    static inline name##1 make_##name##1(type x) {                                                 \
        return {x};                                                                                \
    }                                                                                              \
    static inline name##2 make_##name##2(type x, type y) {                                         \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline name##3 make_##name##3(type x, type y, type z) {                                 \
        return {x, y, z};                                                                          \
    }                                                                                              \
    static inline name##4 make_##name##4(type x, type y, type z, type w) {                         \
        return {x, y, z, w};                                                                       \
    }
TNI_VECTOR(signed char, char, 2, 4)
TNI_VECTOR(unsigned char, uchar, 2, 4)
TNI_VECTOR(short, short, 4, 8)
TNI_VECTOR(unsigned short, ushort, 4, 8)
TNI_VECTOR(int, int, 8, 16)
TNI_VECTOR(unsigned int, uint, 8, 16)
TNI_VECTOR(long, long, 16, 16)
TNI_VECTOR(unsigned long, ulong, 16, 16)
TNI_VECTOR(long long, longlong, 16, 16)
TNI_VECTOR(unsigned long long, ulonglong, 16, 16)
TNI_VECTOR(float, float, 8, 16)
TNI_VECTOR(double, double, 16, 16)
#undef TNI_VECTOR

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

// --- What the library gives (device_abi.h has the same) ---

struct tni_host_runtime {
    unsigned long long (*meet)(int kind, unsigned thread, unsigned mask, unsigned long long value,
                               unsigned source);
    int (*print)(const char *format, __builtin_va_list values);
    __attribute__((noreturn)) void (*fail)(unsigned thread, int kind, const char *text,
                                           const char *file, int line);
    void *(*room)(size_t bytes);
    void (*touch)(const void *at, size_t bytes, int kind, const unsigned *index);
    void (*outside)(const unsigned *index, const char *type, long number, const char *file,
                    int line);
};
extern "C" {
const tni_host_runtime *tni_runtime;
}

// Whether the loop over the threads ends with the one that runs: the later ones are another
// fiber's.
static thread_local bool tni_is_last;

// The check of memory sees which thread runs: threadIdx is written before the thread goes on.
#ifdef TNI_CHECK
#define TNI_SETTLE __asm__ volatile("" : : "r"(&threadIdx) : "memory")
#else
#define TNI_SETTLE
#endif

namespace tni {
static inline unsigned thread() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static inline unsigned lane() {
    return thread() % 32;
}
// Waits for the others; the fiber is alone with its thread from now on.
__attribute__((noinline)) static unsigned long long meet(int kind, unsigned mask,
                                                         unsigned long long value,
                                                         unsigned source) {
    uint3 own = threadIdx;
    unsigned long long result = tni_runtime->meet(kind, thread(), mask, value, source);
    threadIdx = own;
    TNI_SETTLE;
    tni_is_last = true;
    return result;
}
} // namespace tni

// --- Barriers, votes, shuffles ---

static inline void __syncthreads() {
    tni::meet(TNI_BLOCK_SYNC, 0, 0, 0);
}
static inline int __syncthreads_count(int p) {
    return (int)tni::meet(TNI_BLOCK_COUNT, 0, p != 0, 0);
}
static inline int __syncthreads_and(int p) {
    return (int)tni::meet(TNI_BLOCK_AND, 0, p != 0, 0);
}
static inline int __syncthreads_or(int p) {
    return (int)tni::meet(TNI_BLOCK_OR, 0, p != 0, 0);
}
static inline void __syncwarp(unsigned mask = 0xffffffff) {
    tni::meet(TNI_WARP_SYNC, mask, 0, 0);
}
static inline unsigned __ballot_sync(unsigned mask, int p) {
    return (unsigned)tni::meet(TNI_WARP_BALLOT, mask, p != 0, 0);
}
static inline int __any_sync(unsigned mask, int p) {
    return __ballot_sync(mask, p) != 0;
}
static inline int __all_sync(unsigned mask, int p) {
    return __ballot_sync(mask, !p) == 0;
}
static inline unsigned __activemask() {
    return (unsigned)tni::meet(TNI_WARP_ACTIVE, 0, 0, 0);
}
static inline void __nanosleep(unsigned) {
    tni::meet(TNI_YIELD, 0, 0, 0);
}
static inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_block() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace tni {
template <class T> static inline unsigned long long pack(T value) {
    static_assert(sizeof(T) <= 8, "a warp exchanges values of 8 bytes at most");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> static inline T unpack(unsigned long long bits) {
    T value;
    __builtin_memcpy((void *)&value, &bits, sizeof value);
    return value;
}
// A lane whose source lies outside its part of the warp keeps its own value.
template <class T> static inline T shuffle(unsigned mask, T value, int source, bool is_inside) {
    return unpack<T>(
        meet(TNI_WARP_SHUFFLE, mask, pack(value), is_inside ? (unsigned)source & 31 : lane()));
}
template <class T> static inline T shuffle_to(unsigned mask, T value, int from, int width) {
    int first = (int)lane() & ~(width - 1);
    return shuffle(mask, value, first + (from & (width - 1)), true);
}
template <class T> static inline T shuffle_up(unsigned mask, T value, unsigned by, int width) {
    int own = (int)lane(), first = own & ~(width - 1);
    return shuffle(mask, value, own - (int)by, own - (int)by >= first);
}
template <class T> static inline T shuffle_down(unsigned mask, T value, unsigned by, int width) {
    int own = (int)lane(), first = own & ~(width - 1);
    return shuffle(mask, value, own + (int)by, own + (int)by < first + width);
}
template <class T> static inline T shuffle_xor(unsigned mask, T value, int with, int width) {
    int own = (int)lane(), first = own & ~(width - 1), from = own ^ with;
    return shuffle(mask, value, from, from < first + width);
}
} // namespace tni

#define TNI_SHUFFLES(type)                                                                         \
    static inline type __shfl_sync(unsigned mask, type value, int from, int width = 32) {          \
        return tni::shuffle_to(mask, value, from, width);                                          \
    }                                                                                              \
    static inline type __shfl_up_sync(unsigned mask, type value, unsigned by, int width = 32) {    \
        return tni::shuffle_up(mask, value, by, width);                                            \
    }                                                                                              \
    static inline type __shfl_down_sync(unsigned mask, type value, unsigned by, int width = 32) {  \
        return tni::shuffle_down(mask, value, by, width);                                          \
    }                                                                                              \
    static inline type __shfl_xor_sync(unsigned mask, type value, int with, int width = 32) {      \
        return tni::shuffle_xor(mask, value, with, width);                                         \
    }
TNI_SHUFFLES(int)
TNI_SHUFFLES(unsigned)
TNI_SHUFFLES(long)
TNI_SHUFFLES(unsigned long)
TNI_SHUFFLES(long long)
TNI_SHUFFLES(unsigned long long)
TNI_SHUFFLES(float)
TNI_SHUFFLES(double)
template <class T> static inline unsigned __match_any_sync(unsigned mask, T value) {
    return (unsigned)tni::meet(TNI_WARP_MATCH, mask, tni::pack(value), 0);
}
template <class T> static inline unsigned __match_all_sync(unsigned mask, T value, int *is_same) {
    unsigned same = __match_any_sync(mask, value);
    *is_same = (same & mask) == mask;
    return *is_same ? mask : 0;
}
#define TNI_REDUCE(name, type, kind)                                                               \
    static inline type __reduce_##name##_sync(unsigned mask, type value) {                         \
        return (type)tni::meet(kind, mask, (unsigned)value, 0);                                    \
    }
TNI_REDUCE(add, unsigned, TNI_WARP_ADD)
TNI_REDUCE(add, int, TNI_WARP_ADD)
TNI_REDUCE(min, unsigned, TNI_WARP_UMIN)
TNI_REDUCE(min, int, TNI_WARP_MIN)
TNI_REDUCE(max, unsigned, TNI_WARP_UMAX)
TNI_REDUCE(max, int, TNI_WARP_MAX)
TNI_REDUCE(and, unsigned, TNI_WARP_AND)
TNI_REDUCE(or, unsigned, TNI_WARP_OR)
TNI_REDUCE(xor, unsigned, TNI_WARP_XOR)
#undef TNI_REDUCE

// --- Output, failure, memory ---

extern "C" {
int printf(const char *format, ...);
void *malloc(size_t bytes) noexcept;
void free(void *memory) noexcept;
void *memcpy(void *to, const void *from, size_t bytes) noexcept;
void *memset(void *to, int value, size_t bytes) noexcept;
}
inline __attribute__((format(printf, 1, 2))) int tni_print(const char *format, ...) {
    __builtin_va_list values;
    __builtin_va_start(values, format);
    int result = tni_runtime->print(format, values);
    __builtin_va_end(values);
    return result;
}
#define printf tni_print
#define TNI_FAIL(kind, text) tni_runtime->fail(tni::thread(), kind, text, __FILE__, __LINE__)
#define __trap() TNI_FAIL(TNI_FAIL_CALL, "__trap()")
#define assert(condition) ((condition) ? (void)0 : TNI_FAIL(TNI_FAIL_ASSERTION, #condition))
// The functions of the C library that would end the process, by their labels: a program that
// includes their headers declares them, and the linker takes these.
#define TNI_ENDING(label, parameters)                                                              \
    extern "C" __attribute__((                                                                     \
        noreturn, used, visibility("hidden"))) void tni_ending_##label parameters __asm__(#label); \
    void tni_ending_##label parameters
TNI_ENDING(__assert_fail, (const char *text, const char *file, unsigned line, const char *))
{ tni_runtime->fail(tni::thread(), TNI_FAIL_ASSERTION, text, file, (int)line); }
#define TNI_ENDING_CALL(name, parameters)                                                          \
    TNI_ENDING(name, parameters)                                                                   \
    { tni_runtime->fail(tni::thread(), TNI_FAIL_CALL, #name "()", 0, 0); }
TNI_ENDING_CALL(abort, (void))
TNI_ENDING_CALL(exit, (int))
TNI_ENDING_CALL(_exit, (int))
TNI_ENDING_CALL(_Exit, (int))
TNI_ENDING_CALL(quick_exit, (int))
#undef TNI_ENDING_CALL
#undef TNI_ENDING

// --- The loop over a block's threads ---

struct tni_host_block {
    unsigned grid[3], block[3], index[3];
};
struct tni_host_entry {
    const char *name;
    // Runs the block's threads from `first` on. NULL: a variable, or nothing of that name.
    void (*run)(const tni_host_block *block, const void *const *arguments, unsigned first);
    int argument_count;
    const unsigned *argument_bytes;
    // A letter each: p a pointer, f a floating-point number, i an integer, s others.
    const char *argument_kinds;
    void *variable;
    size_t variable_bytes;
    // A function over a range of elements, instead of threads.
    void (*range)(ptrdiff_t begin, ptrdiff_t end, const void *const *arguments);
    // Of what each parameter points at, the letters (b, i, u, f; s others), then digits of sizes.
    const char *argument_elements;
};
struct tni_range {
    ptrdiff_t begin, end;
};
namespace tni {
// Keeps loops over rows apart: gcc would read two rows together, at half the speed of memory.
static inline void begin_row() {
    __asm__ volatile("");
}
// The same of a row's addresses: gcc would compute many before it sees how long the row is.
template <class T> static inline T *begin_row(T *first) {
    __asm__("" : "+r"(first));
    return first;
}
} // namespace tni

// --- Kernels whose barriers were found in the text: loops over the threads between them ---

#define TNI_TEXT(...) _Pragma(#__VA_ARGS__)
#ifdef __clang__
#define TNI_APART TNI_TEXT(clang loop vectorize(assume_safety))
#define TNI_UNROLL(times) TNI_TEXT(unroll times)
#else
#define TNI_APART TNI_TEXT(GCC ivdep)
#define TNI_UNROLL(times) TNI_TEXT(GCC unroll times)
#endif
#define TNI_SPLIT __attribute__((noinline, flatten))
#define TNI_BEGIN_BLOCK                                                                            \
    const unsigned tni_width = ::blockDim.x, tni_height = ::blockDim.y, tni_depth = ::blockDim.z;  \
    if (tni_width > 1024 || tni_height > 1024 || tni_depth > 1024) __builtin_unreachable();        \
    const dim3 blockDim(tni_width, tni_height, tni_depth);                                         \
    const uint3 blockIdx = ::blockIdx;                                                             \
    const unsigned tni_count = tni_width * tni_height * tni_depth;
#define TNI_BEGIN_GONE                                                                             \
    unsigned char tni_gone[1024];                                                                  \
    __builtin_memset(tni_gone, 0, tni_count);
#define TNI_THREADS                                                                                \
    for (unsigned tni_z = 0, tni_row = 0; tni_z < tni_depth; tni_z++)                              \
        for (unsigned tni_y = 0; tni_y < tni_height; tni_y++, tni_row += tni_width)                \
    TNI_APART for (int tni_x = 0; tni_x < (int)tni_width; tni_x++)

namespace tni {
__attribute__((malloc, noinline)) static void *take_room(size_t bytes) {
    return tni_runtime->room(bytes);
}
template <class T> static inline T *room(void **place, unsigned count) {
    if (!*place) *place = take_room(sizeof(T) * count);
    return (T *)*place;
}
// A parameter that the threads change.
template <class T> static inline T *spread(void **place, unsigned count, T value) {
    T *all = room<T>(place, count);
    for (unsigned k = 0; k < count; k++) all[k] = value;
    return all;
}
static inline bool are_gone(const unsigned char *gone, unsigned count) {
    unsigned left = 0;
    for (unsigned k = 0; k < count; k++) left += !gone[k];
    return left == 0;
}
} // namespace tni

struct tni_absent_kernel {};

namespace tni {
template <class T> constexpr bool is_real = false;
template <class T> constexpr bool is_integer = false;
template <class T> constexpr bool is_vector = false;
template <class T> constexpr bool is_short = false; // half, bfloat16 and pairs of them
template <> constexpr bool is_real<float> = true;
template <> constexpr bool is_real<double> = true;
#define TNI_INTEGER(type)                                                                          \
    template <> constexpr bool is_integer<type> = true;                                            \
    template <> constexpr bool is_integer<unsigned type> = true;
TNI_INTEGER(char)
TNI_INTEGER(short)
TNI_INTEGER(int)
TNI_INTEGER(long)
TNI_INTEGER(long long)
#undef TNI_INTEGER
template <> constexpr bool is_integer<signed char> = true;
template <> constexpr bool is_integer<bool> = true;
#define TNI_VECTOR(name)                                                                           \
    template <> constexpr bool is_vector<name##1> = true;                                          \
    template <> constexpr bool is_vector<name##2> = true;                                          \
    template <> constexpr bool is_vector<name##4> = true;
TNI_VECTOR(char)
TNI_VECTOR(uchar)
TNI_VECTOR(short)
TNI_VECTOR(ushort)
TNI_VECTOR(int)
TNI_VECTOR(uint)
TNI_VECTOR(longlong)
TNI_VECTOR(ulonglong)
TNI_VECTOR(float)
TNI_VECTOR(double)
#undef TNI_VECTOR
// What can be read with a word for the caches.
template <class T>
constexpr bool is_loaded = is_real<T> || is_integer<T> || is_short<T> || is_vector<T>;
template <bool is, class T = void> struct where {};
template <class T> struct where<true, T> { typedef T of; };
template <class T> constexpr char kind_of = is_real<T> ? 'f' : is_integer<T> ? 'i' : 's';
template <class T> constexpr char kind_of<T *> = 'p';
// What a parameter points at, for messages (argument_elements).
template <class T> struct element { static constexpr char kind = 's', bytes = '0'; };
#define TNI_POINTED(type, letter)                                                                  \
    template <> struct element<type *> {                                                           \
        static constexpr char kind = letter, bytes = '0' + sizeof(type);                           \
    };
#define TNI_ELEMENT(type, letter)                                                                  \
    TNI_POINTED(type, letter)                                                                      \
    TNI_POINTED(const type, letter)
TNI_ELEMENT(bool, 'b')
TNI_ELEMENT(short, 'i')
TNI_ELEMENT(int, 'i')
TNI_ELEMENT(long, 'i')
TNI_ELEMENT(long long, 'i')
TNI_ELEMENT(unsigned short, 'u')
TNI_ELEMENT(unsigned, 'u')
TNI_ELEMENT(unsigned long, 'u')
TNI_ELEMENT(unsigned long long, 'u')
TNI_ELEMENT(float, 'f')
TNI_ELEMENT(double, 'f')
#undef TNI_ELEMENT
#undef TNI_POINTED

template <int... K> struct numbers {};
template <int N, int... K> struct count_to : count_to<N - 1, N - 1, K...> {};
template <int... K> struct count_to<0, K...> { typedef numbers<K...> type; };

template <class T> static inline T read(const void *from) {
    return *(const T *)from;
}

static inline void enter(const tni_host_block *block) {
    gridDim = dim3(block->grid[0], block->grid[1], block->grid[2]);
    blockDim = dim3(block->block[0], block->block[1], block->block[2]);
    blockIdx = {block->index[0], block->index[1], block->index[2]};
    tni_is_last = false;
}

template <auto F, class P = decltype(F)> struct kernel;
template <auto F> struct kernel<F, const tni_absent_kernel *> {
    static constexpr tni_host_entry entry(const char *name) { return {name, 0, 0, 0, 0, 0, 0}; }
};
template <auto F, class T> struct kernel<F, T *> {
    static constexpr tni_host_entry entry(const char *name) {
        return {name, 0, 0, 0, 0, (void *)F, sizeof(T)};
    }
};

template <auto F> struct kernel<F, void (*)(tni_range, const void *const *)> {
    static void run(ptrdiff_t begin, ptrdiff_t end, const void *const *arguments) {
        F({begin, end}, arguments);
    }
    static constexpr tni_host_entry entry(const char *name) {
        return {name, 0, 0, 0, 0, 0, 0, run};
    }
};

template <auto F, class... A> struct kernel<F, void (*)(A...)> {
    // blockIdx.x * blockDim.x + threadIdx.x stays an int where `is_small`, which lets compilers see
    // that neighbouring threads use neighbouring elements.
    template <bool is_small>
    static inline __attribute__((always_inline)) void loop(unsigned first, A... a) {
        unsigned width = blockDim.x, height = blockDim.y, depth = blockDim.z, from = first;
        if (width > 1024) __builtin_unreachable();
        if (is_small && blockIdx.x * width > 0x7fffffffu - 1024) __builtin_unreachable();
        for (unsigned z = first / width / height; z < depth; z++)
            for (unsigned y = from / width % height; y < height; y++) {
                for (unsigned x = from % width; x < width; x++) {
                    threadIdx = {x, y, z};
                    TNI_SETTLE;
                    F(a...);
                    if (tni_is_last) return;
                }
                from = 0;
            }
    }
    template <bool is_small, int... K>
    static inline __attribute__((always_inline)) void call(unsigned first,
                                                           const void *const *arguments,
                                                           numbers<K...>) {
        loop<is_small>(first, read<A>(arguments[K])...);
    }
    typedef typename count_to<(int)sizeof...(A)>::type all;
    static __attribute__((noinline)) void run_large(unsigned first, const void *const *arguments) {
        call<false>(first, arguments, all());
    }
    // Flat, for the loop is fast only where the compiler sees all of the kernel.
    static __attribute__((flatten)) void run(const tni_host_block *block,
                                             const void *const *arguments, unsigned first) {
        enter(block);
        unsigned long long end = ((unsigned long long)block->index[0] + 1) * block->block[0];
        if (end < 0x7fffffffu - 1024)
            call<true>(first, arguments, all());
        else
            run_large(first, arguments);
    }
    static constexpr unsigned bytes[] = {(unsigned)sizeof(A)..., 0};
    static constexpr char kinds[] = {kind_of<A>..., 0};
    static constexpr char elements[] = {element<A>::kind..., element<A>::bytes..., 0};
    static constexpr tni_host_entry entry(const char *name) {
        return {name, run, (int)sizeof...(A), bytes, kinds, 0, 0, 0, elements};
    }
};
} // namespace tni

template <auto F> static constexpr tni_host_entry tni_entry_of(const char *name) {
    return tni::kernel<F>::entry(name);
}
