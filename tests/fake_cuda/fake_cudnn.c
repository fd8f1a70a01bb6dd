/* A test double of cuDNN, which computes nothing: each call is a line of the file FAKE_CUDNN_LOG,
 * the name and the arguments as they arrived. Results are numbers that begin at 101, descriptors
 * and handles are addresses, of which fake_cudnn_living() counts those that were not ended. On the
 * stream of a handle of its own a call leaves a host function, so that captures see it.
 * FAKE_CUDNN_FAILS names a function that fails. */
#include "fake_cuda.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN(name, params, args) CUresult name params;
#include "backend/cuda/driver/driver.fn"

enum { BAD_PARAM = 2000, EXECUTION_FAILED = 5000, LIVING = 4096, FIRST_RESULT = 101 };
enum { ALGORITHM = 1, MATH = 3, WORKSPACE = 96 };

typedef struct perf {
    int algo, status;
    float time;
    size_t memory;
    int determinism, math, reserved[3];
} perf;

/* --- What lives --- */

typedef struct thing {
    char kind[48];
    void *stream;
} thing;
static thing *living[LIVING];

static thing *find(const void *address) {
    for (int k = 0; k < LIVING; k++)
        if (address && living[k] == address) return living[k];
    return NULL;
}
static void *make(const char *kind) {
    thing *made = calloc(1, sizeof *made);
    snprintf(made->kind, sizeof made->kind, "%s", kind);
    for (int k = 0; k < LIVING; k++)
        if (!living[k]) return living[k] = made;
    abort();
}
static int end(const void *address, const char *kind) {
    for (int k = 0; k < LIVING; k++)
        if (address && living[k] == address && !strcmp(living[k]->kind, kind)) {
            free(living[k]);
            living[k] = NULL;
            return 0;
        }
    return BAD_PARAM;
}

FAKE_API int fake_cudnn_living(void);
int fake_cudnn_living(void) {
    int count = 0;
    for (int k = 0; k < LIVING; k++)
        count += living[k] != NULL;
    return count;
}

/* --- Arguments --- */

typedef enum kind { INT, SIZE, REAL, ADDRESS, INT_OUT, SIZE_OUT, ADDRESS_OUT, PERF_OUT } kind;
typedef struct value {
    kind kind;
    union {
        long long number;
        double real;
        const void *address;
    };
} value;
static value of_int(int number) {
    return (value){INT, {.number = number}};
}
static value of_size(size_t number) {
    return (value){SIZE, {.number = (long long)number}};
}
static value of_real(double real) {
    return (value){REAL, {.real = real}};
}
static value of_address(const void *address) {
    return (value){ADDRESS, {.address = address}};
}
static value of_int_out(int *address) {
    return (value){INT_OUT, {.address = address}};
}
static value of_size_out(size_t *address) {
    return (value){SIZE_OUT, {.address = address}};
}
static value of_address_out(void **address) {
    return (value){ADDRESS_OUT, {.address = address}};
}
static value of_perf_out(perf *address) {
    return (value){PERF_OUT, {.address = address}};
}
#define VALUE(x)                                                                                   \
    _Generic((x),                                                                                  \
        int: of_int,                                                                               \
        size_t: of_size,                                                                           \
        double: of_real,                                                                           \
        int *: of_int_out,                                                                         \
        size_t *: of_size_out,                                                                     \
        void **: of_address_out,                                                                   \
        perf *: of_perf_out,                                                                       \
        default: of_address)(x)
#define E1(x) VALUE(x)
#define E2(x, ...) VALUE(x), E1(__VA_ARGS__)
#define E3(x, ...) VALUE(x), E2(__VA_ARGS__)
#define E4(x, ...) VALUE(x), E3(__VA_ARGS__)
#define E5(x, ...) VALUE(x), E4(__VA_ARGS__)
#define E6(x, ...) VALUE(x), E5(__VA_ARGS__)
#define E7(x, ...) VALUE(x), E6(__VA_ARGS__)
#define E8(x, ...) VALUE(x), E7(__VA_ARGS__)
#define E9(x, ...) VALUE(x), E8(__VA_ARGS__)
#define E10(x, ...) VALUE(x), E9(__VA_ARGS__)
#define E11(x, ...) VALUE(x), E10(__VA_ARGS__)
#define E12(x, ...) VALUE(x), E11(__VA_ARGS__)
#define E13(x, ...) VALUE(x), E12(__VA_ARGS__)
#define E14(x, ...) VALUE(x), E13(__VA_ARGS__)
#define E17(a, b, c, ...) VALUE(a), VALUE(b), VALUE(c), E14(__VA_ARGS__)
#define E19(a, b, ...) VALUE(a), VALUE(b), E17(__VA_ARGS__)
#define E25(a, b, c, d, e, f, ...)                                                                 \
    VALUE(a), VALUE(b), VALUE(c), VALUE(d), VALUE(e), VALUE(f), E19(__VA_ARGS__)
