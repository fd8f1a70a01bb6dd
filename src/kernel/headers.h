/* The headers that programs include, and the texts that the build embeds of text/, and of src/ops
 * what these include: what programs of both backends may include. */
#ifndef TNI_KERNEL_HEADERS_H
#define TNI_KERNEL_HEADERS_H

#include "kernel/text.h"
#include "kernel/tokens.h"

extern const tni_text tni_user_texts[];
extern const size_t tni_user_text_count;

/* One by its name; NULL: there is none. */
const tni_text *tni_user_text_find(const char *name);

/* What stands before a program in which the words of cuComplex.h mean complex<T>. */
extern const char tni_user_translation[];

/* --- Headers --- */

typedef enum {
    TNI_HEADER_SHARED,
    TNI_HEADER_HOSTED,
    TNI_HEADER_BUILT_IN,
    TNI_HEADER_STD,
    TNI_HEADER_TYPES,
    TNI_HEADER_DEVICE,
    TNI_HEADER_ABSENT
} tni_header_kind;

/* A row of headers.def; the text of STD is the name of the compiler's own header. */
typedef struct tni_header {
    tni_header_kind kind;
    const char *name, *text;
} tni_header;

extern const tni_header tni_headers[];
extern const size_t tni_header_count;

/* The text that both backends give for a header; NULL: there is none such. */
const tni_text *tni_header_shared(const tni_header *header);

/* Whether the host has no text in place of a header: a folder or its compiler may have a file.
 * NULL: one that is not in the list. */
bool tni_header_is_other(const tni_header *header);

/* --- What a program includes --- */

typedef struct tni_include {
    const char *name; /* not ended by a NUL */
    int length;
    bool is_quoted;
    const tni_header *header; /* NULL: it is not in the list */
} tni_include;

/* The name that a directive includes; false: it is no #include of a name. */
bool tni_include_read(tni_include *result, const tni_token *directive);

/* The next one that a text has. */
bool tni_include_next(tni_include *result, tni_token_reader *reader);

/* Whether a program includes texts of ours that are not for programs of others. */
bool tni_includes_device(const char *code, size_t length);

#endif
