/* One pass over a text, token by token: comments and quotes are passed over. A text with lines for
 * the preprocessor may have brackets in branches that are left out, so brackets are counted in
 * others alone. */
#include "kernel/templates/user_words.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MAX = 256 };

static bool is_part(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static int line_of(const char *text, const char *at) {
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* Behind a comment or quote that begins here; `at` itself: neither; NULL: it has no end. */
static const char *skip(const char *at) {
    if (at[0] == '/' && at[1] == '/') {
        while (*at && *at != '\n')
            at += at[0] == '\\' && at[1] ? 2 : 1;
        return at;
    }
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : NULL;
    }
    if (*at != '"' && *at != '\'') return at;
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : NULL;
}

static char partner(char closing) {
    return closing == ')' ? '(' : closing == ']' ? '[' : '{';
}

tn_status tni_words_check(const char *name, const char *text) {
    char open[DEPTH_MAX];
    const char *places[DEPTH_MAX];
    int depth = 0;
    bool has_directives = false;
    for (const char *at = text; *at;) {
        const char *next = skip(at);
        if (!next)
            TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: %s has no end", name, line_of(text, at),
                     *at == '/' ? "a comment" : "a quote");
        if (next != at) {
            at = next;
            continue;
        }
        if (is_part(*at)) {
            while (is_part(*at) || (*at == '\'' && is_part(at[1])))
                at++;
            continue;
        }
        has_directives |= *at == '#';
        if (*at == '(' || *at == '[' || *at == '{') {
            if (depth == DEPTH_MAX)
                TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: %d brackets are open", name,
                         line_of(text, at), DEPTH_MAX);
            places[depth] = at;
            open[depth++] = *at;
        } else if (*at == ')' || *at == ']' || *at == '}') {
            bool closes = depth > 0 && open[depth - 1] == partner(*at);
            if (!closes && !has_directives)
                TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: '%c' closes nothing", name,
                         line_of(text, at), *at);
            depth -= closes;
        }
        at++;
    }
    if (depth > 0 && !has_directives)
        TNI_FAIL(TN_ERROR_VALUE, "%s, line %d: '%c' is not closed", name,
                 line_of(text, places[depth - 1]), open[depth - 1]);
    return TN_OK;
}

static bool is_one_of(const char *word, size_t length, const char *const *words) {
    for (; *words; words++)
        if (strlen(*words) == length && memcmp(*words, word, length) == 0) return true;
    return false;
}

bool tni_words_have(const char *text, const char *const *words) {
    for (const char *at = text; *at;) {
        const char *next = skip(at);
        if (!next) return true; /* seen nothing of the rest */
        if (next != at) {
            at = next;
        } else if (is_part(*at)) {
            const char *word = at;
            while (is_part(*at))
                at++;
            if (is_one_of(word, (size_t)(at - word), words)) return true;
        } else {
            at++;
        }
    }
    return false;
}

bool tni_words_are_open(const char *text) {
    return strstr(text, "include") != NULL || strstr(text, "##") != NULL;
}
