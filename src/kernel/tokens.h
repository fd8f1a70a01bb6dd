/* The words and marks of a text in C++: the one reader of programs' texts. */
#ifndef TNI_KERNEL_TOKENS_H
#define TNI_KERNEL_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    TNI_WORD,
    TNI_NUMBER,
    TNI_QUOTE, /* a string, raw or not, or a character */
    TNI_MARK,
    TNI_DIRECTIVE, /* of the preprocessor, from its # to the end of its line */
    TNI_COMMENT    /* one without an end; others are left out, as blanks are */
} tni_token_kind;

typedef struct tni_token {
    const char *text;
    int length;
    tni_token_kind kind;
    bool is_open; /* a quote or comment without an end */
    int match;    /* in a list: the token of the other bracket; -1 */
    int local;    /* a number that the reader of a list gives its words; -1 */
} tni_token;

/* --- One after the other --- */

typedef struct tni_token_reader {
    const char *at, *end;
    bool is_line_start;
} tni_token_reader;

tni_token_reader tni_token_reader_of(const char *text, size_t length);

/* False: there are no more. */
bool tni_token_next(tni_token *token, tni_token_reader *reader);

/* Has the reader go through the directive that it read last, instead of past it. */
void tni_token_enter(tni_token_reader *reader, const tni_token *directive);

/* Whether it is a directive of that name; `rest` reads what stands after the name. */
bool tni_token_directs(const tni_token *token, const char *name, tni_token_reader *rest);

/* --- A list --- */

typedef struct tni_tokens {
    tni_token *list;
    int count, capacity;
} tni_tokens;

/* False: there is no memory, a bracket has no other, or a comment has no end. */
bool tni_tokens_read(tni_tokens *tokens, const char *text, size_t length);
void tni_tokens_deinit(tni_tokens *tokens);

/* --- What a token says --- */

const char *tni_token_end(const tni_token *token);
bool tni_token_is(const tni_token *token, const char *text);
bool tni_token_is_one_of(const tni_token *token, const char *const *texts); /* up to a NULL */
bool tni_token_equals(const tni_token *a, const tni_token *b);
bool tni_token_begins(const tni_token *token, const char *text);

/* Whether the mark changes what stands before or after it. */
bool tni_token_assigns(const tni_token *token);

#endif
