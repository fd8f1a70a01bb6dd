/* A text in C++ as tokens, without macros and templates. A line that ends in a backslash goes on in
 * the next one; such an end within a word is not looked for. */
#include "kernel/tokens.h"

#include "core/base/alloc.h"

#include <tenorite/kernel.h>

#include <ctype.h>
#include <string.h>

/* Letters outside of ASCII are bytes of UTF-8. */
static bool is_word_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_word_part(char c) {
    return isdigit((unsigned char)c) || is_word_start(c);
}

/* --- Ends: each function takes where something begins, and the text's end --- */

/* After a backslash and the end of its line; `at` itself: there is none. */
static const char *splice_end(const char *at, const char *end) {
    const char *next = at + 1;
    if (at >= end || *at != '\\') return at;
    next += next < end && *next == '\r';
    return next < end && *next == '\n' ? next + 1 : at;
}

static const char *line_comment_end(const char *at, const char *end) {
    while (at < end && *at != '\n') {
        const char *next = splice_end(at, end);
        at = next != at ? next : at + 1;
    }
    return at;
}

/* `at` itself: it is no comment. NULL: it has no end. */
static const char *comment_end(const char *at, const char *end) {
    if (end - at < 2 || at[0] != '/') return at;
    if (at[1] == '/') return line_comment_end(at, end);
    if (at[1] != '*') return at;
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/') return at + 2;
    return NULL;
}

static const char *word_end(const char *at, const char *end) {
    while (at < end && is_word_part(*at))
        at++;
    return at;
}

/* A quote that its line leaves open ends there. */
static const char *quote_end(const char *at, const char *end, bool *is_open) {
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n') {
        const char *next = splice_end(at, end);
        at = next != at ? next : at + (*at == '\\' && end - at > 1 ? 2 : 1);
    }
    *is_open = at >= end || *at != quote;
    return *is_open ? at : at + 1;
}

/* R"x( ... )x", from the quote on. */
static const char *raw_end(const char *at, const char *end, bool *is_open) {
    enum { MARK_MAX = 16 };
    const char *mark = at + 1, *open = mark;
    while (open < end && *open != '(' && open - mark <= MARK_MAX)
        open++;
    size_t length = (size_t)(open - mark);
    if (open >= end || *open != '(') return quote_end(at, end, is_open);
    for (const char *close = open; close + length + 1 < end; close++)
        if (close[0] == ')' && memcmp(close + 1, mark, length) == 0 && close[length + 1] == '"')
            return close + length + 2;
    *is_open = true;
    return end;
}

static const char *number_end(const char *at, const char *end) {
    for (at++; at < end; at++) {
        bool is_sign = (*at == '+' || *at == '-') && memchr("eEpP", at[-1], 4);
        bool separates = *at == '\'' && at + 1 < end && is_word_part(at[1]);
        if (!is_word_part(*at) && *at != '.' && !is_sign && !separates) break;
    }
    return at;
}

static const char *mark_end(const char *at, const char *end) {
    static const char *const marks[] = {"<<<", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=", "*=",
                                        "/=",  "%=",  "&=",  "|=",  "^=", "::", "##", NULL};
    for (const char *const *mark = marks; *mark; mark++) {
        size_t length = strlen(*mark);
        if ((size_t)(end - at) >= length && memcmp(at, *mark, length) == 0) return at + length;
    }
    return at + 1;
}

static const char *directive_end(const char *at, const char *end) {
    while (at < end && *at != '\n') {
        const char *next = comment_end(at, end);
        if (!next) return end;
        if (next == at) next = splice_end(at, end);
        at = next != at ? next : at + 1;
    }
    return at;
}

/* --- One after the other --- */

tni_token_reader tni_token_reader_of(const char *text, size_t length) {
    return (tni_token_reader){text, text + length, true};
}

