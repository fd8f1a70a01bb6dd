// With TENORITE_KERNEL_CHECK=1: the compiler calls a function before each access of memory, as for
// its thread sanitizer, whose library is not needed: these are the functions, and the library of
// this project judges the access.
#ifdef TNI_CHECK
#ifdef __clang__
#define TNI_UNSEEN                                                                                 \
    __attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation, noinline, used,       \
                   visibility("hidden")))
#else
#define TNI_UNSEEN __attribute__((no_sanitize("thread"), noinline, used, visibility("hidden")))
#endif
// By its label: the compiler knows these names, and takes no definition of them.
#define TNI_HOOK(result, name, parameters)                                                         \
    extern "C" TNI_UNSEEN result tni_hook_##name parameters __asm__("__" #name);                   \
    result tni_hook_##name parameters

namespace tni {
TNI_UNSEEN static void touch(const volatile void *at, size_t bytes, int kind) {
    tni_runtime->touch((const void *)at, bytes, kind, &threadIdx.x);
}
} // namespace tni

TNI_HOOK(void, tsan_init, (void))
{}
TNI_HOOK(void, tsan_func_entry, (void *))
{}
TNI_HOOK(void, tsan_func_exit, (void))
{}
#define TNI_ACCESS(bytes)                                                                          \
    TNI_HOOK(void, tsan_read##bytes, (void *at))                                                   \
    { tni::touch(at, bytes, TNI_TOUCH_READ); }                                                     \
    TNI_HOOK(void, tsan_write##bytes, (void *at))                                                  \
    { tni::touch(at, bytes, TNI_TOUCH_WRITE); }                                                    \
    TNI_HOOK(void, tsan_unaligned_read##bytes, (void *at))                                         \
    { tni::touch(at, bytes, TNI_TOUCH_READ); }                                                     \
    TNI_HOOK(void, tsan_unaligned_write##bytes, (void *at))                                        \
    { tni::touch(at, bytes, TNI_TOUCH_WRITE); }
TNI_ACCESS(1)
TNI_ACCESS(2)
TNI_ACCESS(4)
TNI_ACCESS(8)
TNI_ACCESS(16)
TNI_HOOK(void, tsan_read_range, (void *at, unsigned long bytes))
{ tni::touch(at, bytes, TNI_TOUCH_READ); }
TNI_HOOK(void, tsan_write_range, (void *at, unsigned long bytes))
{ tni::touch(at, bytes, TNI_TOUCH_WRITE); }
TNI_HOOK(void *, tsan_memcpy, (void *to, const void *from, unsigned long bytes))
{
    tni::touch(from, bytes, TNI_TOUCH_READ);
    tni::touch(to, bytes, TNI_TOUCH_WRITE);
    return __builtin_memcpy(to, from, bytes);
}
TNI_HOOK(void *, tsan_memmove, (void *to, const void *from, unsigned long bytes))
{
    tni::touch(from, bytes, TNI_TOUCH_READ);
    tni::touch(to, bytes, TNI_TOUCH_WRITE);
    return __builtin_memmove(to, from, bytes);
}
TNI_HOOK(void *, tsan_memset, (void *to, int value, unsigned long bytes))
{
    tni::touch(to, bytes, TNI_TOUCH_WRITE);
    return __builtin_memset(to, value, bytes);
}
TNI_HOOK(void, tsan_atomic_thread_fence, (int))
{ __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#define TNI_CHANGE(bits, type, name)                                                               \
    TNI_HOOK(type, tsan_atomic##bits##_##name, (volatile type * at, type v, int))                  \
    {                                                                                              \
        tni::touch(at, bits / 8, TNI_TOUCH_ATOMIC);                                                \
        return __atomic_##name(at, v, __ATOMIC_SEQ_CST);                                           \
    }
#define TNI_EXCHANGE(bits, type, name, weak)                                                       \
    TNI_HOOK(bool, tsan_atomic##bits##_compare_exchange_##name,                                    \
             (volatile type * at, type * expected, type v, int, int))                              \
    {                                                                                              \
        tni::touch(at, bits / 8, TNI_TOUCH_ATOMIC);                                                \
        return __atomic_compare_exchange_n(at, expected, v, weak, __ATOMIC_SEQ_CST,                \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define TNI_ATOMIC_HOOKS(bits, type)                                                               \
    TNI_CHANGE(bits, type, fetch_add)                                                              \
    TNI_CHANGE(bits, type, fetch_sub)                                                              \
    TNI_CHANGE(bits, type, fetch_and)                                                              \
    TNI_CHANGE(bits, type, fetch_or)                                                               \
    TNI_CHANGE(bits, type, fetch_xor)                                                              \
    TNI_EXCHANGE(bits, type, strong, false)                                                        \
    TNI_EXCHANGE(bits, type, weak, true)                                                           \
    TNI_HOOK(type, tsan_atomic##bits##_exchange, (volatile type * at, type v, int))                \
    {                                                                                              \
        tni::touch(at, bits / 8, TNI_TOUCH_ATOMIC);                                                \
        return __atomic_exchange_n(at, v, __ATOMIC_SEQ_CST);                                       \
    }                                                                                              \
    TNI_HOOK(type, tsan_atomic##bits##_load, (const volatile type *at, int))                       \
    {                                                                                              \
        tni::touch(at, bits / 8, TNI_TOUCH_ATOMIC);                                                \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    TNI_HOOK(void, tsan_atomic##bits##_store, (volatile type * at, type v, int))                   \
    {                                                                                              \
        tni::touch(at, bits / 8, TNI_TOUCH_ATOMIC);                                                \
        __atomic_store_n(at, v, __ATOMIC_SEQ_CST);                                                 \
    }                                                                                              \
    TNI_HOOK(type, tsan_atomic##bits##_compare_exchange_val,                                       \
             (volatile type * at, type expected, type v, int, int))                                \
    {                                                                                              \
        tni::touch(at, bits / 8, TNI_TOUCH_ATOMIC);                                                \
        __atomic_compare_exchange_n(at, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
        return expected;                                                                           \
    }
TNI_ATOMIC_HOOKS(8, unsigned char)
TNI_ATOMIC_HOOKS(16, unsigned short)
TNI_ATOMIC_HOOKS(32, unsigned)
TNI_ATOMIC_HOOKS(64, unsigned long)

// An array of known size with an index outside of it: where, its type, the index.
struct tni_type {
    unsigned short kind, facts; // facts: a bit that says signed, the logarithm of the bits
    char name[1];
};
struct tni_outside {
    const char *file;
    unsigned line, column;
    const tni_type *array, *index;
};
extern "C" TNI_UNSEEN void tni_fail_outside(const tni_outside *place, unsigned long index) {
    unsigned bits = 1u << (place->index->facts >> 1);
    long number = (long)index;
    if (bits < 64 && place->index->facts & 1) number = (long)(index << (64 - bits)) >> (64 - bits);
    tni_runtime->outside(&threadIdx.x, place->array->name, number, place->file, (int)place->line);
}
TNI_HOOK(void, ubsan_handle_out_of_bounds, (void *place, unsigned long index))
{ tni_fail_outside((const tni_outside *)place, index); }
TNI_HOOK(void, ubsan_handle_out_of_bounds_abort, (void *place, unsigned long index))
{ tni_fail_outside((const tni_outside *)place, index); }
#endif
