/* A launch in a plan: a kernel's macros and parameters, set by their names.
 *
 *     tni_form_key *key =
 *         TNI_STEP(plan, hypot3, &form, MACROS(.BLOCK = BLOCK), PARAMS(.x = x, .count = count));
 *
 * The names are those of the kernel's own text (`#define MACROS`, `struct Params`), of which the
 * build makes a C struct each and the function that packs them (tools/kernel_steps.py). A name that
 * the kernel has not, and one that is missing or there twice, do not compile. */
#ifndef TNI_CUDA_FORMS_STEP_H
#define TNI_CUDA_FORMS_STEP_H

#include "backend/cuda/forms/plan.h"

#include <string.h>

/* A form: a kernel, and the function that writes its program's body, or NULL. */
#define TNI_FORM(kernel, write)                                                                    \
    {                                                                                              \
        { TNI_TEXT_##kernel, write, #write }                                                       \
    }

#define MACROS(...) (__VA_ARGS__)
#define PARAMS(...) (__VA_ARGS__)
#define TNI_STEP(plan, kernel, form, macros, params)                                               \
    (TNI_ALL(TNI_MACROS_##kernel, macros, "a macro of the kernel is missing"),                     \
     TNI_ALL(TNI_PARAMS_##kernel, params, "a parameter of the kernel is missing"),                 \
     tni_step_##kernel(plan, form, &(tni_##kernel##_macros){TNI_OPEN macros},                      \
                       &(tni_##kernel##_params){TNI_OPEN params}))

/* The compiler refuses a name that is unknown, or there twice, or a value without one: then as many
 * values as there are members are all of them. */
#define TNI_ALL(count, values, text)                                                               \
    (void)sizeof(struct {                                                                          \
        _Static_assert(TNI_COUNT values == (count), text);                                         \
        int unused;                                                                                \
    })
#define TNI_OPEN(...) __VA_ARGS__
#define TNI_COUNT(...)                                                                             \
    TNI_33RD(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15,  \
             14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TNI_33RD(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A,  \
                 B, C, D, E, F, number, ...)                                                       \
    number
#if defined __GNUC__ && !defined __clang__
#define TNI_BY_NAME __attribute__((designated_init))
#else
#define TNI_BY_NAME
#endif

/* --- What members are given --- */

/* Bytes as they are. */
typedef struct tni_bytes {
    const void *data;
    size_t size;
} tni_bytes;
#define TNI_BYTES(data, size) ((tni_bytes){data, size})

/* Axes (their number is a macro of the kernel) and the byte strides of each array. */
typedef struct tni_shape_1 {
    const int64_t *sizes, *strides[1];
} tni_shape_1;
typedef struct tni_shape_2 {
    const int64_t *sizes, *strides[2];
} tni_shape_2;
typedef struct tni_shape_3 {
    const int64_t *sizes, *strides[3];
} tni_shape_3;
/* As many as a macro of the kernel says. */
typedef struct tni_shape_any {
    const int64_t *sizes, *const *strides;
} tni_shape_any;
#define TNI_SHAPE_1(sizes, a) ((tni_shape_1){sizes, {a}})
#define TNI_SHAPE_2(sizes, a, b) ((tni_shape_2){sizes, {a, b}})
#define TNI_SHAPE_3(sizes, a, b, c) ((tni_shape_3){sizes, {a, b, c}})
#define TNI_SHAPE_ANY(sizes, strides) ((tni_shape_any){sizes, strides})

/* --- Packing --- */

static inline void tni_pack(tni_plan *plan, const void *value, size_t bytes) {
    memcpy(plan->params + plan->bytes, value, bytes);
    plan->bytes += (unsigned)bytes;
}
/* A place that launching fills. */
void tni_pack_slot(tni_plan *plan, int kind);
/* No device has memory there, nor has the host. */
static inline bool tni_is_scratch(const void *address) {
    return (uintptr_t)address >> 48 == 0xfffe;
}
static inline void tni_pack_pointer(tni_plan *plan, const void *address) {
    if (__builtin_expect(tni_is_scratch(address), 0)) tni_pack_slot(plan, TNI_SLOT_SCRATCH);
    tni_pack(plan, &address, sizeof address);
}
/* The address of counters that are zero between launches, or of locks that are free; and `struct
 * Bounds`, the record of bad indexes, which all launches of a plan share. */
void tni_pack_counters(tni_plan *plan, bool has_counters);
void tni_pack_locks(tni_plan *plan);
void tni_pack_bounds(tni_plan *plan);
void tni_pack_axis(tni_plan *plan, int64_t size, bool wide);
/* A whole `struct Shape`: axes, and strides[array][axis]. */
void tni_pack_shape(tni_plan *plan, int ndim, const int64_t *sizes, int arrays,
                    const int64_t *const *strides, bool wide);

#include "backend/cuda/kernel_steps.h"

#endif
