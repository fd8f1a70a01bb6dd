/* The functions and macros of a program, as far as kernels can be judged by them. */
#include "backend/host/compiler/split/program.h"

#include "core/base/alloc.h"
#include "kernel/headers.h"

#include <string.h>

/* Words that may make threads of a block wait for each other; atomicCAS, because a thread that
 * waits for another in a loop lets the others go on with it. */
static const char *const meeting_words[] = {"__sync",    "__shfl",     "__ballot", "__any_",
                                            "__all_",    "__match_",   "__reduce", "__activemask",
                                            "atomicCAS", "__nanosleep"};
static const char *const meeting_names[] = {
    "cooperative_groups", "cg", "sync", "asm", "__asm__", NULL};

static bool is_meeting_word(const tni_token *word) {
    for (size_t k = 0; k < sizeof meeting_words / sizeof *meeting_words; k++)
        if (tni_token_begins(word, meeting_words[k])) return true;
    return tni_token_is_one_of(word, meeting_names);
}

bool tni_split_meets(const tni_split_program *program, const tni_token *word) {
    const tni_function *function = tni_split_function_find(program, word);
    return (function && function->meets) || is_meeting_word(word);
}

const tni_macro *tni_split_macro_find(const tni_split_program *program, const tni_token *name) {
    for (int k = program->macro_count - 1; k >= 0; k--)
        if (tni_token_equals(&program->macros[k].name, name)) return &program->macros[k];
    return NULL;
}

const tni_function *tni_split_function_find(const tni_split_program *program,
                                            const tni_token *name) {
    const tni_function *found = NULL;
    for (int k = 0; k < program->function_count; k++) {
        const tni_function *one = &program->functions[k];
        if (!tni_token_equals(&one->name, name)) continue;
        if (!found || one->meets) found = one;
        if (one->has_references && !found->meets) found = one;
    }
    return found;
}

bool tni_split_is_global(const tni_split_program *program, const tni_token *name, bool constant) {
    bool is_found = false;
    if (tni_split_function_find(program, name)) return false;
    for (int k = 0; k < program->tokens.count; k++) {
        const tni_token *token = &program->tokens.list[k];
        if (program->is_inside[k] || token->kind != TNI_WORD || !tni_token_equals(token, name))
            continue;
        if (constant && !program->is_constant[k]) continue;
        is_found = true;
    }
    return is_found;
}

/* --- Macros --- */

static bool is_plain_macro(const tni_macro *macro) {
    static const char *const words[] = {"return", "break", "continue", "if",   "for",    "while",
                                        "do",     "goto",  "asm",      "else", "switch", NULL};
    for (int k = 0; k < macro->body.count; k++) {
        const tni_token *token = &macro->body.list[k];
        if (tni_token_assigns(token) || tni_token_is_one_of(token, words) ||
            token->kind == TNI_DIRECTIVE)
            return false;
        if (token->kind == TNI_MARK && strchr(";{}#\\", *token->text)) return false;
        if (token->kind == TNI_WORD && tni_token_begins(token, "__sync")) return false;
    }
    return true;
}

/* The words after "#define". */
static bool add_macro(tni_split_program *program, const tni_token_reader *rest) {
    tni_tokens words = {0};
    bool is_read = tni_tokens_read(&words, rest->at, (size_t)(rest->end - rest->at));
    tni_macro *larger =
        tni_realloc(program->macros, (size_t)(program->macro_count + 1) * sizeof *larger);
    if (larger) program->macros = larger;
    if (!is_read || !larger || words.count == 0) {
        tni_tokens_deinit(&words);
        return false;
    }
    tni_macro *macro = &program->macros[program->macro_count++];
    *macro = (tni_macro){.name = words.list[0], .body = words};
    const tni_token *next = words.count > 1 ? &words.list[1] : NULL;
    int first = 1;
    macro->has_arguments =
        next && tni_token_is(next, "(") && next->text == macro->name.text + macro->name.length;
    if (macro->has_arguments) first = next->match + 1;
    for (int k = first; k < words.count; k++) /* its parameters stand for words of the program */
        for (int p = 2; p < first - 1; p++)
            if (tni_token_equals(&words.list[k], &words.list[p])) words.list[k].local = 0;
    macro->body.count -= first;
    memmove(words.list, words.list + first, (size_t)macro->body.count * sizeof *words.list);
    macro->is_plain = is_plain_macro(macro);
    return true;
}

