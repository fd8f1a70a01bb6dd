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
 * preprocessor leaves out is no error: behind the program each noted name is declared once more in
 * a namespace of its own, where `::name` is looked up only if the program has none. Kernels that
 * macros define are not seen, unless they are among the names that the program gives. */
#include "backend/host/compiler/translate.h"

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/host_text.h"
#include "backend/host/compiler/known_headers.h"
#include "backend/host/compiler/launch.h"
#include "backend/host/compiler/split/split.h"
#include "core/base/alloc.h"
#include "kernel/user_text.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct word {
    const char *text;
    size_t length;
} word;

typedef struct names {
    word *list;
    int count, capacity;
    bool has_failed;
} names;

typedef struct reader {
    const char *at, *end;
    tni_source *out;
    names *names;
    const tni_included *included;
    int number;              /* of the file that is read, -1: the program itself */
    word before, identifier; /* the last token if a word, the last word */
    bool is_extern;          /* in this declaration, without a "C" */
    bool has_linkage;        /* extern "C" before this declaration */
    bool is_kernel;          /* __global__ before, its name is to come */
    bool wants_label;        /* extern __shared__ */
    bool has_shared;
    bool rewrites, has_rewritten; /* divisions */
    int depth, linkage_depth;     /* of braces; of an extern "C" block, 0: none */
} reader;

static bool is(word word, const char *text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static bool is_one_of(word word, const char *const *texts, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (is(word, texts[k])) return true;
    return false;
}

static void note(names *names, word name) {
    for (int k = 0; k < names->count; k++)
        if (names->list[k].length == name.length &&
            memcmp(names->list[k].text, name.text, name.length) == 0)
            return;
    if (names->count == names->capacity) {
        int capacity = names->capacity ? 2 * names->capacity : 16;
        word *larger = tni_realloc(names->list, (size_t)capacity * sizeof *larger);
        if (!larger) {
            names->has_failed = true;
            return;
        }
        names->list = larger;
        names->capacity = capacity;
    }
    names->list[names->count++] = name;
}

/* --- Skipping --- */

static bool is_word_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '$';
}
static bool is_word_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static const char *word_end(const char *at, const char *end) {
    while (at < end && is_word_part(*at))
        at++;
    return at;
}

