/* A text in C++ as tokens. Comments are left out; a directive is one token, to the end of its line.
 */
#include "backend/host/compiler/split/tokens.h"

#include "core/base/alloc.h"

#include <ctype.h>
#include <string.h>

static bool is_word_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_word_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static const char *comment_end(const char *at, const char *end) {
    if (end - at < 2 || at[0] != '/') return at;
    if (at[1] == '/') {
        while (at < end && *at != '\n')
            at += *at == '\\' && end - at > 1 ? 2 : 1;
        return at < end ? at : end;
    }
    if (at[1] != '*') return at;
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/') return at + 2;
    return end;
}

static const char *directive_end(const char *at, const char *end) {
    while (at < end && *at != '\n') {
        const char *next = comment_end(at, end);
        at = next != at ? next : at + (*at == '\\' && end - at > 1 ? 2 : 1);
    }
    return at < end ? at : end;
}

static const char *quote_end(const char *at, const char *end) {
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at < end && *at == quote ? at + 1 : at < end ? at : end;
}

static const char *number_end(const char *at, const char *end) {
    while (at < end && (is_word_part(*at) || *at == '.' || *at == '\'' ||
                        ((*at == '+' || *at == '-') && strchr("eEpP", at[-1]) && at[-1])))
        at++;
    return at;
}

static const char *mark_end(const char *at, const char *end) {
    static const char *const marks[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=", "|=", "^=", "::", NULL};
    for (const char *const *mark = marks; *mark; mark++) {
        size_t length = strlen(*mark);
        if ((size_t)(end - at) >= length && memcmp(at, *mark, length) == 0) return at + length;
    }
    return at + 1;
}

static bool add(tni_tokens *tokens, const char *text, const char *end, tni_token_kind kind) {
    if (tokens->count == tokens->capacity) {
        int capacity = tokens->capacity ? 2 * tokens->capacity : 512;
        tni_token *larger = tni_realloc(tokens->list, (size_t)capacity * sizeof *larger);
        if (!larger) return false;
        tokens->list = larger;
        tokens->capacity = capacity;
    }
    tokens->list[tokens->count++] = (tni_token){text, (int)(end - text), kind, -1, -1};
    return true;
}

static bool read_all(tni_tokens *tokens, const char *at, const char *end) {
    bool is_line_start = true;
    while (at < end) {
        const char *next = comment_end(at, end);
        if (next != at || isspace((unsigned char)*at)) {
            is_line_start |= *at == '\n';
            at = next != at ? next : at + 1;
            continue;
        }
        tni_token_kind kind = TNI_MARK;
        if (*at == '#' && is_line_start)
            kind = TNI_DIRECTIVE, next = directive_end(at, end);
        else if (is_word_start(*at))
            for (kind = TNI_WORD, next = at; next < end && is_word_part(*next);)
                next++;
        else if (isdigit((unsigned char)*at) ||
                 (*at == '.' && end - at > 1 && isdigit((unsigned char)at[1])))
            kind = TNI_NUMBER, next = number_end(at + 1, end);
        else if (*at == '"' || *at == '\'')
            kind = TNI_QUOTE, next = quote_end(at, end);
        else
            next = mark_end(at, end);
        if (!add(tokens, at, next, kind)) return false;
        is_line_start = false;
        at = next;
    }
    return true;
}

/* Open brackets are a list through their `match`, the innermost first. */
static bool match_all(tni_tokens *tokens) {
    int open = -1;
    for (int k = 0; k < tokens->count; k++) {
        tni_token *token = &tokens->list[k];
        if (token->kind != TNI_MARK || token->length != 1) continue;
        const char *closing = strchr("()[]{}", *token->text);
        if (!closing) continue;
        if (strchr("([{", *token->text)) {
            token->match = open;
            open = k;
            continue;
        }
        if (open < 0 || *tokens->list[open].text != closing[-1]) return false;
        int before = tokens->list[open].match;
        tokens->list[open].match = k;
        token->match = open;
        open = before;
    }
    return open < 0;
}

bool tni_tokens_read(tni_tokens *tokens, const char *text, size_t length) {
    return read_all(tokens, text, text + length) && match_all(tokens);
}

void tni_tokens_deinit(tni_tokens *tokens) {
    tni_free(tokens->list);
}

bool tni_token_is(const tni_token *token, const char *text) {
    return token->length == (int)strlen(text) &&
           memcmp(token->text, text, (size_t)token->length) == 0;
}

bool tni_token_is_one_of(const tni_token *token, const char *const *texts) {
    for (; *texts; texts++)
        if (tni_token_is(token, *texts)) return true;
    return false;
}

bool tni_token_equals(const tni_token *a, const tni_token *b) {
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

bool tni_token_begins(const tni_token *token, const char *text) {
    size_t length = strlen(text);
    return (size_t)token->length >= length && memcmp(token->text, text, length) == 0;
}

bool tni_token_assigns(const tni_token *token) {
    static const char *const marks[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>=", NULL};
    return token->kind == TNI_MARK && tni_token_is_one_of(token, marks);
}
