/* The statements of a kernel's body, and the variables that they declare. What is not known here
 * (labels, lambdas, directives other than pragmas, references without a name) makes the kernel one
 * that runs on fibers. */
#include "backend/host/compiler/split/parse.h"

#include "backend/host/compiler/split/program.h"
#include "core/base/alloc.h"

#include <string.h>

static int parse_statement(tni_split_kernel *kernel, int *at, int end);

static bool grow(void **list, int count, int *capacity, size_t bytes) {
    if (count < *capacity) return true;
    int wanted = *capacity ? 2 * *capacity : 64;
    void *larger = tni_realloc(*list, (size_t)wanted * bytes);
    if (!larger) return false;
    *list = larger;
    *capacity = wanted;
    return true;
}

static int add_statement(tni_split_kernel *kernel, tni_statement_kind kind, int first) {
    if (!grow((void **)&kernel->statements, kernel->statement_count, &kernel->statement_capacity,
              sizeof *kernel->statements)) {
        kernel->has_failed = true;
        return 0;
    }
    kernel->statements[kernel->statement_count] = (tni_statement){.kind = kind,
                                                                  .first = first,
                                                                  .end = first,
                                                                  .head = first,
                                                                  .head_end = first,
                                                                  .child = -1,
                                                                  .other = -1,
                                                                  .next = -1};
    return kernel->statement_count++;
}

static const tni_token *token_at(const tni_split_kernel *kernel, int at) {
    return &kernel->tokens[at];
}

static bool is(const tni_split_kernel *kernel, int at, const char *text) {
    return tni_token_is(&kernel->tokens[at], text);
}

/* --- Variables --- */

static void add_local(tni_split_kernel *kernel, tni_local local) {
    if (!grow((void **)&kernel->locals, kernel->local_count, &kernel->local_capacity,
              sizeof *kernel->locals) ||
        !grow((void **)&kernel->scope, kernel->scope_count, &kernel->scope_capacity,
              sizeof *kernel->scope)) {
        kernel->has_failed = true;
        return;
    }
    kernel->tokens[local.name].local = kernel->local_count;
    kernel->scope[kernel->scope_count++] = kernel->local_count;
    kernel->locals[kernel->local_count++] = local;
}

static bool is_member(const tni_split_kernel *kernel, int at) {
    return is(kernel, at - 1, ".") || is(kernel, at - 1, "->") || is(kernel, at - 1, "::");
}

static bool is_pragma(const tni_token *directive) {
    tni_token_reader rest;
    return tni_token_directs(directive, "pragma", &rest);
}

/* Says of each word between two tokens which variable it names. */
static void resolve(tni_split_kernel *kernel, int first, int end) {
    for (int k = first; k < end; k++) {
        tni_token *token = &kernel->tokens[k];
        if (token->kind == TNI_DIRECTIVE && !is_pragma(token)) kernel->has_failed = true;
        if (token->kind != TNI_WORD || token->local >= 0 || is_member(kernel, k)) continue;
        for (int s = kernel->scope_count - 1; s >= 0; s--) {
            int local = kernel->scope[s];
            if (!tni_token_equals(token, token_at(kernel, kernel->locals[local].name))) continue;
            token->local = local;
            break;
        }
    }
}

/* After the angle bracket that closes the one at `at`; `at` itself if none does. */
static int skip_angles(const tni_split_kernel *kernel, int at, int end) {
    int depth = 0;
    for (int k = at; k < end; k++) {
        if (kernel->tokens[k].match > k) k = kernel->tokens[k].match;
        if (is(kernel, k, "<")) depth++;
        if (is(kernel, k, ">")) depth--;
        if (is(kernel, k, ">>")) depth -= 2;
        if (is(kernel, k, ";") || is(kernel, k, "&&") || is(kernel, k, "||")) return at;
        if (depth <= 0) return k + 1;
    }
    return at;
}

static bool is_type_word(const tni_token *token) {
    static const char *const words[] = {
        "const", "volatile", "unsigned", "signed", "register", "constexpr",  "static",    "struct",
        "int",   "long",     "short",    "char",   "float",    "double",     "bool",      "auto",
        "void",  "typename", "extern",   "enum",   "class",    "__shared__", "__align__", NULL};
    return tni_token_is_one_of(token, words);
}

