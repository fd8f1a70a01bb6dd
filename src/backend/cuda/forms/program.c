/* Programs, parameters and launches of forms. */
#include "backend/cuda/forms/program.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/launch/defer.h"
#include "core/array/array.h"

#include <limits.h>
#include <string.h>

/* --- Programs --- */

typedef struct program {
    const tni_form *form;
    const tni_form_key *key;
} program;

/* Names of kernels must differ where keys do, for programs that share a file. */
static unsigned hash_of(const tni_form_key *key) {
    const unsigned char *bytes = (const unsigned char *)key;
    unsigned hash = 2166136261u;
    for (size_t k = 0; k < sizeof *key; k++)
        hash = (hash ^ bytes[k]) * 16777619u;
    return hash;
}

static void write_name(tni_source *source, const program *program) {
    const tni_form_key *key = program->key;
    const char *op = key->op == TNI_OP_COPY ? "copy" : key->op >= 0 ? tn_op_name(key->op) : "";
    tni_source_set_name(source, "tn_%s_%s%s%s_%08x", program->form->file, op, *op ? "_" : "",
                        tn_dtype_suffix((tn_dtype)key->dtypes[0]), hash_of(key));
}

/* Text that few programs need, and what tells that one does. */
static const struct {
    const char *word, *file;
} includes[] = {
    {"f16", "half.h"},
    {"tn_c", "complex_scalar.h"},
};

static void write_program(tni_source *source, const void *context) {
    const program *program = context;
    tni_source inner = {0};
    write_name(source, program);
    if (program->form->write) program->form->write(&inner, program->key);
    tni_source_add(source, "#include \"scalar.h\"\n");
    for (size_t k = 0; inner.text && k < sizeof includes / sizeof *includes; k++)
        if (strstr(inner.text, includes[k].word))
            tni_source_add(source, "#include \"%s\"\n", includes[k].file);
    tni_source_add(source, "namespace of_%s {\n#define KERNEL %s\n", source->name, source->name);
    for (int k = 0; k < TNI_FORM_MACROS && program->form->macros[k]; k++)
        tni_source_add(source, "#define %s %d\n", program->form->macros[k],
                       program->key->numbers[k]);
    if (inner.text) tni_source_add_bytes(source, inner.text, inner.length);
    source->has_failed |= inner.has_failed;
    tni_source_add(source, "#include \"%s.cu\"\n}\n#include \"end.cuh\"\n", program->form->file);
    tni_source_deinit(&inner);
}

static _Thread_local tni_source *captured;
static _Thread_local int captured_number; /* kernels to pass over before it */

void tni_form_capture(tni_source *source, tn_status (*run)(const void *call, tn_stream *stream),
                      const void *call, int number) {
    static tn_stream nowhere;
    captured = source;
    captured_number = number;
    tni_workspace_rehearse(true);
    tni_form_scratch_rehearse(true);
    run(call, &nowhere);
    tni_form_scratch_rehearse(false);
    tni_workspace_rehearse(false);
    captured = NULL;
}

tn_status tni_form_get(tni_cuda_kernel **kernel, const tni_form *form, tni_form_key *key,
                       tn_stream *stream) {
    key->form = form->number;
    program program = {form, key};
    if (__builtin_expect(captured != NULL, 0)) {
        *kernel = NULL;
        if (captured_number-- > 0) return TN_OK;
        write_program(captured, &program);
        return TN_ERROR_RUNTIME; /* the call ends here, and nobody looks at the message */
    }
    return tni_cuda_kernel_begin(kernel, stream->device.number, write_program, &program, key,
                                 sizeof *key);
}

/* --- Parameters --- */

void tni_form_put(tni_form_params *params, const void *value, size_t bytes) {
    memcpy(params->data + params->bytes, value, bytes);
    params->bytes += bytes;
}

void tni_form_put_i64(tni_form_params *params, int64_t value) {
    tni_form_put(params, &value, sizeof value);
}

void tni_form_put_f64(tni_form_params *params, double value) {
    tni_form_put(params, &value, sizeof value);
}

void tni_form_put_pointer(tni_form_params *params, const void *address) {
    tni_form_put(params, &address, sizeof address);
}

/* n / size is (n + high(n * magic)) >> shift for n below 2**31, with shift the bits of size - 1 and
 * magic 2**32 * (2**shift - size) / size + 1. */
void tni_form_put_axis(tni_form_params *params, int64_t size, bool wide) {
    if (wide) {
        tni_form_put_i64(params, size);
        tni_form_put_i64(params, 0);
        return;
    }
    unsigned shift = 0;
    while (shift < 31 && (INT64_C(1) << shift) < size)
        shift++;
    uint64_t excess = (UINT64_C(1) << shift) - (uint64_t)size;
    uint32_t words[4] = {(uint32_t)size, (uint32_t)((excess << 32) / (uint64_t)size + 1), shift, 0};
    tni_form_put(params, words, sizeof words);
}

void tni_form_put_shape(tni_form_params *params, int ndim, const int64_t *shape, int arrays,
                        const int64_t *const *strides, bool wide) {
    if (ndim == 0) tni_form_put_i64(params, 0); /* an empty struct and what it is padded to */
    for (int axis = 0; axis < ndim; axis++)
        tni_form_put_axis(params, shape[axis], wide);
    for (int k = 0; k < arrays && ndim > 0; k++)
        tni_form_put(params, strides[k], (size_t)ndim * sizeof *strides[k]);
}

int tni_form_alignment(int64_t value, int limit) {
    int64_t lowest = value & -value;
    return lowest == 0 || lowest > limit ? limit : (int)lowest;
}

/* --- Launches --- */

tn_status tni_form_launch(tni_cuda_kernel *kernel, int64_t blocks, int threads,
                          tni_form_params *params, tn_stream *stream) {
    const unsigned grid[3] = {(unsigned)tni_form_min(blocks, INT_MAX), 1, 1};
    const unsigned block[3] = {(unsigned)threads, 1, 1};
    if (__builtin_expect(!kernel, 0)) return TN_OK; /* passed over by a capture */
    return tni_defer_or_launch(kernel, grid, block, params->data, params->bytes, stream);
}

int tni_form_multiprocessors(const tn_stream *stream) {
    tni_cuda_device *device;
    if (captured) return 132;
    if (tni_cuda_device_get(&device, stream->device.number) != TN_OK) return 1;
    return device->multiprocessors;
}
