/* Forms: device text with a hole, found by a key, given packed parameters, launched.
 *
 * A form's file lists the macros that its program defines. A key holds their values and the dtypes
 * that the body needs; equal keys are one kernel. Parameters are written one after the other, each
 * a multiple of 8 bytes, in the order of the form's struct Params. */
#ifndef TNI_CUDA_FORM_H
#define TNI_CUDA_FORM_H

#include "backend/cuda/launch/kernel.h"
#include "backend/cuda/launch/scratch.h"
#include "backend/cuda/launch/workspace.h"
#include "kernel/body.h"

enum { TNI_FORM_MACROS = 16, TNI_FORM_EXTRA = 96, TNI_FORM_BYTES = 16 << 10 };

/* Zero it, then set what differs. */
typedef struct tni_form_key {
    int32_t form; /* made by tni_form_get */
    int16_t op;
    int8_t dtypes[4];
    int16_t numbers[TNI_FORM_MACROS]; /* of the form's macros, in their order */
    unsigned char extra[TNI_FORM_EXTRA];
} tni_form_key;

typedef struct tni_form {
    const char *file;                    /* "take": kernels/take.cu, and in the kernel's name */
    const char *macros[TNI_FORM_MACROS]; /* NULL: no more */
    /* Writes the body; NULL: there is none. */
    void (*write)(tni_source *source, const tni_form_key *key);
    int number; /* tells forms apart */
} tni_form;

tn_status tni_form_get(tni_cuda_kernel **kernel, const tni_form *form, tni_form_key *key,
                       tn_stream *stream);

/* Runs a form's entry with a made-up call until it asks for its kernel of this number (0: the
 * first), and writes that kernel's program to `source` instead. Nothing is launched, and nothing of
 * the driver called. */
void tni_form_capture(tni_source *source, tn_status (*run)(const void *call, tn_stream *stream),
                      const void *call, int number);

typedef struct tni_form_params {
    size_t bytes;
    _Alignas(16) unsigned char data[TNI_FORM_BYTES];
} tni_form_params;

static inline void tni_form_begin(tni_form_params *params) {
    params->bytes = 0;
}
void tni_form_put(tni_form_params *params, const void *value, size_t bytes);
void tni_form_put_i64(tni_form_params *params, int64_t value);
void tni_form_put_f64(tni_form_params *params, double value);
void tni_form_put_pointer(tni_form_params *params, const void *address);
/* One axis, as `struct Axis` has it; then a whole `struct Shape`: axes, and
 * strides[array][axis]. */
void tni_form_put_axis(tni_form_params *params, int64_t size, bool wide);
void tni_form_put_shape(tni_form_params *params, int ndim, const int64_t *shape, int arrays,
                        const int64_t *const *strides, bool wide);

/* Whether a linear index needs 64 bits. */
static inline bool tni_form_is_wide(int64_t count) {
    return count >= INT32_MAX - (1 << 20); /* a thread steps past the end by less */
}

/* Launches `blocks` blocks of one dimension (cut to what a grid can be: forms loop). */
tn_status tni_form_launch(tni_cuda_kernel *kernel, int64_t blocks, int threads,
                          tni_form_params *params, tn_stream *stream);

/* Multiprocessors of the stream's device; 1 if it can't be asked, 132 where nothing is run. */
int tni_form_multiprocessors(const tn_stream *stream);

static inline int64_t tni_form_ceil(int64_t count, int64_t size) {
    return (count + size - 1) / size;
}
static inline int64_t tni_form_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The largest power of two up to `limit` that divides an address or a stride (0: all of them). */
int tni_form_alignment(int64_t value, int limit);

#endif
