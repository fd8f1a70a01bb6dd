/* A test double of cuDNN, which computes nothing: each call is a line of the file FAKE_CUDNN_LOG,
 * the name and the arguments as they arrived. Results are numbers that begin at 101, descriptors
 * and handles are addresses, of which fake_cudnn_living() counts those that were not ended. On the
 * stream of a handle of its own a call leaves a host function, so that captures see it. What cuDNN
 * 9 refused on an H100 is refused. FAKE_CUDNN_FAILS names a function that fails, with the status
 * FAKE_CUDNN_STATUS (5000). */
#include "fake_cudnn.h"

#include "fake_cuda.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN(name, params, args) CUresult name params;
#include "backend/cuda/driver/driver.fn"

enum { BAD_PARAM = 2000, NOT_SUPPORTED = 3000, EXECUTION_FAILED = 5000 };
enum { LIVING = 4096, FIRST_RESULT = 101, AXES_MAX = 8, DOUBLE = 1, HALF = 2, PERSISTENT = 2 };
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
    int number, is_nhwc, axes, sizes[AXES_MAX]; /* of a tensor or filter that was set */
    int ops;                                    /* of a pack */
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
#ifndef FAKE_CUDNN_WITHOUT_GRAPHS
    count += fake_cudnn_graph_living();
#endif
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

/* --- What cuDNN refuses --- */

static bool begins(const char *name, const char *with) {
    return !strncmp(name, with, strlen(with));
}

static int put(thing *t, int number, int is_nhwc, int axes, const int *sizes) {
    const int least = strcmp(t->kind, "FilterDescriptor") ? 2 : 3;
    if (is_nhwc < 0 || is_nhwc > 1 || axes < least) return BAD_PARAM;
    if (axes > AXES_MAX) return NOT_SUPPORTED;
    for (int k = 0; k < axes; k++)
        if (sizes[k] <= 0) return BAD_PARAM;
    t->number = number, t->is_nhwc = is_nhwc, t->axes = axes;
    memcpy(t->sizes, sizes, sizeof *sizes * (size_t)axes);
    return 0;
}

/* Notes what a descriptor is set to. */
static int describe(const char *name, const value *v) {
    thing *t = find(v[0].address);
    int words[9] = {0};
    if (!t || !(begins(name, "cudnnSetTensor") || begins(name, "cudnnSetFilter"))) return 0;
    if (strstr(name, "Nd")) {
        const bool is_tensor = begins(name, "cudnnSetTensor");
        const int axes = (int)v[is_tensor ? 2 : 3].number, *sizes = v[is_tensor ? 3 : 4].address;
        const int *steps = is_tensor ? v[4].address : NULL;
        const int is_nhwc =
            is_tensor ? axes > 1 && steps[1] == 1 && sizes[1] > 1 : (int)v[2].number;
        return put(t, (int)v[1].number, is_nhwc, axes, sizes);
    }
    if (!strstr(name, "4d")) return 0;
    for (int k = 0; k < (strstr(name, "Ex") ? 9 : 6); k++)
        words[k] = (int)v[k + 1].number;
    if (strstr(name, "Ex")) return put(t, words[0], words[6] == 1 && words[2] > 1, 4, words + 1);
    return begins(name, "cudnnSetFilter") ? put(t, words[0], words[1], 4, words + 2)
                                          : put(t, words[1], words[0], 4, words + 2);
}

/* The labels of a pack of variants are bits, and what they are for numbers. */
static int check_label(const thing *pack, int label, bool is_get) {
    static const unsigned pointers[] = {0x3af, 0x257, 0xff86, 0xce06, 0x7022b, 0xf0227, 0xf83e41};
    static const int numbers[] = {1, 1, 15, 9, 1, 1, 9};
    if (pack->ops < 0 || pack->ops > 6 || (is_get && pack->ops == 3)) return BAD_PARAM;
    const bool is_there = label < 100 ? (pointers[pack->ops] >> (unsigned)label) & 1
                                      : label < 104 && (numbers[pack->ops] >> (label - 100)) & 1;
    return is_there ? 0 : BAD_PARAM;
}

