/* Templates: their texts, and the variants that calls have made of them.
 *
 * The key of a variant is the backend, the dtype of every parameter and how it lies, and the axes:
 * all that the program depends on. Variants are a list that grows at its front and is read without
 * a lock; a template of a program has a handful. Two threads that make one variant at the same time
 * both add it, and the program after both is one (raw_kernel.c). */
#include "kernel/templates/template.h"

#include "forms/kernel.h"
#include "kernel/raw_kernel.h"
#include "kernel/templates/elementwise_text.h"
#include "kernel/templates/reduction_text.h"
#include "kernel/user_words.h"

#include <stdio.h>
#include <string.h>

/* --- New ones --- */

static const char *const threads_words[] = {
    "threadIdx",      "blockIdx",     "blockDim",        "gridDim",       "__shared__",
    "__syncthreads",  "__syncwarp",   "__shfl_sync",     "warpSize",      "__shfl_down_sync",
    "__shfl_up_sync", "__activemask", "__shfl_xor_sync", "__ballot_sync", "__any_sync",
    "__all_sync",     "printf",       "assert",          "__trap",        NULL};
static const char *const order_words[] = {"i",  "_ind",    "_j",       "_J",
                                          "_i", "_in_ind", "_out_ind", NULL};
static const char *const index_words[] = {"_ind", "_in_ind", "_out_ind", NULL};
static const char *const loop_words[] = {"for", "while", "goto", "return", "do", NULL};

static bool any_has(const tn_template *kernel, const char *const *words) {
    for (int k = 0; k < TNI_TEXT_COUNT; k++)
        if (k != TNI_TEXT_NAME && tni_words_have(kernel->texts[k], words)) return true;
    return false;
}

/* Whether a text of a fold has a parameter's name; a and b are what is folded. */
static bool names_parameters(const tn_template *kernel, tni_template_text text) {
    const char *names[TNI_PARAMETERS_MAX + 1];
    int count = 0;
    for (int k = 0; k < kernel->parameters.count; k++) {
        const char *name = kernel->parameters.list[k].name;
        if (strcmp(name, "a") != 0 && strcmp(name, "b") != 0) names[count++] = name;
    }
    names[count] = NULL;
    return tni_words_have(kernel->texts[text], names);
}

/* What the texts need; macros of options and of included files may need anything. */
static void look(tn_template *kernel) {
    bool is_open = tni_words_are_open(kernel->texts[TNI_TEXT_PREAMBLE]);
    for (int k = 0; k < kernel->option_count; k++)
        is_open |= strncmp(kernel->options[k], "-D", 2) == 0 ||
                   strncmp(kernel->options[k], "--define", 8) == 0;
    kernel->sees_order = is_open || any_has(kernel, order_words);
    kernel->sees_index = is_open || any_has(kernel, index_words);
    kernel->wants_threads = any_has(kernel, threads_words);
    kernel->is_checked = tni_kernel_is_checked();
    kernel->folds_plainly =
        !names_parameters(kernel, TNI_TEXT_REDUCE) && !names_parameters(kernel, TNI_TEXT_IDENTITY);
    const char *operation = kernel->texts[TNI_TEXT_OPERATION];
    kernel->is_short = strlen(operation) <= 200 && !tni_words_have(operation, loop_words);
}

static tn_status check(const tn_template *kernel) {
    static const char *const names[TNI_TEXT_COUNT] = {"name",          "preamble",   "operation",
                                                      "loop_prep",     "after_loop", "reduce_expr",
                                                      "post_map_expr", "identity",   "reduce_type"};
    const char *name = kernel->texts[TNI_TEXT_NAME];
    if (!tni_is_name(name) || strlen(name) > 200)
        TNI_FAIL(TN_ERROR_VALUE, "Invalid kernel name: \"%.200s\" is no name of C++", name);
    for (int k = 0; k < TNI_TEXT_COUNT; k++)
        TNI_TRY(tni_words_check(names[k], kernel->texts[k]));
    for (int k = 0; k < kernel->option_count; k++)
        if (!*kernel->options[k] || strpbrk(kernel->options[k], "\n\r"))
            TNI_FAIL(TN_ERROR_VALUE, "option %d is empty or has several lines", k);
    return TN_OK;
}

static void name_symbol(tn_template *kernel) {
    const char *name = kernel->texts[TNI_TEXT_NAME];
    size_t length = strlen(name), end = strlen("kernel");
    bool is_one = length >= end && strcmp(name + length - end, "kernel") == 0;
    snprintf(kernel->symbol, sizeof kernel->symbol, "%s%s", name, is_one ? "" : "_kernel");
}

