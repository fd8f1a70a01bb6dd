/* Kinds of arguments and results of rows that are no arrays: numbers, texts, objects. */
#ifndef TENORITE_EXT_BASE_KINDS_H
#define TENORITE_EXT_BASE_KINDS_H

#include "base/call.h"

typedef struct ext_axes_given {
    int count; /* -1: None was given */
    int at[TN_MAX_NDIM];
} ext_axes_given;
typedef struct ext_shape_given {
    int count; /* -1: None was given */
    int64_t at[TN_MAX_NDIM];
} ext_shape_given;
/* A tuple of str, which keeps them. */
typedef struct ext_texts_given {
    int count;
    const char **at;
} ext_texts_given;
typedef struct ext_extent_given {
    unsigned at[3];
} ext_extent_given;
typedef struct ext_bytes_given {
    const char *at;
    int64_t count; /* behind them is a NUL */
} ext_bytes_given;
/* What a handle between processes is made of. */
typedef struct ext_shared_given {
    unsigned char at[64];
} ext_shared_given;

/* KIND(name, type) of arguments. */
#define EXT_ARGUMENT_KINDS(KIND)                                                                   \
    KIND(number, int)                                                                              \
    KIND(flags, unsigned) /* the lowest bits of any int, as in handle */                           \
    KIND(handle, uintptr_t)                                                                        \
    KIND(int64, int64_t)                                                                           \
    KIND(elements, int64_t) /* that the call is about, besides those of arrays */                  \
    KIND(extent, ext_extent_given)                                                                 \
    KIND(truth, bool)                                                                              \
    KIND(real, double)                                                                             \
    KIND(text, const char *)                                                                       \
    KIND(optional_text, const char *)                                                              \
    KIND(texts, ext_texts_given)                                                                   \
    KIND(bytes, ext_bytes_given)                                                                   \
    KIND(shared, ext_shared_given)                                                                 \
    KIND(object, PyObject *) /* borrowed */                                                        \
    KIND(tuple, PyObject *)                                                                        \
    KIND(dtype, tn_dtype)                                                                          \
    KIND(casting, tn_casting)                                                                      \
    KIND(axes, ext_axes_given)                                                                     \
    KIND(shape, ext_shape_given)
/* And of results. */
#define EXT_RESULT_KINDS(KIND)                                                                     \
    KIND(made_number, int)                                                                         \
    KIND(made_handle, uintptr_t)                                                                   \
    KIND(made_int64, int64_t)                                                                      \
    KIND(made_truth, bool)                                                                         \
    KIND(made_real, double)                                                                        \
    KIND(made_shared, ext_shared_given)                                                            \
    KIND(made_object, PyObject *) /* new; NULL with an exception */

#define EXT_DECLARE_KIND(name, type)                                                               \
    typedef type ext_given_##name;                                                                 \
    extern const ext_kind ext_kind_##name;
EXT_ARGUMENT_KINDS(EXT_DECLARE_KIND)
EXT_RESULT_KINDS(EXT_DECLARE_KIND)

/* The kinds of a capsule of a file's own: x, and made_x of a new one. */
#define EXT_CAPSULE_KINDS(name, type, end)                                                         \
    typedef type *ext_given_##name, *ext_given_made_##name;                                        \
    static void free_##name(PyObject *capsule) {                                                   \
        end(PyCapsule_GetPointer(capsule, "tenorite." #name));                                     \
    }                                                                                              \
    static int read_##name(void *to, PyObject *object, const ext_parameter *which) {               \
        (void)which;                                                                               \
        *(type **)to = PyCapsule_GetPointer(object, "tenorite." #name);                            \
        return *(type **)to ? 0 : -1;                                                              \
    }                                                                                              \
    static void release_##name(void *from) {                                                       \
        end(*(type **)from);                                                                       \
    }                                                                                              \
    static PyObject *give_##name(void *from, PyObject *object, PyObject *first) {                  \
        PyObject *capsule = PyCapsule_New(*(type **)from, "tenorite." #name, free_##name);         \
        (void)object, (void)first;                                                                 \
        if (!capsule) release_##name(from);                                                        \
        return capsule;                                                                            \
    }                                                                                              \
    static const ext_kind ext_kind_##name = {.read = read_##name};                                 \
    static const ext_kind ext_kind_made_##name = {.give = give_##name, .release = release_##name};

#endif
