/* What macros can't do of CUDA C++ is done here, token by token, within the line where it stands:
 *   extern __shared__ T x[];  the label of the module's dynamic shared memory is added
 *   asm("...")                becomes a static_assert with a plain message: code that the
 *                             preprocessor or a template leaves out may have it
 *   f<<<1, 2>>>(x)            becomes a static_assert, too: kernels of the host launch none
 *   #include <mma.h>          becomes an #error by name
 *   #include <cuda.h>         is left out: the runtime's text has what the header defines
 *   #include <cuda_fp16.h>    includes a file that is translated as the program is: a text of this
 *                             library, or a header of the program's
 *   #include <cuda/std/array> includes the compiler's own header of that name
 *   a / b, a %= b             become operators that divide integers as a GPU does (division.cuh)
 * And the names of extern "C" kernels are noted for the table at the end. A name that the
 * preprocessor leaves out is no error: after the program each noted name is declared once more in
 * a namespace of its own, where `::name` is looked up only if the program has none. Kernels that
 * macros define are not seen, unless they are among the names that the program gives. */
#include "backend/host/compiler/translate.h"

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/host_text.h"
#include "backend/host/compiler/launch.h"
#include "backend/host/compiler/split/split.h"
#include "core/base/alloc.h"
#include "kernel/user_words.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct names {
    tni_token *list;
    int count, capacity;
    bool has_failed;
} names;

typedef struct reader {
    const char *at, *end; /* of what is not written yet */
    tni_token_reader tokens;
    tni_source *out;
    names *names;
    const tni_included *included;
    int number;                   /* of the file that is read, -1: the program itself */
    tni_token before, identifier; /* the last token if a word, the last word */
    bool is_extern;               /* in this declaration, without a "C" */
    bool has_linkage;             /* extern "C" before this declaration */
    bool is_kernel;               /* __global__ before, its name is to come */
    bool wants_label;             /* extern __shared__ */
    bool has_shared;
    bool rewrites, has_rewritten; /* divisions */
    int depth, linkage_depth;     /* of braces; of an extern "C" block, 0: none */
} reader;

static tni_token token_of(const char *text) {
    return (tni_token){.text = text, .length = (int)strlen(text)};
}

static void note(names *names, tni_token name) {
    for (int k = 0; k < names->count; k++)
        if (tni_token_equals(&names->list[k], &name)) return;
    if (names->count == names->capacity) {
        int capacity = names->capacity ? 2 * names->capacity : 16;
        tni_token *larger = tni_realloc(names->list, (size_t)capacity * sizeof *larger);
        if (!larger) {
            names->has_failed = true;
            return;
        }
        names->list = larger;
        names->capacity = capacity;
    }
    names->list[names->count++] = name;
}

/* --- Reading and writing --- */

/* The token after those that were read; of no length: there is none. */
static tni_token peek(const reader *reader) {
    tni_token_reader tokens = reader->tokens;
    tni_token token;
    return tni_token_next(&token, &tokens) ? token : (tni_token){.text = tokens.end};
}

/* Reads up to the parenthesis that closes the next one, and returns what is after it; NULL: the
 * next token is none. */
static const char *read_group(reader *reader) {
    int depth = 0;
    tni_token token = peek(reader);
    if (!tni_token_is(&token, "(")) return NULL;
    while (tni_token_next(&token, &reader->tokens)) {
        depth += tni_token_is(&token, "(") - tni_token_is(&token, ")");
        if (depth == 0) break;
    }
    return reader->tokens.at;
}

static void copy_to(reader *reader, const char *end) {
    tni_source_add_bytes(reader->out, reader->at, (size_t)(end - reader->at));
    reader->at = end;
}

/* Leaves text out but for its lines. */
static void drop_to(reader *reader, const char *end) {
    for (; reader->at < end; reader->at++)
        if (*reader->at == '\n') tni_source_add_bytes(reader->out, "\n", 1);
}

/* --- Divisions --- */

/* A number that is not 0. */
static bool is_plain_divisor(const tni_token *token) {
    if (token->kind != TNI_NUMBER) return false;
    for (int k = 0; k < token->length; k++) {
        if (token->text[k] == '.') return true;
        if (token->text[k] != '0') return isdigit((unsigned char)token->text[k]);
    }
    return false;
}

/* A division as an operator of division.cuh. */
static void read_division(reader *reader, const tni_token *mark) {
    const char *sign = *mark->text == '/' ? "over" : "rest";
    tni_token divisor = peek(reader);
    if (!reader->rewrites || tni_token_is(&reader->before, "operator") ||
        is_plain_divisor(&divisor)) {
        copy_to(reader, tni_token_end(mark));
        return;
    }
    tni_source_add(reader->out, mark->length == 2 ? " %%= ::tni::%s %%= " : " %% ::tni::%s %% ",
                   sign);
    reader->at = tni_token_end(mark);
    reader->has_rewritten = true;
}