/* After the type that begins a declaration; `at` itself if there is none. */
static int type_end(const tni_split_kernel *kernel, int at, int end) {
    bool has_name = false;
    int first = at;
    while (at < end && kernel->tokens[at].kind == TNI_WORD) {
        const tni_token *token = token_at(kernel, at);
        bool is_known = is_type_word(token);
        static const char *const qualifiers[] = {"const",  "volatile",   "register", "constexpr",
                                                 "static", "typename",   "struct",   "extern",
                                                 "class",  "__shared__", "enum",     NULL};
        if (tni_token_is(token, "__align__") && is(kernel, at + 1, "(")) {
            at = kernel->tokens[at + 1].match + 1;
            continue;
        }
        if (!is_known && has_name) break;
        has_name |= !tni_token_is_one_of(token, qualifiers);
        at++;
        if (is_known) continue;
        for (;;) {
            if (at < end && is(kernel, at, "<")) {
                int next = skip_angles(kernel, at, end);
                if (next == at) return first;
                at = next;
            }
            if (at + 1 >= end || !is(kernel, at, "::")) break;
            at += 2;
        }
    }
    return has_name ? at : first;
}

/* The token of the name of a declarator that begins at `at`, or -1. */
static int declared_name(const tni_split_kernel *kernel, int at, int end) {
    static const char *const marks[] = {"*", "&", "const", "__restrict__", "__restrict", NULL};
    while (at < end && tni_token_is_one_of(token_at(kernel, at), marks))
        at++;
    if (at >= end || kernel->tokens[at].kind != TNI_WORD) return -1;
    static const char *const after[] = {"=", ";", ",", "[", "(", "{", ")", NULL};
    if (at + 1 < end && !tni_token_is_one_of(token_at(kernel, at + 1), after)) return -1;
    return at;
}

static bool has_word(const tni_split_kernel *kernel, int first, int end, const char *word) {
    for (int k = first; k < end; k++)
        if (is(kernel, k, word)) return true;
    return false;
}

static int declarator_end(const tni_split_kernel *kernel, int at, int end) {
    while (at < end && !is(kernel, at, ",") && !is(kernel, at, ";"))
        at = kernel->tokens[at].match > at ? kernel->tokens[at].match + 1 : at + 1;
    return at;
}

static void read_declarator(tni_split_kernel *kernel, int statement, int type, int type_end, int at,
                            int name, int end) {
    tni_local local = {.name = name,
                       .type = type,
                       .type_end = type_end,
                       .first = at,
                       .end = end,
                       .value = -1,
                       .statement = statement};
    local.is_shared = has_word(kernel, type, type_end, "__shared__");
    local.is_auto = has_word(kernel, type, type_end, "auto");
    local.is_pointer = has_word(kernel, at, name, "*");
    local.is_reference = has_word(kernel, at, name, "&");
    int next = name + 1;
    for (; next < end && is(kernel, next, "["); next = kernel->tokens[next].match + 1)
        local.is_array = true;
    if (next < end && is(kernel, next, "="))
        local.value = next + 1;
    else if (next < end && (is(kernel, next, "(") || is(kernel, next, "{")))
        local.value = next;
    resolve(kernel, name + 1, end);
    add_local(kernel, local);
}

/* A declaration that begins at `at`: false: it is an expression. */
static bool parse_declaration(tni_split_kernel *kernel, int statement, int at, int end) {
    int first = at, type = type_end(kernel, at, end);
    if (type == first || declared_name(kernel, type, end) < 0) return false;
    if (type == first + 1 && kernel->tokens[first].kind == TNI_WORD &&
        !is_type_word(token_at(kernel, first)) && is(kernel, type, "("))
        return false;
    resolve(kernel, first, type);
    for (at = type; at < end;) {
        int name = declared_name(kernel, at, end), stop = declarator_end(kernel, at, end);
        if (name < 0) {
            kernel->has_failed = true;
            return true;
        }
        read_declarator(kernel, statement, first, type, at, name, stop);
        at = stop + 1;
    }
    return true;
}

/* --- Statements --- */

static int statement_end(const tni_split_kernel *kernel, int at, int end) {
    while (at < end && !is(kernel, at, ";"))
        at = kernel->tokens[at].match > at ? kernel->tokens[at].match + 1 : at + 1;
    return at;
}

/* Words of a kernel whose threads may meet in other ways than at a barrier that stands alone, or
 * that change what runs next in ways not known here. */
