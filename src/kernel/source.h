/* The text of a program for NVRTC, as it is put together. */
#ifndef TNI_CUDA_SOURCE_H
#define TNI_CUDA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero is an empty text. When memory is out the text is marked and stays as it was; its user checks
 * the mark once, at the end. */
typedef struct tni_source {
    char *text; /* NUL-terminated; NULL when empty */
    size_t length, capacity;
    bool has_failed;
    char name[192];          /* of the kernel that is wanted: an extern "C" function */
    unsigned dtypes;         /* a bit for each that bodies work on (body.c) */
    struct tni_source *ends; /* NULL, or what undefines the macros of tni_source_define() */
} tni_source;

void tni_source_add(tni_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tni_source_add_bytes(tni_source *source, const char *text, size_t length);
/* A macro: its name, and after it the formatted text, which begins with a space or parameters. */
void tni_source_define(tni_source *source, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tni_source_set_name(tni_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tni_source_deinit(tni_source *source);

#endif
