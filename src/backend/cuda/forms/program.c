/* Programs of forms: a name, what is included, macros and the body around the device text. */
#include "backend/cuda/forms/program.h"

#include "kernel/source.h"

#include <stddef.h>
#include <string.h>

/* Names of kernels must differ where keys do, for programs that share a file. */
static unsigned hash(unsigned hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ bytes[k]) * 16777619u;
    return hash;
}

/* The same in each process: the form counts by its names, not by its address. */
static unsigned hash_of(const tni_form_key *key) {
    const size_t first = offsetof(tni_form_key, op);
    unsigned names = hash(2166136261u, key->form->file, strlen(key->form->file));
    names = hash(names, key->form->writer, strlen(key->form->writer));
    return hash(names, (const unsigned char *)key + first, sizeof *key - first);
}

static void write_name(tni_source *source, const tni_program *program) {
    const tni_form_key *key = program->key;
    const char *op = key->op == TNI_OP_COPY ? "copy" : key->op >= 0 ? tn_op_name(key->op) : "";
    tni_source_set_name(source, "tn_%s_%s%s%s_%08x", key->form->file, op, *op ? "_" : "",
                        tn_dtype_suffix((tn_dtype)key->dtypes[0]), hash_of(key));
}

/* What bodies of some dtypes need. */
static const struct {
    unsigned dtypes;
    const char *file;
} headers[] = {
    {1u << TN_F16 | 1u << TN_BF16, "half.h"},
    {1u << TN_C64 | 1u << TN_C128, "complex_scalar.h"},
};

static void write_head(tni_source *source, const tni_program *program, unsigned dtypes) {
    const tni_form *form = program->key->form;
    tni_source_add(source, "#include \"scalar.h\"\n#include \"failures.h\"\n");
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        if (dtypes & headers[k].dtypes)
            tni_source_add(source, "#include \"%s\"\n", headers[k].file);
    if (form->header) tni_source_add(source, "#include \"%s\"\n", form->header);
    tni_source_add(source, "namespace of_%s {\n#define KERNEL %s\n", source->name, source->name);
    for (int k = 0; k < TNI_FORM_MACROS && form->macros[k]; k++)
        tni_source_add(source, "#define %s %d\n", form->macros[k], program->key->macros[k]);
}

/* end.cuh undefines what files define, and `ends` what the body does. */
void tni_program_write(tni_source *source, const void *context) {
    const tni_program *program = context;
    const tni_form *form = program->key->form;
    tni_source ends = {0}, body = {.ends = &ends};
    write_name(source, program);
    if (form->write) {
        body.dtypes = 1u << program->key->dtypes[0];
        form->write(&body, program->key);
    }
    if (program->body.write) program->body.write(&body, program->key, program->body.context);
    write_head(source, program, body.dtypes);
    if (body.text) tni_source_add_bytes(source, body.text, body.length);
    tni_source_add(source, "#include \"%s.cu\"\n}\n#include \"end.cuh\"\n", form->file);
    if (ends.text) tni_source_add_bytes(source, ends.text, ends.length);
    source->has_failed |= body.has_failed || ends.has_failed;
    tni_source_deinit(&body);
    tni_source_deinit(&ends);
}
