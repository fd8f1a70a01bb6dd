/* Options of NVRTC on the host. The texts that they stand for are constants, or the program's own.
 */
#include "backend/host/compiler/options.h"

#include <string.h>

/* Short loops around an element are laid out (the last two), since a loop over elements becomes
 * vectors only where it has no other loop in it. */
static const char *const ours[] = {"-std=gnu++17",
                                   "-O3",
#if defined(__aarch64__)
                                   "-mcpu=native",
#else
                                   "-march=native",
#endif
                                   "-fPIC",
                                   "-shared",
                                   "-fno-semantic-interposition",
                                   "-Wl,-Bsymbolic",
                                   "-fno-math-errno",
                                   "-fno-trapping-math",
                                   "-fno-exceptions",
                                   "-fno-rtti",
                                   "-fstack-clash-protection",
                                   "-ffp-contract=fast",
                                   "-w",
                                   "--param=max-completely-peel-times=32",
                                   "--param=max-completely-peeled-insns=1200"};

/* Calls before each access of memory, and where an array of known size is indexed, but not the
 * sanitizers' libraries: device/check.cuh has the functions. */
static const char *const checking[] = {"-DTNI_CHECK=1", "-O1", "-fsanitize=thread",
                                       "-fsanitize=bounds", "-nodefaultlibs"};

/* Beginnings of options whose value stands after them or in the next word. */
static const struct {
    const char *option;
    char is; /* D, U: a macro; I: a folder */
} valued[] = {{"--define-macro=", 'D'},
              {"--undefine-macro=", 'U'},
              {"--include-path=", 'I'},
              {"-D", 'D'},
              {"-U", 'U'},
              {"-I", 'I'}};

static const struct {
    const char *option, *meaning;
} known[] = {
    {"--use_fast_math", "-ffast-math"},
    {"-use_fast_math", "-ffast-math"},
    {"--fmad=false", "-ffp-contract=off"},
    {"-fmad=false", "-ffp-contract=off"},
    {"--fmad=true", NULL},
    {"-fmad=true", NULL},
    {"-std=c++20", "-std=gnu++20"},
    {"--std=c++20", "-std=gnu++20"},
    {"-std=c++11", NULL},
    {"--std=c++11", NULL},
    {"-std=c++14", NULL},
    {"--std=c++14", NULL},
    {"-std=c++17", NULL},
    {"--std=c++17", NULL},
    {"-std=c++03", NULL},
    {"--std=c++03", NULL},
    {"-O0", "-O0"},
    {"-O1", "-O1"},
    {"-O2", "-O2"},
    {"-O3", NULL},
    {"-w", NULL},
    {"-G", "-g"},
    {"--device-debug", "-g"},
    {"-g", "-g"},
};

/* Beginnings of options that only a GPU's compiler gives a meaning. */
static const char *const left_out[] = {"-arch",
                                       "--gpu-architecture",
                                       "--generate-line-info",
                                       "-lineinfo",
                                       "-rdc",
                                       "--relocatable-device-code",
                                       "-dc",
                                       "--device-c",
                                       "--maxrregcount",
                                       "-maxrregcount",
                                       "-default-device",
                                       "--device-as-default-execution-space",
                                       "--extra-device-vectorization",
                                       "--ftz",
                                       "-ftz",
                                       "--prec-div",
                                       "-prec-div",
                                       "--prec-sqrt",
                                       "-prec-sqrt",
                                       "--device-int128",
                                       "--restrict",
                                       "-Xptxas",
                                       "--ptxas-options",
                                       "--minimal",
                                       "--no-cache",
                                       "--diag-",
                                       "--disable-warnings",
                                       "-diag-",
                                       "--no-source-include",
                                       "--dopt",
                                       "-dopt",
                                       "--jit",
                                       "--pch",
                                       "--split-compile"};

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool add(tni_host_options *options, const char *option) {
    if (options->count == TNI_HOST_OPTIONS_MAX) return false;
    options->list[options->count++] = option;
    return true;
}

static bool add_valued(tni_host_options *options, tni_source *macros, char is, const char *value) {
    const char *equals = strchr(value, '=');
    int length = equals ? (int)(equals - value) : (int)strlen(value);
    if (is == 'I') return add(options, "-I") && add(options, value);
    if (is == 'U')
        tni_source_add(macros, "#undef %s\n", value);
    else
        tni_source_add(macros, "#define %.*s %s\n", length, value, equals ? equals + 1 : "1");
    return true;
}

/* *skipped: words that the option takes with it beside itself. */
static bool read_one(tni_host_options *options, tni_source *macros, const char *option,
                     const char *next, int *skipped) {
    for (size_t k = 0; k < sizeof valued / sizeof *valued; k++) {
        size_t length = strlen(valued[k].option);
        if (!begins(option, valued[k].option)) continue;
        *skipped = option[length] == '\0' && next;
        return add_valued(options, macros, valued[k].is, *skipped ? next : option + length);
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(option, known[k].option) == 0)
            return !known[k].meaning || add(options, known[k].meaning);
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
        if (begins(option, left_out[k])) return true;
    return false;
}

tn_status tni_host_options_read(tni_host_options *options, tni_source *macros,
                                const tni_program_text *text) {
    options->count = 0;
    options->is_checked = false;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        add(options, ours[k]);
    for (int k = 0; k < text->option_count; k++) {
        int skipped = 0;
        const char *next = k + 1 < text->option_count ? text->options[k + 1] : NULL;
        if (!read_one(options, macros, text->options[k], next, &skipped))
            TNI_FAIL(TN_ERROR_COMPILE, "the option %.200s has no meaning on the host",
                     text->options[k]);
        k += skipped;
    }
    return TN_OK;
}

void tni_host_options_check(tni_host_options *options) {
    options->is_checked = true;
    for (size_t k = 0; k < sizeof checking / sizeof *checking; k++)
        add(options, checking[k]);
}
