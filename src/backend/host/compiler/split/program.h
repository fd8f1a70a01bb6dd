/* The functions and macros of a program. */
#ifndef TNI_HOST_COMPILER_SPLIT_PROGRAM_H
#define TNI_HOST_COMPILER_SPLIT_PROGRAM_H

#include "backend/host/compiler/split/kernel.h"

/* False: the program can't be judged, or there is no memory. */
bool tni_split_program_read(tni_split_program *program, const char *text, size_t length,
                            const char *macros);
void tni_split_program_deinit(tni_split_program *program);
const tni_macro *tni_split_macro_find(const tni_split_program *program, const tni_token *name);
const tni_function *tni_split_function_find(const tni_split_program *program,
                                            const tni_token *name);
/* A word that the program's outer text has, not as a function. `constant`: and never changes. */
bool tni_split_is_global(const tni_split_program *program, const tni_token *name, bool constant);
/* Whether it makes threads wait for each other, or may. */
bool tni_split_meets(const tni_split_program *program, const tni_token *word);

#endif
