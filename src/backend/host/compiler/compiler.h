/* The system's C++ compiler. */
#ifndef TNI_HOST_COMPILER_COMPILER_H
#define TNI_HOST_COMPILER_COMPILER_H

#include "core/base/error.h"
#include "kernel/source.h"

enum { TNI_COMPILER_PATH = 1024, TNI_COMPILER_WORDS = 2 };

typedef struct tni_compiler {
    char path[TNI_COMPILER_PATH];
    const char *subcommand;    /* "c++" of zig; NULL: none */
    int64_t bytes, changed_ns; /* of its file, which tell versions apart */
    bool is_late;              /* its last run was ended when its time was over */
} tni_compiler;

/* TENORITE_CXX (a path, or a name to look for in PATH), else c++, g++, clang++, else the package
 * ziglang beside this one. TN_ERROR_COMPILE with advice if there is none. */
tn_status tni_compiler_find(tni_compiler *compiler);

/* Under what name a text includes the file numbered so. */
#define TNI_COMPILER_INCLUDED "included-%d.h"

/* Compiles a text, and the files that it includes, into a shared object in memory (of
 * tni_malloc()). `log` gets what the compiler said, NULL: nothing; also on failure
 * (TN_ERROR_COMPILE, with its first words). */
tn_status tni_compiler_run(char **image, size_t *bytes, char **log, tni_compiler *compiler,
                           const tni_source *text, int file_count, const tni_source *files,
                           int option_count, const char *const *options);

#endif