/* Past blanks and comments; false: a comment that has no end. */
static bool skip_blanks(tni_token_reader *reader) {
    while (reader->at < reader->end) {
        const char *at = reader->at, *next = comment_end(at, reader->end);
        if (!next) return false;
        if (next == at) next = splice_end(at, reader->end);
        if (next == at && !isspace((unsigned char)*at)) break;
        reader->is_line_start |= next == at && *at == '\n';
        reader->at = next != at ? next : at + 1;
    }
    return true;
}

static bool begins_raw(const char *word, const char *quote) {
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    return tni_token_is_one_of(&(tni_token){.text = word, .length = (int)(quote - word)}, prefixes);
}

static const char *read_one(tni_token *token, const char *at, const char *end, bool may_direct) {
    const char *next;
    if (*at == '#' && may_direct) {
        token->kind = TNI_DIRECTIVE;
        return directive_end(at, end);
    }
    if (is_word_start(*at)) {
        token->kind = TNI_WORD;
        next = word_end(at, end);
        if (next == end || *next != '"' || !begins_raw(at, next)) return next;
        token->kind = TNI_QUOTE;
        return raw_end(next, end, &token->is_open);
    }
    if (*at == '"' || *at == '\'') {
        token->kind = TNI_QUOTE;
        return quote_end(at, end, &token->is_open);
    }
    if (isdigit((unsigned char)*at) ||
        (*at == '.' && end - at > 1 && isdigit((unsigned char)at[1]))) {
        token->kind = TNI_NUMBER;
        return number_end(at, end);
    }
    token->kind = TNI_MARK;
    return mark_end(at, end);
}

bool tni_token_next(tni_token *token, tni_token_reader *reader) {
    bool has_ended = skip_blanks(reader);
    const char *at = reader->at, *next = reader->end;
    *token =
        (tni_token){.text = at, .kind = TNI_COMMENT, .is_open = true, .match = -1, .local = -1};
    if (at >= reader->end) return false;
    if (has_ended) {
        token->is_open = false;
        next = read_one(token, at, reader->end, reader->is_line_start);
    }
    token->length = (int)(next - at);
    reader->at = next;
    reader->is_line_start = false;
    return true;
}

void tni_token_enter(tni_token_reader *reader, const tni_token *directive) {
    reader->at = directive->text + 1;
}

bool tni_token_directs(const tni_token *token, const char *name, tni_token_reader *rest) {
    tni_token first;
    if (token->kind != TNI_DIRECTIVE) return false;
    *rest = (tni_token_reader){token->text + 1, tni_token_end(token), false};
    return tni_token_next(&first, rest) && tni_token_is(&first, name);
}

int64_t tn_code_next_token(const char **text, const char **at, const char *end) {
    tni_token_reader reader = {*at, end, false};
    tni_token token;
    tni_token_next(&token, &reader);
    if (token.kind == TNI_DIRECTIVE) token.length = 1;
    *text = token.text;
    *at = tni_token_end(&token);
    return token.length;
}

/* --- A list --- */

static tni_token *add(tni_tokens *tokens) {
    if (tokens->count == tokens->capacity) {
        int capacity = tokens->capacity ? 2 * tokens->capacity : 512;
        tni_token *larger = tni_realloc(tokens->list, (size_t)capacity * sizeof *larger);
        if (!larger) return NULL;
        tokens->list = larger;
        tokens->capacity = capacity;
    }
    return &tokens->list[tokens->count++];
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
    tni_token_reader reader = tni_token_reader_of(text, length);
    for (tni_token token; tni_token_next(&token, &reader);) {
        tni_token *added = add(tokens);
        if (!added || token.kind == TNI_COMMENT) return false;
        *added = token;
    }
    return match_all(tokens);
}

void tni_tokens_deinit(tni_tokens *tokens) {
    tni_free(tokens->list);
}

/* --- What a token says --- */

const char *tni_token_end(const tni_token *token) {
    return token->text + token->length;
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
