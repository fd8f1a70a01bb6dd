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

/* Text that few programs need, and what tells that one does. */
static const struct {
    const char *word, *file;
} includes[] = {
    {"f16", "half.h"},       {"tn_c", "complex_scalar.h"},   {"m_fill_", "random.h"},
    {"m_draw_", "random.h"}, {"_trial", "random_trials.h"},  {"TN_SUM_", "metrics.h"},
    {"m_tree_", "tree.h"},   {"m_triangle_", "triangles.h"}, {"m_spline", "spline.h"},
};

/* Undefines what the body defines; end.cuh does so with what files define. */
static void write_end(tni_source *source, const char *body) {
    static const char define[] = "#define ";
    for (const char *at = body; at && (at = strstr(at, define)); at++) {
        const char *name = at + sizeof define - 1;
        tni_source_add(source, "#undef %.*s\n", (int)strcspn(name, " (\n"), name);
    }
}

void tni_program_write(tni_source *source, const void *context) {
    const tni_program *program = context;
    const tni_form *form = program->key->form;
    tni_source inner = {0};
    write_name(source, program);
    if (form->write) form->write(&inner, program->key);
    if (program->body.write) program->body.write(&inner, program->key, program->body.context);
    tni_source_add(source, "#include \"scalar.h\"\n#include \"failures.h\"\n");
    for (size_t k = 0; inner.text && k < sizeof includes / sizeof *includes; k++)
        if (strstr(inner.text, includes[k].word))
            tni_source_add(source, "#include \"%s\"\n", includes[k].file);
    tni_source_add(source, "namespace of_%s {\n#define KERNEL %s\n", source->name, source->name);
    for (int k = 0; k < TNI_FORM_MACROS && form->macros[k]; k++)
        tni_source_add(source, "#define %s %d\n", form->macros[k], program->key->macros[k]);
    if (inner.text) tni_source_add_bytes(source, inner.text, inner.length);
    source->has_failed |= inner.has_failed;
    tni_source_add(source, "#include \"%s.cu\"\n}\n#include \"end.cuh\"\n", form->file);
    write_end(source, inner.text);
    tni_source_deinit(&inner);
}
