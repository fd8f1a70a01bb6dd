/* Programs of forms: a name, what is included, macros and the body around the device text. */
#include "backend/cuda/forms/program.h"

#include "kernel/source.h"

#include <string.h>

/* Names of kernels must differ where keys do, for programs that share a file. */
static unsigned hash_of(const tni_form_key *key) {
    const unsigned char *bytes = (const unsigned char *)key;
    unsigned hash = 2166136261u;
    for (size_t k = 0; k < sizeof *key; k++)
        hash = (hash ^ bytes[k]) * 16777619u;
    return hash;
}

static void write_name(tni_source *source, const tni_program *program) {
    const tni_form_key *key = program->key;
    const char *op = key->op == TNI_OP_COPY ? "copy" : key->op >= 0 ? tn_op_name(key->op) : "";
    tni_source_set_name(source, "tn_%s_%s%s%s_%08x", program->form->file, op, *op ? "_" : "",
                        tn_dtype_suffix((tn_dtype)key->dtypes[0]), hash_of(key));
}

/* Text that few programs need, and what tells that one does. */
static const struct {
    const char *word, *file;
} includes[] = {
    {"f16", "half.h"},       {"tn_c", "complex_scalar.h"},  {"m_fill_", "random.h"},
    {"m_draw_", "random.h"}, {"_trial", "random_trials.h"},
};

void tni_program_write(tni_source *source, const void *context) {
    const tni_program *program = context;
    tni_source inner = {0};
    write_name(source, program);
    if (program->form->write) program->form->write(&inner, program->key);
    if (program->body.write) program->body.write(&inner, program->key, program->body.context);
    tni_source_add(source, "#include \"scalar.h\"\n#include \"failures.h\"\n");
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