static bool is_division(const tni_token *token) {
    return tni_token_is_one_of(token, (const char *const[]){"/", "/=", "%", "%=", NULL});
}

/* --- Directives --- */

/* The text of a macro, in which nothing but divisions is read. */
static void read_macro(reader *reader, const tni_token_reader *rest) {
    tni_token_reader outer = reader->tokens;
    reader->before.length = 0;
    reader->tokens = *rest;
    for (tni_token token; tni_token_next(&token, &reader->tokens);) {
        copy_to(reader, token.text);
        if (is_division(&token)) read_division(reader, &token);
    }
    reader->tokens = outer;
}

/* Writes another line in place of the directive; false: it stays. */
static bool read_include(reader *reader, const tni_include *include) {
    int number = tni_included_find(reader->included, include, reader->number);
    const tni_header *header = include->header;
    if (number < 0 && tni_header_is_other(header)) return false;
    if (number >= 0)
        tni_source_add(reader->out, "#include \"" TNI_COMPILER_INCLUDED "\"", number);
    else if (header->kind == TNI_HEADER_STD)
        tni_source_add(reader->out, "#include <%s>", header->text);
    else if (header->kind == TNI_HEADER_ABSENT)
        tni_source_add(reader->out, "#error what <%s> has is on GPUs alone, not on the host",
                       header->name);
    return true;
}

static void read_directive(reader *reader, const tni_token *directive) {
    const char *end = tni_token_end(directive);
    tni_include include;
    tni_token_reader rest;
    if (tni_include_read(&include, directive) && read_include(reader, &include))
        drop_to(reader, end);
    else if (tni_token_directs(directive, "define", &rest))
        read_macro(reader, &rest);
    copy_to(reader, end);
}

/* --- Words --- */

static void drop_assembly(reader *reader) {
    tni_token after = peek(reader);
    while (after.kind == TNI_WORD && after.length) { /* volatile */
        tni_token_next(&after, &reader->tokens);
        after = peek(reader);
    }
    const char *end = read_group(reader);
    if (!end) return;
    tni_source_add(reader->out,
                   "static_assert(sizeof(char) == 0, \"inline PTX can't run on the host\")");
    drop_to(reader, end);
}

static void read_shared(reader *reader, const tni_token *word) {
    reader->wants_label = reader->is_extern;
    reader->has_shared |= reader->is_extern;
    tni_source_add(reader->out, "%s",
                   reader->is_extern                         ? "__thread"
                   : tni_token_is(&reader->before, "static") ? "thread_local"
                                                             : "__shared__");
    reader->at = tni_token_end(word);
}

static void read_global(reader *reader, const tni_token *word) {
    static const char *const inlines[] = {"inline", "__inline__", "__forceinline__", "static",
                                          NULL};
    tni_token after = peek(reader);
    reader->is_kernel = true;
    if (tni_token_is_one_of(&reader->before, inlines) || tni_token_is_one_of(&after, inlines))
        drop_to(reader, tni_token_end(word));
}

static void read_word(reader *reader, const tni_token *word) {
    static const char *const assembly[] = {"asm", "__asm__", "__asm", NULL};
    if (tni_token_is(word, "extern"))
        reader->is_extern = true;
    else if (tni_token_is(word, "__shared__"))
        read_shared(reader, word);
    else if (tni_token_is(word, "__global__"))
        read_global(reader, word);
    else if (tni_token_is_one_of(word, assembly))
        drop_assembly(reader);
    else if (tni_token_is(word, "assert")) /* its message has the text */
        read_group(reader);
    copy_to(reader, reader->tokens.at);
    reader->before = reader->identifier = *word;
}

/* --- Marks --- */

/* extern "C", and any other text. */
static void read_quote(reader *reader, const tni_token *quote) {
    if (!tni_token_is(&reader->before, "extern")) return;
    reader->is_extern = false;
    reader->has_linkage = tni_token_is(quote, "\"C\"");
}

static void end_declaration(reader *reader) {
    reader->is_extern = reader->is_kernel = reader->wants_label = false;
    reader->has_linkage = false;
}

/* What stands before a kernel's parameters is its name, but for these. */
static void read_parenthesis(reader *reader, const tni_token *mark) {
    static const char *const others[] = {
        "__launch_bounds__", "__attribute__", "__align__", "alignas",
        "__cluster_dims__",  "decltype",      NULL};
    if (!reader->is_kernel) return;
    if (tni_token_is_one_of(&reader->identifier, others)) {
        reader->tokens.at = mark->text;
        read_group(reader);
        return;
    }
    if (reader->has_linkage || reader->linkage_depth) note(reader->names, reader->identifier);
    reader->is_kernel = false;
}

