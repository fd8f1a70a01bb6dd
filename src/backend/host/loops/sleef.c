/* Loops that call the vector maths library (sleef.fn).
 *
 * Decides: how any layout becomes whole vectors. The last vector is filled up with a copy of its
 * first element, so that a result depends on its own inputs alone.
 * A loop is stamped per function because a loop gets no context to carry the function's address. */
#include "backend/host/loops/form.h"
#include "backend/host/loops/level.h"

#include <dlfcn.h>

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#define F32_LANES "f16_"
#define F64_LANES "d8_"
#define EXTENSION "avx512f"
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#define F32_LANES "f8_"
#define F64_LANES "d4_"
#define EXTENSION "avx2"
#elif defined(__SSE4_1__)
enum { VECTOR_BYTES = 16 };
#define F32_LANES "f4_"
#define F64_LANES "d2_"
#define EXTENSION "sse4"
#elif defined(__aarch64__)
enum { VECTOR_BYTES = 16 };
#define F32_LANES "f4_"
#define F64_LANES "d2_"
#define EXTENSION "advsimd"
#endif

void LEVEL(tni_sleef_bind)(void *library, tni_loop_setter set);

#ifndef EXTENSION

void LEVEL(tni_sleef_bind)(void *library, tni_loop_setter set) {
    (void)library, (void)set;
}

#else

typedef float vector_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double vector_f64 __attribute__((vector_size(VECTOR_BYTES)));

/* The next vector of an operand, `size` elements of it; and one put back. */
#define MOVES(D, T)                                                                                \
    enum { LANES_##D = VECTOR_BYTES / sizeof(T) };                                                 \
    INLINE vector_##D load_##D(const char *from, int64_t stride, int64_t size) {                   \
        vector_##D vector;                                                                         \
        if (stride == sizeof(T) && size == LANES_##D) {                                            \
            memcpy(&vector, from, sizeof vector);                                                  \
        } else {                                                                                   \
            T lanes[LANES_##D];                                                                    \
            for (int64_t i = 0; i < LANES_##D; i++) lanes[i] = READ(T, from, i < size ? stride : 0); \
            memcpy(&vector, lanes, sizeof vector);                                                 \
        }                                                                                          \
        return vector;                                                                             \
    }                                                                                              \
    INLINE void store_##D(char *to, vector_##D vector, int64_t stride, int64_t size) {             \
        if (stride == sizeof(T) && size == LANES_##D) {                                            \
            memcpy(to, &vector, sizeof vector);                                                    \
        } else {                                                                                   \
            T lanes[LANES_##D];                                                                    \
            memcpy(lanes, &vector, sizeof lanes);                                                  \
            for (int64_t i = 0; i < size; i++) AT(T, to, stride) = lanes[i];                       \
        }                                                                                          \
    }                                                                                              \
    static void run_1_##D(ARGUMENTS, vector_##D (*function)(vector_##D)) {                         \
        const int64_t sa = strides[0], sr = strides[1];                                            \
        for (int64_t i = 0; i < count; i += LANES_##D) {                                           \
            int64_t size = count - i < LANES_##D ? count - i : LANES_##D;                          \
            store_##D(args[1] + i * sr, function(load_##D(args[0] + i * sa, sa, size)), sr, size); \
        }                                                                                          \
    }                                                                                              \
    static void run_2_##D(ARGUMENTS, vector_##D (*function)(vector_##D, vector_##D)) {             \
        const int64_t sa = strides[0], sb = strides[1], sr = strides[2];                           \
        int in_turn = sr == 0 || (args[2] == args[0] + sa && sa != 0); /* reduce, accumulate */    \
        const int64_t lanes = in_turn ? 1 : LANES_##D;                                             \
        for (int64_t i = 0; i < count; i += lanes) {                                               \
            int64_t size = count - i < lanes ? count - i : lanes;                                  \
            vector_##D a = load_##D(args[0] + i * sa, sa, size);                                   \
            vector_##D b = load_##D(args[1] + i * sb, sb, size);                                   \
            store_##D(args[2] + i * sr, function(a, b), sr, size);                                 \
        }                                                                                          \
    }
MOVES(f32, float)
MOVES(f64, double)

#define STAMP_1(operation, D)                                                                      \
    static vector_##D (*operation##_##D)(vector_##D);                                              \
    static void loop_##operation##_##D(ARGUMENTS) {                                                \
        run_1_##D(args, strides, count, operation##_##D);                                          \
    }
#define STAMP_2(operation, D)                                                                      \
    static vector_##D (*operation##_##D)(vector_##D, vector_##D);                                  \
    static void loop_##operation##_##D(ARGUMENTS) {                                                \
        run_2_##D(args, strides, count, operation##_##D);                                          \
    }
#define SLEEF_1(operation, function, mark) STAMP_1(operation, f32) STAMP_1(operation, f64)
#define SLEEF_2(operation, function, mark) STAMP_2(operation, f32) STAMP_2(operation, f64)
#include "backend/host/sleef.fn"

/* POSIX lets a data pointer from dlsym hold a function; ISO C only through its bytes. */
static void bind(void *function, void *library, const char *name, int op, int dtype, tni_loop loop,
                 tni_loop_setter set) {
    void *found = dlsym(library, name);
    if (!found) return;
    memcpy(function, &found, sizeof found);
    set(op, dtype, loop);
}

#define BIND(operation, D, name)                                                                   \
    bind(&operation##_##D, library, name, tni_op_##operation, tni_dtype_##D,                       \
         loop_##operation##_##D, set);
#define SLEEF_1(operation, function, mark)                                                         \
    BIND(operation, f32, "Sleef_" #function F32_LANES #mark EXTENSION)                             \
    BIND(operation, f64, "Sleef_" #function F64_LANES #mark EXTENSION)
#define SLEEF_2(operation, function, mark) SLEEF_1(operation, function, mark)

void LEVEL(tni_sleef_bind)(void *library, tni_loop_setter set) {
#include "backend/host/sleef.fn"
}

#endif
