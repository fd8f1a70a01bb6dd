/* Programs of forms: device text with a hole, found by a key.
 *
 * A kernel's text names the macros that its program defines (step.h). A key holds the form, the
 * macros' values and the dtypes that the body needs; equal keys are one kernel. */
#ifndef TNI_CUDA_FORMS_PROGRAM_H
#define TNI_CUDA_FORMS_PROGRAM_H

#include "kernel/body.h"

#include <stdint.h>

enum { TNI_FORM_MACROS = 16, TNI_FORM_EXTRA = 96 };

/* Made by tni_plan_step(), which zeroes what it does not set. */
typedef struct tni_form_key {
    const struct tni_form *form;
    int16_t op; /* -1: none */
    int8_t dtypes[4];
    int16_t macros[TNI_FORM_MACROS]; /* values, in the kernel's order */
    unsigned char extra[TNI_FORM_EXTRA];
} tni_form_key;

typedef struct tni_form {
    const char *file;                    /* "take": take.cu, and in the kernel's name */
    const char *header;                  /* that the kernel needs beside scalar.h, or NULL */
    const char *macros[TNI_FORM_MACROS]; /* NULL: no more */
    /* Writes the body, macros by tni_source_define(); NULL: there is none. */
    void (*write)(tni_source *source, const tni_form_key *key);
    const char *writer; /* its name, which tells forms of one kernel apart */
} tni_form;

/* A body of which the key has only a digest: its writer, and what that reads, which stays until the
 * program is written. */
typedef struct tni_form_body {
    void (*write)(tni_source *source, const tni_form_key *key, const void *context); /* or NULL */
    const void *context;
} tni_form_body;

typedef struct tni_program {
    const tni_form_key *key;
    tni_form_body body;
} tni_program;
/* Writes the text of the tni_program that `context` points to: a tni_cuda_writer. */
void tni_program_write(tni_source *source, const void *context);

#endif
