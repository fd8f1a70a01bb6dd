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
    const char **at;
    int count;
} ext_texts_given;
typedef struct ext_extent_given {
    unsigned at[3];
} ext_extent_given;
typedef struct ext_bytes_given {
    const char *at;
    int64_t count; /* after them is a NUL */
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
    KIND(address, void *) /* an int, or a pointer of ctypes or our own */                          \
    KIND(int64, int64_t)                                                                           \
    KIND(extent, ext_extent_given)                                                                 \
    KIND(truth, bool)                                                                              \
    KIND(real, double)                                                                             \
    KIND(text, const char *)                                                                       \
    KIND(optional_text, const char *)                                                              \
    KIND(bytes, ext_bytes_given)                                                                   \
    KIND(shared, ext_shared_given)                                                                 \
    KIND(object, PyObject *) /* borrowed */                                                        \
    KIND(noted, PyObject *)  /* the same, and a refusal names the argument */                      \
    KIND(tuple, PyObject *)                                                                        \
    KIND(dtype, tn_dtype)                                                                          \
    KIND(casting, tn_casting)                                                                      \
    KIND(axes, ext_axes_given)                                                                     \
    KIND(copy, tn_copy)                                                                            \
    KIND(shape, ext_shape_given)                                                                   \
    KIND(optional_shape, ext_shape_given)
/* And of results. */
#define EXT_RESULT_KINDS(KIND)                                                                     \
    KIND(made_number, int)                                                                         \
    KIND(made_handle, uintptr_t)                                                                   \
    KIND(made_int64, int64_t)                                                                      \
    KIND(made_truth, bool)                                                                         \
    KIND(made_real, double)                                                                        \
    KIND(made_shared, ext_shared_given)

#define EXT_ARGUMENT_KIND(name, type)                                                              \
    typedef type ext_given_##name;                                                                 \
    int ext_read_##name(void *to, PyObject *object, const ext_parameter *which);                   \
    static const ext_kind ext_kind_##name = {.read = ext_read_##name};
#define EXT_RESULT_KIND(name, type)                                                                \
    typedef type ext_given_##name;                                                                 \
    PyObject *ext_give_##name(void *from, PyObject *object, PyObject *first);                      \
    static const ext_kind ext_kind_##name = {.give = ext_give_##name};
EXT_ARGUMENT_KINDS(EXT_ARGUMENT_KIND)
EXT_RESULT_KINDS(EXT_RESULT_KIND)

/* Elements that the call is about, besides those of arrays. */
typedef int64_t ext_given_elements;
static inline int64_t ext_work_elements(const void *from) {
    return *(const int64_t *)from;
}
static const ext_kind ext_kind_elements = {.read = ext_read_int64, .work = ext_work_elements};

typedef ext_texts_given ext_given_texts;
int ext_read_texts(void *to, PyObject *object, const ext_parameter *which);
void ext_release_texts(void *from);
static const ext_kind ext_kind_texts = {
    .read = ext_read_texts, .release = ext_release_texts, .pointers = 1};

/* A new object; NULL with an exception. */
typedef PyObject *ext_given_made_object;
PyObject *ext_give_object(void *from, PyObject *object, PyObject *first);
void ext_release_object(void *from);
static const ext_kind ext_kind_made_object = {
    .give = ext_give_object, .release = ext_release_object, .pointers = 1};

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
    static const ext_kind ext_kind_made_##name = {                                                 \
        .give = give_##name, .release = release_##name, .pointers = 1};

#endif