/* False: it makes the program one that can't be judged. */
static bool read_directive(tni_split_program *program, const tni_token *directive) {
    static const char *const including[] = {"include", "include_next", "import"};
    tni_token_reader rest;
    tni_include include;
    for (size_t k = 0; k < sizeof including / sizeof *including; k++)
        if (tni_token_directs(directive, including[k], &rest))
            return tni_include_read(&include, directive) && include.header &&
                   include.header->kind != TNI_HEADER_ABSENT;
    return !tni_token_directs(directive, "define", &rest) || add_macro(program, &rest);
}

static bool read_macros(tni_split_program *program, const char *macros) {
    tni_tokens lines = {0};
    bool is_good = tni_tokens_read(&lines, macros, strlen(macros));
    for (int k = 0; is_good && k < lines.count; k++)
        is_good = lines.list[k].kind != TNI_DIRECTIVE || read_directive(program, &lines.list[k]);
    tni_tokens_deinit(&lines);
    return is_good;
}

/* --- Functions --- */

static bool is_name_of_function(const tni_token *token) {
    static const char *const others[] = {"if",
                                         "for",
                                         "while",
                                         "switch",
                                         "catch",
                                         "sizeof",
                                         "decltype",
                                         "alignas",
                                         "noexcept",
                                         "__launch_bounds__",
                                         "__attribute__",
                                         "__align__",
                                         "return",
                                         "do",
                                         "else",
                                         "__cluster_dims__",
                                         NULL};
    return token->kind == TNI_WORD && !tni_token_is_one_of(token, others);
}

/* The brace of a function whose parameters end at a token, or -1. */
static int find_body(const tni_tokens *tokens, int close) {
    int at = close + 1;
    while (at < tokens->count && (tni_token_is(&tokens->list[at], "const") ||
                                  tni_token_is(&tokens->list[at], "noexcept")))
        at++;
    return at < tokens->count && tni_token_is(&tokens->list[at], "{") ? at : -1;
}

static bool is_declared_global(const tni_tokens *tokens, int name) {
    for (int k = name - 1; k >= 0; k--) {
        const tni_token *token = &tokens->list[k];
        if (tni_token_is(token, "__global__")) return true;
        if (tni_token_is(token, ";") || tni_token_is(token, "{") || tni_token_is(token, "}"))
            return false;
    }
    return false;
}

static bool add_function(tni_split_program *program, int name, int body) {
    tni_token *tokens = program->tokens.list;
    tni_function *larger =
        tni_realloc(program->functions, (size_t)(program->function_count + 1) * sizeof *larger);
    if (!larger) return false;
    program->functions = larger;
    tni_function *made = &program->functions[program->function_count++];
    *made = (tni_function){.name = tokens[name],
                           .open = name + 1,
                           .close = tokens[name + 1].match,
                           .body = body,
                           .end = tokens[body].match};
    made->is_kernel = is_declared_global(&program->tokens, name);
    for (int k = made->open; k < made->close; k++)
        made->has_references |= tni_token_is(&tokens[k], "&");
    for (int k = body; k <= made->end; k++)
        program->is_inside[k] = true;
    return true;
}