#define E30(a, b, c, d, e, ...) E5(a, b, c, d, e), E25(__VA_ARGS__)

static void log_call(const char *name, const value *values, int count) {
    const char *path = getenv("FAKE_CUDNN_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fputs(name, file);
    for (int k = 0; k < count; k++)
        if (values[k].kind == REAL)
            fprintf(file, " %.17g", values[k].real);
        else if (values[k].kind == ADDRESS)
            fprintf(file, " %llu", (unsigned long long)(uintptr_t)values[k].address);
        else if (values[k].kind == INT || values[k].kind == SIZE)
            fprintf(file, " %lld", values[k].number);
        else
            fputs(" >", file);
    fputc('\n', file);
    fclose(file);
}

/* Fills the results of a call. */
static void answer(const char *name, const value *values, int count) {
    int next = FIRST_RESULT;
    for (int k = 0; k < count; k++) {
        void *at = (void *)(uintptr_t)values[k].address;
        if (values[k].kind == INT_OUT)
            *(int *)at = k + 1 < count && values[k + 1].kind == PERF_OUT ? 1 : next++;
        else if (values[k].kind == SIZE_OUT)
            *(size_t *)at = (size_t)next++;
        else if (values[k].kind == ADDRESS_OUT)
            *(void **)at = make(name + strlen("cudnnCreate"));
        else if (values[k].kind == PERF_OUT)
            *(perf *)at = (perf){ALGORITHM, 0, 0.5F, WORKSPACE, 1, MATH, {0}};
    }
}
static void pass(void *nothing) {
    (void)nothing;
}
static bool begins(const char *name, const char *with) {
    return !strncmp(name, with, strlen(with));
}

static int record(const char *name, const value *values, int count) {
    const char *fails = getenv("FAKE_CUDNN_FAILS");
    log_call(name, values, count);
    if (fails && !strcmp(fails, name)) return EXECUTION_FAILED;
    if (begins(name, "cudnnDestroy"))
        return end(values[0].address, name + strlen("cudnnDestroy")) && find(values[0].address)
                   ? BAD_PARAM
                   : 0;
    if (strcmp(name, "cudnnGetStream")) answer(name, values, count);
    thing *handle = values[0].kind == ADDRESS ? find(values[0].address) : NULL;
    if (!handle || *handle->kind) return 0;
    if (!strcmp(name, "cudnnSetStream"))
        handle->stream = (void *)(uintptr_t)values[1].address;
    else if (!strcmp(name, "cudnnGetStream"))
        *(void **)(uintptr_t)values[1].address = handle->stream;
    else if (!begins(name, "cudnnGet") && !begins(name, "cudnnFind"))
        return cuLaunchHostFunc(handle->stream, pass, NULL) == CUDA_SUCCESS ? 0 : EXECUTION_FAILED;
    return 0;
}

#define COUNT(...)                                                                                 \
    PICK(__VA_ARGS__, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12,  \
         11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B,   \
             C, D, count, ...)                                                                     \
    count
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define VALUES(...) JOIN(E, COUNT(__VA_ARGS__))(__VA_ARGS__)
#define FN(name, params, args)                                                                     \
    FAKE_API int name params;                                                                      \
    int name params {                                                                              \
        const value values[] = {VALUES args};                                                      \
        return record(#name, values, (int)(sizeof values / sizeof *values));                       \
    }
#include "fake_cudnn.fn"

/* --- Without a status, or a stream as a result --- */

FAKE_API size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void) {
    return 91900;
}
/* What tells version 8 and newer ones from those before. */
FAKE_API int cudnnBackendExecute(void *handle, void *plan, void *pack);
int cudnnBackendExecute(void *handle, void *plan, void *pack) {
    (void)handle, (void)plan, (void)pack;
    return BAD_PARAM;
}
