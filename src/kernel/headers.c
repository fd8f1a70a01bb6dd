/* Looking headers and texts up; there are a hundred. */
#include "kernel/headers.h"

#include <tenorite/kernel.h>

#include <string.h>

const tni_header tni_headers[] = {
#define SHARED(name, text) {TNI_HEADER_SHARED, name, text},
#define HOSTED(name, text) {TNI_HEADER_HOSTED, name, text},
#define BUILT_IN(name) {TNI_HEADER_BUILT_IN, name, NULL},
#define STD(name) {TNI_HEADER_STD, "cuda/std/" name, name},
#define TYPES(name, text) {TNI_HEADER_TYPES, name, text},
#define DEVICE(name, text) {TNI_HEADER_DEVICE, name, text},
#define ABSENT(name) {TNI_HEADER_ABSENT, name, NULL},
#include "kernel/headers.def"
};
const size_t tni_header_count = sizeof tni_headers / sizeof *tni_headers;

const char tni_user_translation[] = "#include <cupy/complex.cuh>\n"
                                    "#include <cupy/cuComplex_bridge.h>\n"
                                    "#line 1 \"kernel.cu\"\n";

const tni_text *tni_user_text_find(const char *name) {
    for (size_t k = 0; k < tni_user_text_count; k++)
        if (strcmp(tni_user_texts[k].name, name) == 0) return &tni_user_texts[k];
    return NULL;
}

const tni_text *tni_header_shared(const tni_header *header) {
    bool is_shared = header->kind == TNI_HEADER_SHARED || header->kind == TNI_HEADER_DEVICE;
    return is_shared && header->text ? tni_user_text_find(header->text) : NULL;
}

bool tni_header_is_other(const tni_header *header) {
    return !header || header->kind == TNI_HEADER_DEVICE || header->kind == TNI_HEADER_TYPES;
}

/* --- What a program includes --- */

static const tni_header *find(const tni_token *name) {
    for (size_t k = 0; k < tni_header_count; k++)
        if (tni_token_is(name, tni_headers[k].name)) return &tni_headers[k];
    return NULL;
}

bool tni_include_read(tni_include *result, const tni_token *directive) {
    tni_token_reader rest;
    tni_token first;
    if (!tni_token_directs(directive, "include", &rest) || !tni_token_next(&first, &rest) ||
        !memchr("<\"", *first.text, 2))
        return false;
    result->is_quoted = *first.text == '"';
    result->name = first.text + 1;
    const char *end = result->name, *last = tni_token_end(directive);
    while (end < last && *end != (result->is_quoted ? '"' : '>'))
        end++;
    result->length = (int)(end - result->name);
    result->header = find(&(tni_token){.text = result->name, .length = result->length});
    return true;
}

bool tni_include_next(tni_include *result, tni_token_reader *reader) {
    for (tni_token token; tni_token_next(&token, reader);)
        if (tni_include_read(result, &token)) return true;
    return false;
}

bool tni_includes_device(const char *code, size_t length) {
    tni_token_reader reader = tni_token_reader_of(code, length);
    for (tni_include include; tni_include_next(&include, &reader);)
        if (include.header && include.header->kind == TNI_HEADER_DEVICE) return true;
    return false;
}

static bool is_of_cccl(const tni_include *include) {
    static const char *const folders[] = {
#define CCCL(folder) folder,
#include "kernel/headers.def"
    };
    const tni_token name = {.text = include->name, .length = include->length};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        if (tni_token_begins(&name, folders[k])) return true;
    return false;
}

bool tn_code_includes_cccl(const char *code, bool on_host) {
    tni_token_reader reader = tni_token_reader_of(code, strlen(code));
    for (tni_include include; tni_include_next(&include, &reader);) {
        bool is_given = include.header && (on_host || tni_header_shared(include.header));
        if (!is_given && is_of_cccl(&include)) return true;
    }
    return false;
}