static bool is_refused(const tni_split_kernel *kernel, int at) {
    static const char *const words[] = {"goto", "try", "switch", "co_await", "__trap", "tni", NULL};
    const tni_token *token = token_at(kernel, at);
    if (tni_token_is(token, "[")) {
        const tni_token *before = token_at(kernel, at - 1);
        bool is_index = (before->kind == TNI_WORD && !tni_token_is(before, "return")) ||
                        tni_token_is(before, "]") || tni_token_is(before, ")");
        return !is_index || tni_token_is(before, "auto") || tni_token_is(before, "&");
    }
    if (token->kind != TNI_WORD) return false;
    const tni_macro *macro = tni_split_macro_find(kernel->program, token);
    if (macro && !macro->is_plain) return true;
    if (tni_token_is_one_of(token, words)) return true;
    return tni_split_meets(kernel->program, token);
}

static void check_words(tni_split_kernel *kernel, int first, int end) {
    for (int k = first; k < end; k++)
        kernel->has_failed |= is_refused(kernel, k);
}

/* Makes a declaration of several variables one for each. Returns the last. */
static int part_declaration(tni_split_kernel *kernel, int number) {
    int last = -1;
    if (kernel->statements[number].kind != TNI_DECLARATION) return number;
    for (int k = 0; k < kernel->local_count; k++) {
        tni_local *local = &kernel->locals[k];
        if (local->statement != number) continue;
        int one = last < 0 ? number : add_statement(kernel, TNI_DECLARATION, local->first);
        if (kernel->has_failed) return number;
        if (last >= 0) {
            local->statement = one;
            kernel->statements[last].next = one;
            kernel->statements[number].is_piece = kernel->statements[one].is_piece = true;
        }
        kernel->statements[one].end = local->end + 1;
        last = one;
    }
    return last;
}

static void parse_list(tni_split_kernel *kernel, int parent, int at, int end) {
    int last = -1, scope = kernel->scope_count;
    while (at < end && !kernel->has_failed) {
        int one = parse_statement(kernel, &at, end);
        if (one < 0) continue;
        if (last < 0)
            kernel->statements[parent].child = one;
        else
            kernel->statements[last].next = one;
        last = part_declaration(kernel, one);
        kernel->statements[parent].has_barrier |= kernel->statements[one].has_barrier;
        kernel->statements[parent].has_return |= kernel->statements[one].has_return;
    }
    kernel->scope_count = scope;
}

static int parse_block(tni_split_kernel *kernel, int *at) {
    int made = add_statement(kernel, TNI_BLOCK, *at), end = kernel->tokens[*at].match;
    kernel->statements[made].end = end + 1;
    parse_list(kernel, made, *at + 1, end);
    *at = end + 1;
    return made;
}

static void take_facts(tni_split_kernel *kernel, int statement, int part) {
    if (part < 0) return;
    kernel->statements[statement].has_barrier |= kernel->statements[part].has_barrier;
    kernel->statements[statement].has_return |= kernel->statements[part].has_return;
}

static void parse_header(tni_split_kernel *kernel, int statement, int head, int end) {
    kernel->statements[statement].head = head;
    kernel->statements[statement].head_end = end;
    check_words(kernel, head, end);
    if (kernel->statements[statement].kind == TNI_FOR) {
        int stop = statement_end(kernel, head, end);
        if (stop >= end) kernel->has_failed = true; /* over a range */
        parse_declaration(kernel, statement, head, stop);
    } else if (is_type_word(token_at(kernel, head))) {
        kernel->has_failed = true;
    }
    resolve(kernel, head, end);
}

static int parse_part(tni_split_kernel *kernel, int *at, int end) {
    if (*at >= end) kernel->has_failed = true;
    int part = kernel->has_failed ? -1 : parse_statement(kernel, at, end);
    if (part < 0 && *at < end && !kernel->has_failed) kernel->has_failed = true;
    return part;
}

static int parse_control(tni_split_kernel *kernel, tni_statement_kind kind, int *at, int end) {
    int made = add_statement(kernel, kind, *at), scope = kernel->scope_count, open = *at + 1;
    if (kind == TNI_DO) {
        *at += 1;
        int body = parse_part(kernel, at, end);
        kernel->statements[made].child = body;
        if (*at >= end || !is(kernel, *at, "while")) kernel->has_failed = true;
        open = *at + 1;
    }
    if (kernel->has_failed || open >= end || !is(kernel, open, "(")) {
        kernel->has_failed = true;
        return made;
    }
    int close = kernel->tokens[open].match;
    parse_header(kernel, made, open + 1, close);
    *at = close + 1;
    if (kind == TNI_DO)
        *at += 1;
    else
        kernel->statements[made].child = parse_part(kernel, at, end);
    if (kind == TNI_IF && *at < end && is(kernel, *at, "else")) {
        *at += 1;
        kernel->statements[made].other = parse_part(kernel, at, end);
    }
    kernel->scope_count = scope;
    take_facts(kernel, made, kernel->statements[made].child);
    take_facts(kernel, made, kernel->statements[made].other);
    kernel->statements[made].end = *at;
    return made;
}