/* The launch of a kernel by a kernel, up to its arguments. */
static void drop_launch(reader *reader) {
    tni_token token;
    while (tni_token_next(&token, &reader->tokens) && !tni_token_is(&token, ";"))
        if (tni_token_is(&token, ">") && token.text[-1] == '>' && token.text[-2] == '>') break;
    if (tni_token_is(&token, ";")) reader->tokens.at = token.text;
    tni_source_add(reader->out, "; static_assert(sizeof(char) == 0, \"kernels that launch kernels "
                                "can't run on the host\"); ");
    drop_to(reader, reader->tokens.at);
}

static void read_mark(reader *reader, const tni_token *token) {
    char mark = token->length == 1 ? *token->text : '\0';
    if (tni_token_is(token, "<<<")) drop_launch(reader);
    if (is_division(token)) read_division(reader, token);
    if (mark == '(') read_parenthesis(reader, token);
    if (reader->wants_label && (mark == ';' || mark == ','))
        tni_source_add(reader->out, " __asm__(\"tni_dynamic_shared\")");
    if (mark == '{') {
        reader->depth++;
        if (reader->has_linkage && reader->before.length == 0 && !reader->linkage_depth)
            reader->linkage_depth = reader->depth;
    }
    if (mark == '}') {
        if (reader->depth == reader->linkage_depth) reader->linkage_depth = 0;
        if (reader->depth > 0) reader->depth--;
    }
    if (mark == ';' || mark == '{' || mark == '}') end_declaration(reader);
}

static void read_all(reader *reader) {
    for (tni_token token; tni_token_next(&token, &reader->tokens);) {
        copy_to(reader, token.text);
        if (token.kind == TNI_WORD) {
            read_word(reader, &token);
            continue;
        }
        if (token.kind == TNI_DIRECTIVE) {
            read_directive(reader, &token);
            continue;
        }
        if (token.kind == TNI_QUOTE) read_quote(reader, &token);
        if (token.kind == TNI_MARK) read_mark(reader, &token);
        copy_to(reader, reader->tokens.at);
        reader->before.length = 0;
    }
    copy_to(reader, reader->end);
}

/* --- The whole program --- */

static bool is_plain(tni_token name) {
    tni_token_reader reader = tni_token_reader_of(name.text, (size_t)name.length);
    tni_token word;
    return tni_token_next(&word, &reader) && word.kind == TNI_WORD &&
           tni_token_equals(&word, &name);
}

static void add_quoted(tni_source *out, tni_token text) {
    tni_source_add_bytes(out, "\"", 1);
    for (int k = 0; k < text.length; k++) {
        if (text.text[k] == '"' || text.text[k] == '\\') tni_source_add_bytes(out, "\\", 1);
        tni_source_add_bytes(out, text.text + k, 1);
    }
    tni_source_add_bytes(out, "\"", 1);
}

static void add_entry(tni_source *out, tni_token name) {
    tni_token expression = name;
    if (expression.length && *expression.text == '&') expression.text++, expression.length--;
    tni_source_add(out, "    tni_entry_of<&%s%.*s>(", is_plain(name) ? "::" : "", expression.length,
                   expression.text);
    add_quoted(out, name);
    tni_source_add(out, "),\n");
}

static void add_table(tni_source *out, const names *names, bool has_shared) {
    tni_source_add(out, "\n#line 1 \"the table of kernels\"\nnamespace tni_absent {\n");
    for (int k = 0; k < names->count; k++)
        if (is_plain(names->list[k]))
            tni_source_add(out, "constexpr tni_absent_kernel %.*s{};\n", names->list[k].length,
                           names->list[k].text);
    tni_source_add(out, "}\nusing namespace tni_absent;\n");
    if (has_shared)
        tni_source_add(out,
                       "__attribute__((aligned(1024), used)) __thread char tni_dynamic_shared[%d] "
                       "__asm__(\"tni_dynamic_shared\");\n",
                       TNI_HOST_SHARED_BYTES_MAX);
    tni_source_add(out, "extern \"C\" const tni_host_entry tni_entries[] = {\n");
    for (int k = 0; k < names->count; k++)
        add_entry(out, names->list[k]);
    tni_source_add(out, "    {}};\n");
}

/* The system's vector functions are opened for all that is loaded later, so that programs need not
 * name their library. 0: there are none, 1: the first five, 2: those of glibc 2.35. */
