/* Directives are looked into as the lines around them are. A text that has some may have brackets
 * in branches that are left out, so brackets are counted in others alone. */
#include "kernel/user_words.h"

#include "kernel/headers.h"

#include <string.h>

enum { DEPTH_MAX = 256 };

/* The next token that is no directive. */
static bool next(tni_token *token, tni_token_reader *reader, bool *has_directives) {
    while (tni_token_next(token, reader)) {
        if (token->kind != TNI_DIRECTIVE) return true;
        *has_directives = true;
        tni_token_enter(reader, token);
    }
    return false;
}

static int line_of(const char *text, const char *at) {
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static char partner(char closing) {
    return closing == ')' ? '(' : closing == ']' ? '[' : '{';
}

tn_status tni_words_check(const char *name, const char *text) {
    const char *open[DEPTH_MAX];
    int depth = 0;
    bool has_directives = false;
    tni_token_reader reader = tni_token_reader_of(text, strlen(text));
    for (tni_token token; next(&token, &reader, &has_directives);) {
        const char *at = token.text;
        if (token.is_open)
            TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: %s has no end", name, line_of(text, at),
                     token.kind == TNI_COMMENT ? "a comment" : "a quote");
        if (token.kind != TNI_MARK) continue;
        if (*at == '(' || *at == '[' || *at == '{') {
            if (depth == DEPTH_MAX)
                TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: %d brackets are open", name,
                         line_of(text, at), DEPTH_MAX);
            open[depth++] = at;
        } else if (*at == ')' || *at == ']' || *at == '}') {
            bool closes = depth > 0 && *open[depth - 1] == partner(*at);
            if (!closes && !has_directives)
                TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: '%c' closes nothing", name,
                         line_of(text, at), *at);
            depth -= closes;
        }
    }
    if (depth > 0 && !has_directives)
        TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: '%c' is not closed", name,
                 line_of(text, open[depth - 1]), *open[depth - 1]);
    return TN_OK;
}

/* --- Words --- */

/* What a comment without an end hides may be any word. */
static bool has(const char *text, const char *const *words, const char *beginning) {
    bool has_directives;
    tni_token_reader reader = tni_token_reader_of(text, strlen(text));
    for (tni_token token; next(&token, &reader, &has_directives);) {
        if (token.is_open) return true;
        if (token.kind != TNI_WORD) continue;
        if (words ? tni_token_is_one_of(&token, words) : tni_token_begins(&token, beginning))
            return true;
    }
    return false;
}

bool tni_words_have(const char *text, const char *const *words) {
    return has(text, words, NULL);
}

bool tni_words_begin(const char *text, const char *beginning) {
    return has(text, NULL, beginning);
}

/* The texts of tenorite/ need none of the words that are looked for. */
static bool adds_words(const tni_token *token) {
    tni_token_reader rest;
    tni_include include;
    if (!tni_token_directs(token, "include", &rest)) return tni_token_is(token, "##");
    return !tni_include_read(&include, token) || !include.header ||
           strncmp(include.header->name, "tenorite/", 9) != 0;
}

bool tni_words_are_open(const char *text) {
    tni_token_reader reader = tni_token_reader_of(text, strlen(text));
    for (tni_token token; tni_token_next(&token, &reader);) {
        if (adds_words(&token)) return true;
        if (token.kind == TNI_DIRECTIVE) tni_token_enter(&reader, &token);
    }
    return false;
}
