/* A test double of NVRTC: fast, and it counts. Its image names the kernels of the program's text,
 * each an extern "C" __global__ function; a comment after one gives the bytes of its parameters:
 *
 *     extern "C" __global__ void scale(float *x, int n) {} // params 8 4
 *
 * or, since nothing is included, a name that is defined for a form's text (`#define KERNEL name`).
 * A program with the word #error does not compile. Each compilation takes the milliseconds that
 * FAKE_NVRTC_MS says (below 1000). Programs that have the text FAKE_NVRTC_REFUSED do not compile.
 * Options that FAKE_NVRTC_UNKNOWN lists are unknown. The texts of forms are added to the file that
 * FAKE_NVRTC_RECORD names, each after a line with its kernel. */
#include "backend/cuda/driver/driver_types.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAKE_API __attribute__((visibility("default")))

struct _nvrtcProgram {
    char *text, *image;
    const char *log;
};

#define FN(result, name, params) FAKE_API result name params;
#include "backend/cuda/driver/nvrtc.fn"

static atomic_long compilations;
static atomic_int running, running_most;

FAKE_API long fake_nvrtc_compilations(void);
FAKE_API int fake_nvrtc_running(void);
FAKE_API int fake_nvrtc_most_at_once(void);

long fake_nvrtc_compilations(void) {
    return atomic_load(&compilations);
}
int fake_nvrtc_running(void) {
    return atomic_load(&running);
}
int fake_nvrtc_most_at_once(void) {
    return atomic_load(&running_most);
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return 0;
}

const char *nvrtcGetErrorString(nvrtcResult error) {
    return error ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
    *count = 3;
    return 0;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs) {
    archs[0] = 75;
    archs[1] = 80;
    archs[2] = 90;
    return 0;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name,
                               int header_count, const char *const *headers,
                               const char *const *header_names) {
    (void)name, (void)header_count, (void)headers, (void)header_names;
    *program = calloc(1, sizeof **program);
    (*program)->text = strdup(text);
    (*program)->log = "";
    return 0;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
    free((*program)->text);
    free((*program)->image);
    free(*program);
    *program = NULL;
    return 0;
}

/* Whether the image has a kernel of this name. */
static bool has_kernel(const char *image, const char *name) {
    size_t length = strlen(name);
    for (const char *line = image; (line = strchr(line, '\n'));)
        if (strncmp(++line, name, length) == 0 && (line[length] == ' ' || line[length] == '\n'))
            return true;
    return false;
}

/* False: the kernel is defined twice. */
static bool add_kernel(char *image, const char *declaration) {
    static const char mark[] = "// params ";
    char name[192];
    const char *params = strstr(declaration, mark), *end = strchr(declaration, '\n');
    if (sscanf(declaration, "__global__ void %191[A-Za-z0-9_]", name) != 1) return true;
    if (has_kernel(image, name)) return false;
    sprintf(image + strlen(image), "%s", name);
    if (params && (!end || params < end)) {
        params += sizeof mark - 1;
        sprintf(image + strlen(image), " %.*s", (int)strcspn(params, "\n"), params);
    }
    strcat(image, "\n");
    return true;
}

static bool add_form(char *image, const char *definition) {
    char name[192];
    if (sscanf(definition, "#define KERNEL %191[A-Za-z0-9_]", name) != 1) return true;
    if (has_kernel(image, name)) return false;
    sprintf(image + strlen(image), "%s\n", name);
    return true;
}

static void record(const char *text) {
    char name[192];
    const char *path = getenv("FAKE_NVRTC_RECORD"), *definition = strstr(text, "#define KERNEL ");
    FILE *file = path && definition ? fopen(path, "a") : NULL;
    if (!file) return;
    sscanf(definition, "#define KERNEL %191s", name);
    fprintf(file, "// kernel %s\n%s", name, text);
    fclose(file);
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                const char *const *options) {
    const char *wish = getenv("FAKE_NVRTC_MS"), *unknown = getenv("FAKE_NVRTC_UNKNOWN");
    for (int k = 0; unknown && k < option_count; k++)
        if (strstr(unknown, options[k])) return NVRTC_ERROR_INVALID_OPTION;
    atomic_fetch_add(&compilations, 1);
    int now = atomic_fetch_add(&running, 1) + 1, most = atomic_load(&running_most);
    while (now > most && !atomic_compare_exchange_weak(&running_most, &most, now))
        continue;
    const long ms = wish ? atol(wish) : 0;
    if (ms) nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    atomic_fetch_sub(&running, 1);
    if (strstr(program->text, "#error")) {
        program->log = "program(1): error: #error directive\n";
        return 6;
    }
    const char *refused = getenv("FAKE_NVRTC_REFUSED");
    if (refused && strstr(program->text, refused)) {
        program->log = "program(1): error: refused\n";
        return 6;
    }
    record(program->text);
    program->image = calloc(1, strlen(program->text) + 64);
    strcpy(program->image, "FAKE\n");
    bool good = true;
    for (const char *at = program->text; (at = strstr(at, "__global__ void ")); at++)
        good = good && add_kernel(program->image, at);
    for (const char *at = program->text; (at = strstr(at, "#define KERNEL ")); at++)
        good = good && add_form(program->image, at);
    if (good) return 0;
    program->log = "program(1): error: a kernel has already been defined\n";
    return 6;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) {
    *bytes = strlen(program->image) + 1;
    return 0;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image) {
    strcpy(image, program->image);
    return 0;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes) {
    return nvrtcGetCUBINSize(program, bytes);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *image) {
    return nvrtcGetCUBIN(program, image);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) {
    *bytes = strlen(program->log) + 1;
    return 0;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
    strcpy(log, program->log);
    return 0;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression) {
    (void)program, (void)expression;
    return 0;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name) {
    (void)program;
    *name = expression;
    return 0;
}
