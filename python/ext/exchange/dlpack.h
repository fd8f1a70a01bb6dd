/* DLPack: its structures, version 1, in our own words, and what of dlpack.c is a method. */
#ifndef TENORITE_DLPACK_H
#define TENORITE_DLPACK_H

#include "base/ext.h"

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 }; /* kinds of devices */
enum { DL_INT, DL_UINT, DL_FLOAT, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 }; /* of elements */
enum { DL_MAJOR = 1, DL_MINOR = 0 };
enum { DL_READ_ONLY = 1, DL_COPIED = 2 }; /* flags */

typedef struct dl_tensor {
    void *data;
    struct {
        int32_t kind, number;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape;
    int64_t *strides; /* elements, not bytes; NULL: C order */
    uint64_t byte_offset;
} dl_tensor;

/* What a capsule named "dltensor" points to. */
typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(void *self);
} dl_managed;

/* What a capsule named "dltensor_versioned" points to. */
typedef struct dl_managed_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(void *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_managed_versioned;

/* ndarray's __dlpack__, toDlpack and __dlpack_device__. */
PyObject *ext_dlpack(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *keywords);
PyObject *ext_to_dlpack(PyObject *self, PyObject *unused);
PyObject *ext_dlpack_device(PyObject *self, PyObject *unused);
/* An array of a capsule's memory; a capsule that is refused is left as it was. */
PyObject *ext_from_capsule(PyObject *capsule);

#endif
