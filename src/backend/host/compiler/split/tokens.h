/* The words and marks of a text in C++. */
#ifndef TNI_HOST_COMPILER_TOKENS_H
#define TNI_HOST_COMPILER_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { TNI_WORD, TNI_NUMBER, TNI_QUOTE, TNI_MARK, TNI_DIRECTIVE } tni_token_kind;

typedef struct tni_token {
    const char *text;
    int length;
    tni_token_kind kind;
    int match; /* the token of the other bracket; -1 */
    int local; /* the variable of a kernel that a word names; -1 */
} tni_token;

typedef struct tni_tokens {
    tni_token *list;
    int count, capacity;
} tni_tokens;

/* False: there is no memory, or a bracket has no other. */
bool tni_tokens_read(tni_tokens *tokens, const char *text, size_t length);
void tni_tokens_deinit(tni_tokens *tokens);

bool tni_token_is(const tni_token *token, const char *text);
bool tni_token_is_one_of(const tni_token *token, const char *const *texts);
bool tni_token_equals(const tni_token *a, const tni_token *b);
bool tni_token_begins(const tni_token *token, const char *text);

/* Whether the mark changes what stands before or behind it. */
bool tni_token_assigns(const tni_token *token);

#endif