static const char *line_end(const char *at, const char *end) {
    while (at < end && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at : end;
}

/* Behind a comment, or where it is none. */
static const char *comment_end(const char *at, const char *end) {
    if (at + 1 >= end || at[0] != '/') return at;
    if (at[1] == '/') return line_end(at, end);
    if (at[1] != '*') return at;
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/') return at + 2;
    return end;
}

/* Behind a text or character that begins here, which ends in its line in any case. */
static const char *quote_end(const char *at, const char *end) {
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    if (at >= end) return end;
    return *at == quote ? at + 1 : at;
}

/* R"x( ... )x", from the quote on. */
static const char *raw_end(const char *at, const char *end) {
    const char *mark = at + 1, *open = mark;
    while (open < end && *open != '(' && open - mark <= 16)
        open++;
    size_t length = (size_t)(open - mark);
    if (open >= end || *open != '(') return quote_end(at, end);
    for (const char *close = open; close + length + 1 < end; close++)
        if (close[0] == ')' && memcmp(close + 1, mark, length) == 0 && close[length + 1] == '"')
            return close + length + 2;
    return end;
}

/* Behind whatever is neither a word nor a mark of its own; `at` itself if there is nothing such. */
static const char *skip_one(const char *at, const char *end) {
    const char *next = comment_end(at, end);
    if (next != at) return next;
    if (*at == '"' || *at == '\'') return quote_end(at, end);
    return at;
}

/* Behind the parenthesis that closes the one at `at`. */
static const char *group_end(const char *at, const char *end) {
    int depth = 0;
    while (at < end) {
        const char *next = skip_one(at, end);
        if (next != at) {
            at = next;
            continue;
        }
        depth += (*at == '(') - (*at == ')');
        at++;
        if (depth == 0) break;
    }
    return at;
}

/* --- Tokens --- */

static void copy_to(reader *reader, const char *end) {
    tni_source_add_bytes(reader->out, reader->at, (size_t)(end - reader->at));
    reader->at = end;
}

/* Leaves text out but for its lines. */
static void drop_to(reader *reader, const char *end) {
    for (; reader->at < end; reader->at++)
        if (*reader->at == '\n') tni_source_add_bytes(reader->out, "\n", 1);
}

static void read_include(reader *reader, const tni_host_include *include) {
    tni_host_include own;
    int number = tni_included_find(reader->included, include, reader->number);
    if (number >= 0)
        tni_source_add(reader->out, "#include \"" TNI_COMPILER_INCLUDED "\"", number);
    else if (tni_host_include_is_std(include, &own))
        tni_source_add(reader->out, "#include <%.*s>", (int)own.length, own.name);
    else if (tni_host_include_is_absent(include))
        tni_source_add(reader->out, "#error what <%.*s> has is on GPUs alone, not on the host",
                       (int)include->length, include->name);
}

/* A number that is not 0. */
static bool is_plain_divisor(const char *at, const char *end) {
    if (at >= end || !isdigit((unsigned char)*at)) return false;
    for (; at < end && (*at == '0' || *at == '.'); at++)
        if (*at == '.') return true;
    return at < end && isdigit((unsigned char)*at);
}

/* A division as an operator of division.cuh; any other mark as it is. */
static void read_division(reader *reader) {
    const char *sign = *reader->at == '/' ? "over" : "rest", *at = reader->at + 1;
    bool assigns = at < reader->end && *at == '=';
    const char *next = at += assigns;
    do {
        at = next;
        while (next < reader->end && isspace((unsigned char)*next))
            next++;
        next = comment_end(next, reader->end);
    } while (next != at);
    bool stays =
        !reader->rewrites || is(reader->before, "operator") || is_plain_divisor(at, reader->end);
    if (stays) {
        copy_to(reader, reader->at + 1 + assigns);
        return;
    }
    tni_source_add(reader->out, assigns ? " %%= ::tni::%s %%= " : " %% ::tni::%s %% ", sign);
    reader->at += 1 + assigns;
    reader->has_rewritten = true;
}

static bool defines_macro(const char *directive, const char *end) {
    for (directive++; directive < end && (*directive == ' ' || *directive == '\t');)
        directive++;
    return end - directive > 6 && memcmp(directive, "define", 6) == 0;
}

/* The text of a macro, in which nothing but divisions is read. */
static void read_macro(reader *reader, const char *end) {
    reader->before.length = 0;
    while (reader->at < end) {
        const char *next = skip_one(reader->at, end);
        if (next != reader->at)
            copy_to(reader, next);
        else if (*reader->at == '/' || *reader->at == '%')
            read_division(reader);
        else
            copy_to(reader, is_word_part(*reader->at) ? word_end(reader->at, end) : reader->at + 1);
    }
}

static void read_directive(reader *reader) {
    const char *end = line_end(reader->at, reader->end);
    tni_host_include include;
    bool is_ours = tni_host_include_read(&include, reader->at, end) &&
                   (tni_host_include_is_known(&include) || tni_host_include_is_absent(&include) ||
                    tni_included_find(reader->included, &include, reader->number) >= 0);
    if (is_ours) read_include(reader, &include);
    if (is_ours)
        drop_to(reader, end);
    else if (defines_macro(reader->at, end))
        read_macro(reader, end);
    else
        copy_to(reader, end);
}

static const char *next_word(reader *reader, const char *at, word *word) {
    while (at < reader->end && isspace((unsigned char)*at))
        at++;
    word->text = at;
    word->length = (size_t)(word_end(at, reader->end) - at);
    return at;
}

static void drop_assembly(reader *reader, const char *end) {
    while (end < reader->end && (isspace((unsigned char)*end) || is_word_part(*end)))
        end++; /* volatile */
    if (end >= reader->end || *end != '(') {
        copy_to(reader, word_end(reader->at, reader->end));
        return;
    }
    tni_source_add(reader->out,
                   "static_assert(sizeof(char) == 0, \"inline PTX can't run on the host\")");
    drop_to(reader, group_end(end, reader->end));
}

static void read_shared(reader *reader, const char *end) {
    reader->wants_label = reader->is_extern;
    reader->has_shared |= reader->is_extern;
    tni_source_add(reader->out, "%s",
                   reader->is_extern              ? "__thread"
                   : is(reader->before, "static") ? "thread_local"
                                                  : "__shared__");
    reader->at = end;
}

static void read_global(reader *reader, const char *end) {
    static const char *const inlines[] = {"inline", "__inline__", "__forceinline__", "static"};
    enum { INLINES = sizeof inlines / sizeof *inlines };
    word after;
    next_word(reader, end, &after);
    reader->is_kernel = true;
    if (is_one_of(reader->before, inlines, INLINES) || is_one_of(after, inlines, INLINES))
        drop_to(reader, end);
    else
        copy_to(reader, end);
}

static void read_word(reader *reader) {
    static const char *const assembly[] = {"asm", "__asm__", "__asm"};
    const char *end = word_end(reader->at, reader->end);
    word word = {reader->at, (size_t)(end - reader->at)};
    if (end < reader->end && *end == '"' && word.text[word.length - 1] == 'R') {
        copy_to(reader, raw_end(end, reader->end));
        return;
    }
    if (is(word, "extern")) reader->is_extern = true;
    if (is(word, "__shared__"))
        read_shared(reader, end);
    else if (is(word, "__global__"))
        read_global(reader, end);
    else if (is_one_of(word, assembly, 3))
        drop_assembly(reader, end);
    else if (is(word, "assert")) /* its message has the text */
        copy_to(reader, group_end(end, reader->end));
    else
        copy_to(reader, end);
    reader->before = reader->identifier = word;
}

/* extern "C", and any other text. */
static void read_quote(reader *reader) {
    const char *end = quote_end(reader->at, reader->end);
    if (is(reader->before, "extern")) {
        reader->is_extern = false;
        reader->has_linkage = end - reader->at == 3 && reader->at[1] == 'C';
    }
    copy_to(reader, end);
}

static void end_declaration(reader *reader) {
    reader->is_extern = reader->is_kernel = reader->wants_label = false;
    reader->has_linkage = false;
}

/* What stands before a kernel's parameters is its name, but for these. */
static void read_parenthesis(reader *reader) {
    static const char *const others[] = {"__launch_bounds__", "__attribute__", "__align__",
                                         "alignas",           "decltype",      "__cluster_dims__"};
    if (!reader->is_kernel) return;
    if (is_one_of(reader->identifier, others, sizeof others / sizeof *others)) {
        copy_to(reader, group_end(reader->at, reader->end) - 1);
        return;
    }
    if (reader->has_linkage || reader->linkage_depth) note(reader->names, reader->identifier);
    reader->is_kernel = false;
}

/* The launch of a kernel by a kernel, up to its arguments. */
static void drop_launch(reader *reader) {
    const char *end = reader->at + 3;
    while (end < reader->end && *end != ';' && memcmp(end - 3, ">>>", 3) != 0)
        end++;
    tni_source_add(reader->out, "; static_assert(sizeof(char) == 0, \"kernels that launch kernels "
                                "can't run on the host\"); ");
    drop_to(reader, end);
}

static void read_mark(reader *reader) {
    char mark = *reader->at;
    if (reader->end - reader->at > 6 && memcmp(reader->at, "<<<", 3) == 0) {
        drop_launch(reader);
        return;
    }
    if (mark == '/' || mark == '%') {
        read_division(reader);
        return;
    }
    if (mark == '(') read_parenthesis(reader);
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
    if (reader->at < reader->end) copy_to(reader, reader->at + 1);
}

static void read_all(reader *reader) {
    bool is_line_start = true;
    while (reader->at < reader->end) {
        char c = *reader->at;
        const char *next = comment_end(reader->at, reader->end);
        if (next != reader->at || isspace((unsigned char)c)) {
            is_line_start |= c == '\n';
            copy_to(reader, next != reader->at ? next : reader->at + 1);
            continue;
        }
        if (c == '#' && is_line_start) {
            read_directive(reader);
            continue;
        }
        is_line_start = false;
        if (is_word_start(c)) {
            read_word(reader);
            continue;
        }
        if (isdigit((unsigned char)c))
            copy_to(reader, word_end(reader->at, reader->end));
        else if (c == '"' || c == '\'')
            read_quote(reader);
        else
            read_mark(reader);
        reader->before.length = 0;
    }
}

/* --- The whole program --- */

static bool is_plain(word name) {
    return name.length && is_word_start(name.text[0]) &&
           word_end(name.text, name.text + name.length) == name.text + name.length;
}

static void add_quoted(tni_source *out, word text) {
    tni_source_add_bytes(out, "\"", 1);
    for (size_t k = 0; k < text.length; k++) {
        if (text.text[k] == '"' || text.text[k] == '\\') tni_source_add_bytes(out, "\\", 1);
        tni_source_add_bytes(out, text.text + k, 1);
    }
    tni_source_add_bytes(out, "\"", 1);
}

static void add_entry(tni_source *out, word name) {
    word expression = name;
    if (expression.length && *expression.text == '&') expression.text++, expression.length--;
    tni_source_add(out, "    tni_entry_of<&%s%.*s>(", is_plain(name) ? "::" : "",
                   (int)expression.length, expression.text);
    add_quoted(out, name);
    tni_source_add(out, "),\n");
}

static void add_table(tni_source *out, const names *names, bool has_shared) {
    tni_source_add(out, "\n#line 1 \"the table of kernels\"\nnamespace tni_absent {\n");
    for (int k = 0; k < names->count; k++)
        if (is_plain(names->list[k]))
            tni_source_add(out, "constexpr tni_absent_kernel %.*s{};\n", (int)names->list[k].length,
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
    bool found = strstr(text->code, beginning);
    for (int k = 0; k < text->option_count && !found; k++)
        found = strstr(text->options[k], beginning);
    for (int k = 0; k < included->count && !found; k++)
        found = included->files[k].owned && strstr(included->files[k].text, beginning);
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
    add_quoted(out, (word){path, strlen(path)});
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
        note(names, (word){text->names[k], strlen(text->names[k])});
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