static bool read_functions(tni_split_program *program) {
    tni_tokens *tokens = &program->tokens;
    for (int k = 0; k + 1 < tokens->count; k++) {
        const tni_token *token = &tokens->list[k];
        if (token->kind == TNI_DIRECTIVE && !read_directive(program, token)) return false;
        if (!is_name_of_function(token) || !tni_token_is(&tokens->list[k + 1], "(")) continue;
        int body = find_body(tokens, tokens->list[k + 1].match);
        if (body < 0) continue;
        if (!add_function(program, k, body)) return false;
        for (; k < tokens->list[body].match; k++)
            if (tokens->list[k].kind == TNI_DIRECTIVE && !read_directive(program, &tokens->list[k]))
                return false;
    }
    return true;
}

/* Functions that meet, and those that call them. */
static void find_meeting(tni_split_program *program) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int f = 0; f < program->function_count; f++) {
            tni_function *function = &program->functions[f];
            for (int k = function->body; !function->meets && k < function->end; k++) {
                const tni_token *token = &program->tokens.list[k];
                if (function->is_kernel || token->kind != TNI_WORD) continue;
                const tni_macro *macro = tni_split_macro_find(program, token);
                if (!tni_split_meets(program, token) && !(macro && !macro->is_plain)) continue;
                function->meets = changed = true;
            }
        }
    }
}

/* Declarations of constants and types, and the parameters of templates. */
static void find_constants(tni_split_program *program) {
    static const char *const words[] = {"const",  "constexpr", "enum",     "using", "typedef",
                                        "struct", "class",     "typename", NULL};
    const tni_tokens *tokens = &program->tokens;
    for (int first = 0, end; first < tokens->count; first = end + 1) {
        bool is_constant = false;
        for (end = first; end < tokens->count; end++) {
            const tni_token *token = &tokens->list[end];
            is_constant |= tni_token_is_one_of(token, words);
            if (tni_token_is(token, "template")) is_constant = true;
            if (tni_token_is(token, ";") || tni_token_is(token, "}")) break;
            if (program->is_inside[end]) break;
        }
        for (int k = first; k < end && is_constant; k++)
            program->is_constant[k] = true;
        while (end < tokens->count && program->is_inside[end])
            end++;
    }
}

/* Whether text that was not understood as a function may meet, or a function without a name does.
 */
static bool meets_outside(const tni_split_program *program) {
    const tni_token *tokens = program->tokens.list;
    for (int k = 0; k + 1 < program->tokens.count; k++) {
        if (program->is_inside[k] || tokens[k].kind != TNI_WORD) continue;
        if (is_meeting_word(&tokens[k])) return true;
        if (!tni_token_is(&tokens[k + 1], "(") || !tni_split_meets(program, &tokens[k])) continue;
        if (find_body(&program->tokens, tokens[k + 1].match) < 0) return true;
    }
    for (int k = 0; k < program->function_count; k++) {
        const tni_function *function = &program->functions[k];
        if (!function->meets) continue;
        if (tni_token_begins(&function->name, "operator") ||
            tni_token_begins(&function->name, "__"))
            return true;
    }
    return false;
}

bool tni_split_program_read(tni_split_program *program, const char *text, size_t length,
                            const char *macros) {
    if (macros && !read_macros(program, macros)) return false;
    if (!tni_tokens_read(&program->tokens, text, length)) return false;
    program->is_inside = tni_calloc((size_t)program->tokens.count + 1, sizeof(bool));
    program->is_constant = tni_calloc((size_t)program->tokens.count + 1, sizeof(bool));
    if (!program->is_inside || !program->is_constant) return false;
    if (!read_functions(program)) return false;
    find_meeting(program);
    find_constants(program);
    return !meets_outside(program);
}

void tni_split_program_deinit(tni_split_program *program) {
    for (int k = 0; k < program->macro_count; k++)
        tni_tokens_deinit(&program->macros[k].body);
    tni_free(program->macros);
    tni_free(program->functions);
    tni_free(program->is_inside);
    tni_free(program->is_constant);
    tni_tokens_deinit(&program->tokens);
}
