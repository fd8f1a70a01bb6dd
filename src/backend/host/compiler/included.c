/* A file is known by its path without links, so that #pragma once holds. Folders of
 * the system are the compiler's. */
#include "backend/host/compiler/included.h"

#include "backend/host/compiler/host_text.h"
#include "core/base/alloc.h"
#include "core/base/facts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 512, FILE_BYTES_MAX = 1 << 24 };

static tn_status add_file(tni_included *included, const tni_included_file *file) {
    if (included->count == included->capacity) {
        int capacity = included->capacity ? 2 * included->capacity : 8;
        size_t bytes = (size_t)capacity * sizeof *file;
        tni_included_file *larger = tni_realloc(included->files, bytes);
        if (!larger) return tni_fail_no_memory((int64_t)bytes);
        included->files = larger;
        included->capacity = capacity;
    }
    included->files[included->count++] = *file;
    return TN_OK;
}

static int find_path(const tni_included *included, const char *path) {
    for (int k = 0; k < included->count; k++)
        if (strcmp(included->files[k].path, path) == 0) return k;
    return -1;
}

/* --- Paths --- */

/* The path of a file in a folder of `length` bytes; false: there is none. */
static bool find_in(char path[PATH_MAX], const char *folder, size_t length,
                    const tni_include *include) {
    char joined[PATH_MAX];
    struct stat facts;
    int count = snprintf(joined, sizeof joined, "%.*s/%.*s", (int)length, folder, include->length,
                         include->name);
    return count > 0 && count < PATH_MAX && length < PATH_MAX &&
           tni_facts_of_path(joined, &facts) == 0 && S_ISREG(facts.st_mode) &&
           realpath(joined, path) && strncmp(path, "/usr/include/", strlen("/usr/include/")) != 0;
}

static bool find_file(char path[PATH_MAX], const tni_included *included, const tni_include *include,
                      int from) {
    const tni_host_options *options = included->options;
    const char *own = from < 0 ? "./" : included->files[from].path;
    const char *slash = strrchr(own, '/');
    if (include->is_quoted && slash && find_in(path, own, (size_t)(slash - own), include))
        return true;
    for (int k = 0; k + 1 < options->count; k++)
        if (strcmp(options->list[k], "-I") == 0 &&
            find_in(path, options->list[k + 1], strlen(options->list[k + 1]), include))
            return true;
    return false;
}

/* --- Reading --- */

/* Path and text in one block; NULL: it can't be read, or there is no memory. */
static char *read_text(tni_included_file *file, const char *path) {
    struct stat facts;
    FILE *stream = fopen(path, "rbe");
    char *owned = NULL;
    size_t head = strlen(path) + 1;
    if (stream && tni_facts_of_file(fileno(stream), &facts) == 0 &&
        facts.st_size <= FILE_BYTES_MAX && (owned = tni_malloc(head + (size_t)facts.st_size + 1))) {
        memcpy(owned, path, head);
        size_t length = fread(owned + head, 1, (size_t)facts.st_size, stream);
        owned[head + length] = '\0';
        *file = (tni_included_file){owned, owned + head, length, owned};
    }
    if (stream) fclose(stream);
    return owned;
}

static const tni_text *find_host_text(const char *name) {
    for (size_t k = 0; k < tni_host_text_count; k++)
        if (strcmp(tni_host_texts[k].name, name) == 0) return &tni_host_texts[k];
    return NULL;
}

/* A text of this library; those of src/ops name each other by their bare names. */
static const tni_text *find_text(const tni_included *included, const tni_include *include,
                                 int from) {
    const tni_header *header = include->header;
    char name[64];
    if (header && header->kind == TNI_HEADER_HOSTED) return find_host_text(header->text);
    if (header && tni_header_shared(header)) return tni_header_shared(header);
    if (from < 0 || included->files[from].owned) return NULL;
    snprintf(name, sizeof name, "%.*s", include->length, include->name);
    return tni_user_text_find(name);
}

/* Whether a header that has no text here is no file of the program's. */
static bool is_compilers(const tni_include *include) {
    return !tni_header_is_other(include->header);
}

static tn_status read_include(tni_included *included, const tni_include *include, int from) {
    char path[PATH_MAX];
    const tni_text *text = find_text(included, include, from);
    included->has_std |= include->header && strncmp(include->header->name, "cuda/std/", 9) == 0;
    tni_included_file file = {0};
    if (text) {
        file = (tni_included_file){text->name, text->text, text->length, NULL};
        return find_path(included, text->name) < 0 ? add_file(included, &file) : TN_OK;
    }
    if (is_compilers(include) || included->count >= FILES_MAX ||
        !find_file(path, included, include, from) || find_path(included, path) >= 0 ||
        !read_text(&file, path))
        return TN_OK;
    tn_status status = add_file(included, &file);
    if (status != TN_OK) tni_free(file.owned);
    return status;
}

static tn_status read_includes(tni_included *included, const char *text, size_t length, int from) {
    tni_token_reader reader = tni_token_reader_of(text, length);
    for (tni_include include; tni_include_next(&include, &reader);)
        TNI_TRY(read_include(included, &include, from));
    return TN_OK;
}

void tni_included_init(tni_included *included, const tni_host_options *options) {
    *included = (tni_included){.options = options};
}

tn_status tni_included_read(tni_included *included, const char *text, size_t length) {
    int first = included->count;
    TNI_TRY(read_includes(included, text, length, -1));
    for (int k = first; k < included->count; k++) {
        const tni_included_file file = included->files[k];
        TNI_TRY(read_includes(included, file.text, file.length, k));
    }
    return TN_OK;
}

void tni_included_deinit(tni_included *included) {
    for (int k = 0; k < included->count; k++)
        tni_free(included->files[k].owned);
    tni_free(included->files);
}

int tni_included_find(const tni_included *included, const tni_include *include, int from) {
    char path[PATH_MAX];
    const tni_text *text = find_text(included, include, from);
    if (text) return find_path(included, text->name);
    if (is_compilers(include) || !find_file(path, included, include, from)) return -1;
    return find_path(included, path);
}

bool tni_host_text_is_included(const tni_text *text) {
    for (size_t k = 0; k < tni_header_count; k++)
        if (tni_headers[k].kind == TNI_HEADER_HOSTED &&
            strcmp(tni_headers[k].text, text->name) == 0)
            return true;
    return false;
}