static bool is_barrier(const tni_split_kernel *kernel, int at, int end) {
    return at + 3 < end && is(kernel, at, "__syncthreads") && is(kernel, at + 1, "(") &&
           is(kernel, at + 2, ")") && is(kernel, at + 3, ";");
}

static int parse_simple(tni_split_kernel *kernel, int *at, int end) {
    static const char *const fixed[] = {
        "using", "typedef", "static_assert", "static", "extern", "__shared__", NULL};
    static const char *const leaving[] = {"break", "continue", NULL};
    int first = *at, stop = statement_end(kernel, first, end);
    int made = add_statement(kernel, TNI_EXPRESSION, first);
    tni_statement *statement = &kernel->statements[made];
    statement->end = stop + 1;
    *at = stop + 1;
    if (stop >= end || kernel->has_failed) {
        kernel->has_failed = true;
        return made;
    }
    if (is_barrier(kernel, first, end)) {
        statement->kind = TNI_BARRIER;
        statement->has_barrier = true;
        return made;
    }
    check_words(kernel, first, stop);
    if (is(kernel, first, "return")) {
        statement->kind = TNI_RETURN;
        statement->has_return = true;
        kernel->has_failed |= stop != first + 1;
    } else if (tni_token_is_one_of(token_at(kernel, first), leaving)) {
        statement->kind = TNI_LEAVE;
    } else {
        bool is_fixed = tni_token_is_one_of(token_at(kernel, first), fixed) ||
                        has_word(kernel, first, stop, "__shared__");
        bool is_type = is(kernel, first, "using") || is(kernel, first, "typedef") ||
                       is(kernel, first, "static_assert");
        if (!is_type && parse_declaration(kernel, made, first, stop))
            statement->kind = TNI_DECLARATION;
        if (is_fixed) kernel->statements[made].kind = TNI_FIXED;
        resolve(kernel, first, stop);
    }
    return made;
}

static int parse_statement(tni_split_kernel *kernel, int *at, int end) {
    const tni_token *token = token_at(kernel, *at);
    if (token->kind == TNI_DIRECTIVE) {
        if (!is_pragma(token)) kernel->has_failed = true;
        *at += 1;
        return -1;
    }
    if (tni_token_is(token, ";")) {
        int made = add_statement(kernel, TNI_EXPRESSION, *at);
        *at += 1;
        kernel->statements[made].end = *at;
        return made;
    }
    if (tni_token_is(token, "{")) return parse_block(kernel, at);
    if (tni_token_is(token, "if")) return parse_control(kernel, TNI_IF, at, end);
    if (tni_token_is(token, "for")) return parse_control(kernel, TNI_FOR, at, end);
    if (tni_token_is(token, "while")) return parse_control(kernel, TNI_WHILE, at, end);
    if (tni_token_is(token, "do")) return parse_control(kernel, TNI_DO, at, end);
    if (tni_token_is(token, "else") || tni_token_is(token, "case") ||
        tni_token_is(token, "struct") || tni_token_is(token, "default"))
        kernel->has_failed = true;
    if (token->kind == TNI_WORD && *at + 1 < end && is(kernel, *at + 1, ":"))
        kernel->has_failed = true;
    return parse_simple(kernel, at, end);
}

/* --- A kernel --- */

static void add_parameters(tni_split_kernel *kernel) {
    const tni_function *function = kernel->function;
    int name = -1, first = function->open + 1;
    bool is_over = false;
    for (int k = first; k <= function->close; k++) {
        const tni_token *token = token_at(kernel, k);
        if (k == function->close || tni_token_is(token, ",")) {
            if (name >= 0)
                add_local(kernel, (tni_local){.name = name,
                                              .type = first,
                                              .type_end = name,
                                              .first = name,
                                              .end = k,
                                              .value = -1,
                                              .statement = -1,
                                              .is_parameter = true,
                                              .is_pointer = true});
            name = -1, first = k + 1, is_over = false;
            continue;
        }
        is_over |= tni_token_is(token, "=") || tni_token_is(token, "[");
        if (!is_over && token->kind == TNI_WORD) name = k;
        if (token->match > k) k = token->match;
    }
}

void tni_split_parse(tni_split_kernel *kernel) {
    int at = kernel->function->body;
    add_parameters(kernel);
    kernel->body = parse_block(kernel, &at);
}