/* A template in one block: the struct, the pointers to options, the texts. */
static tn_status make(tn_template **result, const char *const texts[TNI_TEXT_COUNT],
                      int option_count, const char *const *options, const char *inputs,
                      const char *outputs) {
    size_t bytes = 0, head = sizeof(tn_template) + (size_t)option_count * sizeof(char *);
    tn_status status;
    for (int k = 0; k < TNI_TEXT_COUNT + option_count; k++) {
        const char *text = k < TNI_TEXT_COUNT ? texts[k] : options[k - TNI_TEXT_COUNT];
        bytes += strlen(text ? text : "") + 1;
    }
    tn_template *made = tni_calloc(1, head + bytes);
    if (!made) return tni_fail_no_memory((int64_t)(head + bytes));
    char *room = (char *)made + head;
    made->options = (const char **)(made + 1);
    made->option_count = option_count;
    atomic_init(&made->references, 1);
    for (int k = 0; k < TNI_TEXT_COUNT + option_count; k++) {
        const char *text = k < TNI_TEXT_COUNT ? texts[k] : options[k - TNI_TEXT_COUNT];
        *(k < TNI_TEXT_COUNT ? &made->texts[k] : &made->options[k - TNI_TEXT_COUNT]) = room;
        room = stpcpy(room, text ? text : "") + 1;
    }
    TNI_TRY_OWNING(tni_parameters_read(&made->parameters, inputs, outputs));
    TNI_TRY_OWNING(check(made));
    look(made);
    name_symbol(made);
    *result = made;
    return TN_OK;
cleanup:
    tni_parameters_deinit(&made->parameters);
    tni_free(made);
    return status;
}

tn_status tn_kernel_elementwise_new(tn_template **result, const tn_elementwise_source *source) {
    const char *const texts[TNI_TEXT_COUNT] = {[TNI_TEXT_NAME] = source->name,
                                               [TNI_TEXT_PREAMBLE] = source->preamble,
                                               [TNI_TEXT_OPERATION] = source->operation,
                                               [TNI_TEXT_LOOP_PREP] = source->loop_prep,
                                               [TNI_TEXT_AFTER_LOOP] = source->after_loop};
    tn_template *made = NULL;
    TNI_TRY(make(&made, texts, source->option_count, source->options, source->in_params,
                 source->out_params));
    made->keeps_axes = source->keeps_axes;
    *result = made;
    return TN_OK;
}

tn_status tn_kernel_reduction_new(tn_template **result, const tn_reduction_source *source) {
    const char *const texts[TNI_TEXT_COUNT] = {[TNI_TEXT_NAME] = source->name,
                                               [TNI_TEXT_PREAMBLE] = source->preamble,
                                               [TNI_TEXT_OPERATION] = source->map,
                                               [TNI_TEXT_REDUCE] = source->reduce,
                                               [TNI_TEXT_POST_MAP] = source->post_map,
                                               [TNI_TEXT_IDENTITY] = source->identity,
                                               [TNI_TEXT_REDUCE_TYPE] = source->reduce_type};
    tn_template *made = NULL;
    TNI_TRY(make(&made, texts, source->option_count, source->options, source->in_params,
                 source->out_params));
    made->is_reduction = true;
    made->keeps_axes = source->keeps_axes;
    if (made->parameters.count == made->parameters.inputs) {
        tn_template_release(made);
        TNI_FAIL(TN_ERROR_VALUE, "out_params: a reduction has an output at least");
    }
    *result = made;
    return TN_OK;
}

tn_template *tn_template_retain(tn_template *kernel) {
    atomic_fetch_add_explicit(&kernel->references, 1, memory_order_relaxed);
    return kernel;
}

static void drop_variant(tni_variant *variant) {
    tn_kernel_release(variant->kernels[0]);
    tn_kernel_release(variant->kernels[1]);
    tn_module_release(variant->module);
    tni_free(variant->code);
    tni_free(variant->dtypes);
    tni_free(variant);
}

void tn_template_release(tn_template *kernel) {
    if (!kernel || atomic_fetch_sub_explicit(&kernel->references, 1, memory_order_acq_rel) != 1)
        return;
    for (tni_variant *at = atomic_load(&kernel->variants), *next; at; at = next) {
        next = at->next;
        drop_variant(at);
    }
    tni_parameters_deinit(&kernel->parameters);
    tni_free(kernel);
}

const tn_parameter *tn_template_parameters(const tn_template *kernel, int *inputs, int *outputs) {
    *inputs = kernel->parameters.inputs;
    *outputs = kernel->parameters.count - *inputs;
    return kernel->parameters.list;
}

bool tn_template_get_code(const tn_template *kernel, int number, const char **dtypes,
                          const char **code) {
    const tni_variant *at = atomic_load_explicit(&kernel->variants, memory_order_acquire);
    int count = 0;
    for (const tni_variant *each = at; each; each = each->next)
        count++;
    if (number < 0 || number >= count) return false;
    for (int k = count - 1; k > number; k--)
        at = at->next;
    *dtypes = at->dtypes;
    *code = at->code;
    return true;
}

/* --- Variants --- */

enum { FRAME_MAX = 16 }; /* numbers of a form */