/* Whether no algorithm of a convolution fits the descriptors of a call. */
static bool lacks_convolution(const char *name, const value *v, int count) {
    bool maps_last = false, filters_last = false, lacks = false, is_double = false;
    for (int k = 1; k < count; k++) {
        const thing *t = v[k].kind == ADDRESS ? find(v[k].address) : NULL;
        if (!t || !t->axes) continue;
        const bool is_filter = !strcmp(t->kind, "FilterDescriptor");
        (*(is_filter ? &filters_last : &maps_last)) |= t->is_nhwc;
        lacks |= t->axes < 4;
        is_double |= t->number == DOUBLE;
    }
    const bool is_forward = strstr(name, "Forward") != NULL;
    return lacks || (is_double && (filters_last || maps_last) && !(is_forward && maps_last));
}

static int refuse(const char *name, const value *v, int count) {
    const thing *first = find(v[0].address);
    if (strstr(name, "VariantParamPackAttribute") && first)
        return check_label(first, (int)v[1].number, begins(name, "cudnnGet"));
    if (begins(name, "cudnnPooling")) {
        const thing *x = find(v[3].address);
        return x && x->axes < 4 ? NOT_SUPPORTED : 0;
    }
    if (begins(name, "cudnnConvolution") && !strstr(name, "Bias"))
        return lacks_convolution(name, v, count) ? NOT_SUPPORTED : 0;
    if (begins(name, "cudnnBatchNormalization") && strstr(name, "Ex") && v[2].number) {
        const thing *x = find(v[strstr(name, "Back") ? 7 : 5].address);
        const bool fits = x && v[1].number == PERSISTENT && x->number == HALF && x->is_nhwc;
        return x && !fits ? NOT_SUPPORTED : 0;
    }
    if (!strcmp(name, "cudnnReduceTensor")) {
        const thing *a = find(v[7].address), *c = find(v[10].address);
        return a && c && !memcmp(a->sizes, c->sizes, sizeof a->sizes) ? BAD_PARAM : 0;
    }
    return describe(name, v);
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
            ((thing *)(*(void **)at = make(name + strlen("cudnnCreate"))))->ops =
                count > 1 ? (int)values[1].number : 0;
        else if (values[k].kind == PERF_OUT)
            *(perf *)at = lacks_convolution(name, values, count)
                              ? (perf){ALGORITHM, NOT_SUPPORTED, -1, 0, 1, 0, {0}}
                              : (perf){ALGORITHM, 0, 0.5F, WORKSPACE, 1, MATH, {0}};
    }
}
static void pass(void *nothing) {
    (void)nothing;
}

void fake_cudnn_note(const char *line) {
    log_call(line, NULL, 0);
}
int fake_cudnn_failing(const char *name, int number) {
    const char *fails = getenv("FAKE_CUDNN_FAILS"), *status = getenv("FAKE_CUDNN_STATUS");
    char numbered[96];
    snprintf(numbered, sizeof numbered, "%s:%d", name, number);
    if (!fails || (strcmp(fails, name) != 0 && strcmp(fails, numbered) != 0)) return 0;
    return status ? (int)strtol(status, NULL, 10) : EXECUTION_FAILED;
}
bool fake_cudnn_is_handle(const void *handle) {
    const thing *t = find(handle);
    return t && !*t->kind;
}
int fake_cudnn_queue(void *handle) {
    return cuLaunchHostFunc(find(handle)->stream, pass, NULL) == CUDA_SUCCESS ? 0
                                                                              : EXECUTION_FAILED;
}

static int record(const char *name, const value *values, int count) {
    const int failing = fake_cudnn_failing(name, -1);
    log_call(name, values, count);
    if (failing) return failing;
    const int refused = begins(name, "cudnnDestroy") ? 0 : refuse(name, values, count);
    if (refused) return refused;
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
        return fake_cudnn_queue(handle);
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
#ifdef FAKE_CUDNN_WITHOUT_GRAPHS
/* What tells version 8 and newer ones from those before. */
FAKE_API int cudnnBackendExecute(void *handle, void *plan, void *pack);
int cudnnBackendExecute(void *handle, void *plan, void *pack) {
    (void)handle, (void)plan, (void)pack;
    return BAD_PARAM;
}
#endif