static int find_vector_functions(void) {
    void *library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library || !dlsym(library, "_ZGVdN8v_expf")) return 0;
    return dlsym(library, "_ZGVdN8v_tanhf") ? 2 : 1;
}

static int vector_functions;

static void set_vector_functions(void) {
    vector_functions = find_vector_functions();
}

/* Whether a word with that beginning may be in the program: texts of hardly used functions are left
 * out where it is not, for the compiler takes its time for each. */
static bool has_word(const char *beginning, const tni_program_text *text,
                     const tni_included *included) {
    bool found = tni_words_begin(text->code, beginning);
    for (int k = 0; k < text->option_count && !found; k++)
        found = tni_words_begin(text->options[k], beginning);
    for (int k = 0; k < included->count && !found; k++)
        found = included->files[k].owned && tni_words_begin(included->files[k].text, beginning);
    return found;
}

static void add_runtime(tni_source *out, const tni_program_text *text,
                        const tni_included *included) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_vector_functions);
    if (vector_functions) tni_source_add(out, "#define TNI_MVEC %d\n", vector_functions);
    if (included->has_std) tni_source_add(out, "#define TNI_CUDA_STD 1\n");
    for (size_t k = 0; k < tni_host_text_count; k++) {
        if (tni_host_text_is_included(&tni_host_texts[k])) continue;
        if (strcmp(tni_host_texts[k].name, "video.cuh") == 0 && !has_word("__v", text, included))
            continue;
        tni_source_add(out, "#line 1 \"%s\"\n", tni_host_texts[k].name);
        tni_source_add_bytes(out, tni_host_texts[k].text, tni_host_texts[k].length);
    }
}

static void add_line(tni_source *out, const char *path) {
    tni_source_add(out, "#line 1 ");
    add_quoted(out, token_of(path));
    tni_source_add(out, "\n");
}

/* A program while it is written. */
typedef struct writing {
    tni_translation *result;
    const tni_included *included;
    names names;
    bool divides;
} writing;

static void add_text(writing *writing, tni_source *out, int number, const char *text,
                     size_t length) {
    bool is_ours = number >= 0 && !writing->included->files[number].owned;
    reader reader = {.at = text,
                     .end = text + length,
                     .tokens = tni_token_reader_of(text, length),
                     .out = out,
                     .names = &writing->names,
                     .included = writing->included,
                     .number = number,
                     .rewrites = writing->divides && !is_ours};
    read_all(&reader);
    writing->result->has_shared |= reader.has_shared;
    writing->result->done.divides |= reader.has_rewritten;
}

static void translate_files(writing *writing) {
    const tni_included *included = writing->included;
    tni_translation *result = writing->result;
    result->files = tni_calloc((size_t)included->count + 1, sizeof *result->files);
    writing->names.has_failed |= !result->files;
    for (int k = 0; k < included->count && result->files; k++) {
        const tni_included_file *file = &included->files[k];
        add_line(&result->files[k], file->path);
        add_text(writing, &result->files[k], k, file->text, file->length);
        writing->names.has_failed |= result->files[k].has_failed;
        result->file_count++;
    }
}

tn_status tni_host_translate(tni_translation *result, const tni_rewriting *allowed,
                             const tni_program_text *text, const tni_source *macros,
                             const tni_included *included) {
    writing writing = {.result = result, .included = included, .divides = allowed->divides};
    names *names = &writing.names;
    tni_source split = {0}, *out = &result->main;
    bool splits = allowed->splits && tni_host_split(&split, text->code, text->length, macros->text);
    result->done.splits = splits;
    add_runtime(out, text, included);
    translate_files(&writing);
    if (text->translates_cucomplex)
        add_text(&writing, out, -1, tni_user_translation, strlen(tni_user_translation));
    tni_source_add(out, "#line 1 \"options\"\n%s", macros->text ? macros->text : "");
    tni_source_add(out,
                   "#ifdef NDEBUG\n#undef assert\n#define assert(condition) ((void)0)\n#endif\n");
    tni_source_add(out, "#line 1 \"kernel.cu\"\n");
    add_text(&writing, out, -1, splits ? split.text : text->code,
             splits ? split.length : text->length);
    for (int k = 0; k < text->name_count; k++)
        note(names, token_of(text->names[k]));
    add_table(out, names, result->has_shared);
    tni_free(names->list);
    tni_source_deinit(&split);
    if (names->has_failed || out->has_failed) return tni_fail_no_memory((int64_t)out->length);
    return TN_OK;
}

void tni_translation_deinit(tni_translation *translation) {
    tni_source_deinit(&translation->main);
    for (int k = 0; k < translation->file_count; k++)
        tni_source_deinit(&translation->files[k]);
    tni_free(translation->files);
    *translation = (tni_translation){.file_count = 0};
}