enum { KEY_MAX = 4 * TNI_PARAMETERS_MAX + 8 + 2 * FRAME_MAX };

static int make_key(unsigned char *key, const tni_resolved *call) {
    int at = 0;
    key[at++] = call->device.backend;
    int form = call->frame ? (int)strlen(call->frame->form) : 0; /* rows, columns */
    key[at++] = (unsigned char)(call->is_small | call->in_columns << 1 | form << 2);
    key[at++] = (unsigned char)call->ndim;
    key[at++] = (unsigned char)call->reduced;
    for (int k = 0; k < call->count; k++) {
        const tn_array *array = call->arrays[k];
        key[at++] = (unsigned char)call->types[k];
        key[at++] = (unsigned char)((int)call->types[k] >> 8);
        key[at++] = (unsigned char)call->lies[k];
        if (call->lies[k] != TNI_LIES_RAW) continue;
        key[at++] = (unsigned char)(array->ndim << 1 | ((array->flags & TNI_C_CONTIGUOUS) != 0));
    }
    for (int k = 0; call->frame && k < call->frame->count; k++) {
        key[at++] = (unsigned char)(call->frame->numbers[k] & 0xff);
        key[at++] = (unsigned char)(call->frame->numbers[k] >> 8 & 0xff);
    }
    return at;
}

static uint64_t hash_key(const unsigned char *key, int bytes) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int k = 0; k < bytes; k++)
        hash = (hash ^ key[k]) * UINT64_C(0x100000001b3);
    return hash;
}

static char *list_dtypes(const tni_resolved *call) {
    size_t bytes = 1;
    for (int k = 0; k < call->count; k++)
        bytes += strlen(tn_dtype_name(call->types[k])) + 1;
    char *made = tni_malloc(bytes), *at = made;
    if (!made) return NULL;
    *at = '\0';
    for (int k = 0; k < call->count; k++)
        at += sprintf(at, "%s%s", k ? "," : "", tn_dtype_name(call->types[k]));
    return made;
}

static tn_status open_module(tni_variant *made, const tni_resolved *call) {
    const tn_template *kernel = call->kernel;
    const char *const functions[] = {kernel->symbol, "tni_finish"};
    int functions_count = kernel->is_reduction ? 2 : 1;
    tn_module_source source = {.code = made->code,
                               .option_count = kernel->option_count,
                               .options = kernel->options,
                               .name_count = call->on_host ? functions_count : 0,
                               .names = functions};
    TNI_TRY(tn_module_new(&made->module, &source));
    TNI_TRY(tn_kernel_raw_new(&made->kernels[0], made->module, functions[0]));
    if (kernel->is_reduction && !call->frame)
        TNI_TRY(tn_kernel_raw_new(&made->kernels[1], made->module, functions[1]));
    return TN_OK;
}

static tn_status make_variant(tni_variant **result, const tni_resolved *call,
                              const unsigned char *key, int bytes, uint64_t hash) {
    tni_source source = {0};
    tn_status status = TN_OK;
    tni_variant *made = tni_calloc(1, sizeof *made + (size_t)bytes);
    if (!made) return tni_fail_no_memory((int64_t)sizeof *made + bytes);
    made->hash = hash;
    made->key_bytes = bytes;
    memcpy(made->key, key, (size_t)bytes);
    if (call->kernel->is_reduction)
        tni_write_reduction(&source, call);
    else
        tni_write_elementwise(&source, call);
    made->code = source.text;
    made->dtypes = list_dtypes(call);
    if (source.has_failed || !made->dtypes) status = tni_fail_no_memory((int64_t)source.length);
    if (status == TN_OK) status = open_module(made, call);
    if (status == TN_OK)
        *result = made;
    else
        drop_variant(made);
    return status;
}

static tn_status report_missing(const tni_resolved *call) {
    *call->is_missing = true;
    TNI_FAIL(TN_ERROR_COMPILE, "kernel %s is not compiled yet", call->kernel->texts[TNI_TEXT_NAME]);
}

tn_status tni_variant_get(tni_variant **result, tn_template *kernel, const tni_resolved *call) {
    unsigned char key[KEY_MAX];
    int bytes = make_key(key, call);
    uint64_t hash = hash_key(key, bytes);
    tni_variant *made = NULL;
    tni_variant *first = atomic_load_explicit(&kernel->variants, memory_order_acquire);
    for (tni_variant *at = first; at; at = at->next) {
        if (at->hash != hash || at->key_bytes != bytes || memcmp(at->key, key, (size_t)bytes) != 0)
            continue;
        *result = at;
        if (call->is_missing && !tn_kernel_is_ready(at->kernels[0], call->device))
            return report_missing(call);
        return TN_OK;
    }
    if (call->is_missing) return report_missing(call);
    TNI_TRY(make_variant(&made, call, key, bytes, hash));
    made->next = first;
    while (!atomic_compare_exchange_weak(&kernel->variants, &made->next, made)) {}
    *result = made;
    return TN_OK;
}
