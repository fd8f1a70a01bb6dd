/* A test double of cuTENSOR, which computes: descriptors, operations and plans as the library has
 * them, and each operation by loops over all labels, in double, on the memory of the driver's
 * double. It refuses what the library refuses of these: unknown numbers, labels that do not fit,
 * addresses that are less aligned than was said, too little workspace. FAKE_CUTENSOR_FAILS names a
 * function that fails. */
#include "fake_cuda.h"

#include <complex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FN(name, params, args) CUresult name params;
#include "backend/cuda/driver/driver.fn"

enum { RANK = 16, LABELS = 64, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { EXECUTION_FAILED = 13, INSUFFICIENT_WORKSPACE = 19 };
enum { IDENTITY = 1, ADD = 3, MUL = 5, MAX = 6, MIN = 7, CONJ = 9 };
enum { TENSOR = 0x7e5, OPERATION, PREFERENCE, PLAN, HANDLE };
enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };
enum { WORKSPACE = 96 }; /* bytes that contractions need */
typedef enum { CONTRACTION, REDUCTION, ELEMENTWISE } operation_kind;

typedef struct tensor {
    int mark;
    uint32_t rank, alignment;
    int type;
    int64_t extent[RANK], stride[RANK];
} tensor;
typedef struct operand {
    tensor shape;
    int32_t modes[RANK];
    int op;
} operand;
typedef struct operation {
    int mark;
    operation_kind kind;
    int count, combine[2], labels;
    operand operands[4]; /* the output last */
    int32_t names[LABELS];
    int64_t sizes[LABELS];
    int64_t steps[4][LABELS];
} operation;

#define COMPUTE(name) FAKE_API const void *const CUTENSOR_COMPUTE_DESC_##name
static const int computes[6];
COMPUTE(16F) = computes;
COMPUTE(16BF) = computes + 1;
COMPUTE(TF32) = computes + 2;
COMPUTE(3XTF32) = computes + 3;
COMPUTE(32F) = computes + 4;
COMPUTE(64F) = computes + 5;

static bool fails(const char *name) {
    const char *which = getenv("FAKE_CUTENSOR_FAILS");
    return which && !strcmp(which, name);
}
static int made(void **result, const void *what, size_t bytes) {
    *result = malloc(bytes);
    memcpy(*result, what, bytes);
    return 0;
}
static int ended(void *what, int mark) {
    if (!what || *(int *)what != mark) return INVALID_VALUE;
    *(int *)what = 0;
    free(what);
    return 0;
}

#define ENDS(name, mark)                                                                           \
    FAKE_API int cutensorDestroy##name(void *what);                                                \
    int cutensorDestroy##name(void *what) {                                                        \
        return ended(what, mark);                                                                  \
    }
ENDS(, HANDLE)
ENDS(TensorDescriptor, TENSOR)
ENDS(OperationDescriptor, OPERATION)
ENDS(PlanPreference, PREFERENCE)
ENDS(Plan, PLAN)

#define FUNCTION(name, ...)                                                                        \
    FAKE_API int name(__VA_ARGS__);                                                                \
    int name(__VA_ARGS__)
FAKE_API size_t cutensorGetVersion(void);
size_t cutensorGetVersion(void) {
    return 20300;
}
FAKE_API size_t cutensorGetCudartVersion(void);
size_t cutensorGetCudartVersion(void) {
    return 13000;
}
FUNCTION(cutensorCreate, void **handle) {
    const int mark = HANDLE;
    return fails("create") ? 3 : made(handle, &mark, sizeof mark);
}
FUNCTION(cutensorCreateTensorDescriptor, void *handle, void **desc, uint32_t rank,
         const int64_t *extent, const int64_t *stride, int type, uint32_t alignment) {
    tensor it = {TENSOR, rank, alignment, type, {0}, {0}};
    if (*(int *)handle != HANDLE || rank > RANK) return INVALID_VALUE;
    if (type != R_32F && type != R_64F && type != C_32F && type != C_64F) return NOT_SUPPORTED;
    int64_t step = 1;
    for (uint32_t k = 0; k < rank; k++) {
        it.extent[k] = extent[k];
        it.stride[k] = stride ? stride[k] : step;
        step *= extent[k];
        if (extent[k] <= 0 || it.stride[k] <= 0) return INVALID_VALUE;
    }
    return made(desc, &it, sizeof it);
}

/* --- Operations --- */

static int find_label(operation *it, int32_t name, int64_t size) {
    for (int k = 0; k < it->labels; k++)
        if (it->names[k] == name) return it->sizes[k] == size ? k : -1;
    it->names[it->labels] = name;
    it->sizes[it->labels] = size;
    return it->labels++;
}
static int add(operation *it, const tensor *shape, const int32_t *modes, int op) {
    operand *one = &it->operands[it->count];
    if (!shape || shape->mark != TENSOR) return INVALID_VALUE;
    if (op != IDENTITY && op != CONJ) return NOT_SUPPORTED;
    one->shape = *shape;
    one->op = op;
    for (uint32_t k = 0; k < shape->rank; k++) {
        const int label = find_label(it, modes[k], shape->extent[k]);
        if (label < 0) return INVALID_VALUE;
        one->modes[k] = modes[k];
        it->steps[it->count][label] += shape->stride[k];
    }
    it->count++;
    return 0;
}
static int finish(operation *it, void **desc, const void *compute) {
    if ((const int *)compute < computes || (const int *)compute >= computes + 6)
        return INVALID_VALUE;
    return fails("operation") ? NOT_SUPPORTED : made(desc, it, sizeof *it);
}
#define ADD_OPERAND(it, shape, modes, op)                                                          \
    do {                                                                                           \
        const int status = add(it, shape, modes, op);                                              \
        if (status) return status;                                                                 \
    } while (0)

FUNCTION(cutensorCreateContraction, void *handle, void **desc, const tensor *a, const int32_t *am,
         int ao, const tensor *b, const int32_t *bm, int bo, const tensor *c, const int32_t *cm,
         int co, const tensor *d, const int32_t *dm, const void *compute) {
    operation it = {.mark = OPERATION, .kind = CONTRACTION};
    (void)handle;
    ADD_OPERAND(&it, a, am, ao);
    ADD_OPERAND(&it, b, bm, bo);
    ADD_OPERAND(&it, c, cm, co);
    ADD_OPERAND(&it, d, dm, IDENTITY);
    return finish(&it, desc, compute);
}
FUNCTION(cutensorCreateReduction, void *handle, void **desc, const tensor *a, const int32_t *am,
         int ao, const tensor *c, const int32_t *cm, int co, const tensor *d, const int32_t *dm,
         int fold, const void *compute) {
    operation it = {.mark = OPERATION, .kind = REDUCTION, .combine = {fold}};
    (void)handle;
    ADD_OPERAND(&it, a, am, ao);
    ADD_OPERAND(&it, c, cm, co);
    ADD_OPERAND(&it, d, dm, IDENTITY);
    return finish(&it, desc, compute);
}
FUNCTION(cutensorCreateElementwiseBinary, void *handle, void **desc, const tensor *a,
         const int32_t *am, int ao, const tensor *c, const int32_t *cm, int co, const tensor *d,
         const int32_t *dm, int ac, const void *compute) {
    operation it = {.mark = OPERATION, .kind = ELEMENTWISE, .combine = {ac}};
    (void)handle;
    ADD_OPERAND(&it, a, am, ao);
    ADD_OPERAND(&it, c, cm, co);
    ADD_OPERAND(&it, d, dm, IDENTITY);
    return finish(&it, desc, compute);
}
FUNCTION(cutensorCreateElementwiseTrinary, void *handle, void **desc, const tensor *a,
         const int32_t *am, int ao, const tensor *b, const int32_t *bm, int bo, const tensor *c,
         const int32_t *cm, int co, const tensor *d, const int32_t *dm, int ab, int abc,
         const void *compute) {
    operation it = {.mark = OPERATION, .kind = ELEMENTWISE, .combine = {ab, abc}};
    (void)handle;
    ADD_OPERAND(&it, a, am, ao);
    ADD_OPERAND(&it, b, bm, bo);
    ADD_OPERAND(&it, c, cm, co);
    ADD_OPERAND(&it, d, dm, IDENTITY);
    return finish(&it, desc, compute);
}
FUNCTION(cutensorCreatePermutation, void *handle, void **desc, const tensor *a, const int32_t *am,
         int ao, const tensor *b, const int32_t *bm, const void *compute) {
    operation it = {.mark = OPERATION, .kind = ELEMENTWISE};
    (void)handle;
    ADD_OPERAND(&it, a, am, ao);
    ADD_OPERAND(&it, b, bm, IDENTITY);
    return finish(&it, desc, compute);
}
FUNCTION(cutensorOperationDescriptorGetAttribute, void *handle, const operation *desc, int which,
         int32_t *value, size_t bytes) {
    (void)handle;
    if (desc->mark != OPERATION || which != 1 || bytes != 4) return INVALID_VALUE;
    *value = desc->operands[desc->count - 1].shape.type;
    return 0;
}

/* --- Plans --- */

FUNCTION(cutensorCreatePlanPreference, void *handle, void **pref, int algo, int jit) {
    const int mark = PREFERENCE;
    (void)handle;
    return algo < -6 || jit < 0 || jit > 2 ? INVALID_VALUE : made(pref, &mark, sizeof mark);
}
FUNCTION(cutensorEstimateWorkspaceSize, void *handle, const operation *desc, const int *pref,
         int preference, uint64_t *bytes) {
    (void)handle;
    if (desc->mark != OPERATION || *pref != PREFERENCE || preference < 1) return INVALID_VALUE;
    *bytes = desc->kind == ELEMENTWISE ? 0 : WORKSPACE;
    return 0;
}
FUNCTION(cutensorCreatePlan, void *handle, void **plan, const operation *desc, const int *pref,
         uint64_t limit) {
    (void)handle;
    if (desc->mark != OPERATION || *pref != PREFERENCE) return INVALID_VALUE;
    if (desc->kind != ELEMENTWISE && limit < WORKSPACE) return INSUFFICIENT_WORKSPACE;
    operation it = *desc;
    it.mark = PLAN;
    return made(plan, &it, sizeof it);
}
FUNCTION(cutensorPlanGetAttribute, void *handle, const operation *plan, int which, uint64_t *value,
         size_t bytes) {
    (void)handle;
    if (plan->mark != PLAN || which != 0 || bytes != 8) return INVALID_VALUE;
    *value = plan->kind == ELEMENTWISE ? 0 : WORKSPACE;
    return 0;
}

/* --- Execution --- */

static double complex read_at(int type, const void *data, int64_t place) {
    if (type == R_32F) return ((const float *)data)[place];
    if (type == R_64F) return ((const double *)data)[place];
    if (type == C_32F) return ((const float complex *)data)[place];
    return ((const double complex *)data)[place];
}
static void write_at(int type, void *data, int64_t place, double complex value) {
    if (type == R_32F)
        ((float *)data)[place] = (float)creal(value);
    else if (type == R_64F)
        ((double *)data)[place] = creal(value);
    else if (type == C_32F)
        ((float complex *)data)[place] = (float complex)value;
    else
        ((double complex *)data)[place] = value;
}
static double complex join(int op, double complex x, double complex y) {
    if (op == MUL) return x * y;
    if (op == MAX) return creal(x) > creal(y) ? x : y;
    if (op == MIN) return creal(x) < creal(y) ? x : y;
    return x + y;
}
/* The places of a combination of labels: the first `count` are those of the output. */
static void place_of(const operation *it, const int *order, int first, int count, int64_t number,
                     int64_t *places) {
    for (int k = first; k < first + count; k++) {
        const int label = order[k];
        for (int one = 0; one < it->count; one++)
            places[one] += number % it->sizes[label] * it->steps[one][label];
        number /= it->sizes[label];
    }
}
static double complex term(const operation *it, int one, void *const *data, const int64_t *places) {
    const operand *from = &it->operands[one];
    const double complex value = read_at(from->shape.type, data[one], places[one]);
    return from->op == CONJ ? conj(value) : value;
}
/* The output's labels first; the counts of combinations of both groups. */
static int sort_labels(const operation *it, int *order, int64_t *kept, int64_t *folded) {
    int count = 0, place = 0;
    *kept = *folded = 1;
    for (int group = 0; group < 2; group++)
        for (int k = 0; k < it->labels; k++) {
            const bool is_kept = it->steps[it->count - 1][k] != 0;
            if (is_kept == (group == 0)) order[place++] = k;
            if (is_kept && group == 0) *kept *= it->sizes[k], count++;
            if (!is_kept && group == 1) *folded *= it->sizes[k];
        }
    return count;
}
static double complex combined(const operation *it, const double complex *factors,
                               void *const *data, const int64_t *places) {
    double complex total = factors[0] * term(it, 0, data, places);
    for (int k = 1; k + 1 < it->count; k++)
        total = join(it->combine[k - 1], total, factors[k] * term(it, k, data, places));
    return total;
}
/* What a stream does when it gets there. */
typedef struct task {
    operation it;
    double complex factors[3];
    void *data[4];
    struct task *before;
} task;
static _Atomic(task *) tasks; /* they stay: a graph runs one as often as it is launched */
static void compute(void *argument) {
    const task *t = argument;
    const operation *it = &t->it;
    int order[LABELS];
    int64_t kept, folded;
    const int last = it->count - 1, count = sort_labels(it, order, &kept, &folded);
    for (int64_t number = 0; number < kept; number++) {
        int64_t start[4] = {0};
        double complex total = 0;
        place_of(it, order, 0, count, number, start);
        for (int64_t inner = 0; it->kind != ELEMENTWISE && inner < folded; inner++) {
            int64_t places[4];
            memcpy(places, start, sizeof places);
            place_of(it, order, count, it->labels - count, inner, places);
            double complex value = term(it, 0, t->data, places);
            if (it->kind == CONTRACTION) value *= term(it, 1, t->data, places);
            total = inner || it->kind == CONTRACTION ? join(it->combine[0], total, value) : value;
        }
        if (it->kind == ELEMENTWISE)
            total = combined(it, t->factors, t->data, start);
        else {
            total *= t->factors[0];
            if (t->factors[1] != 0) total += t->factors[1] * term(it, last - 1, t->data, start);
        }
        write_at(it->operands[last].shape.type, t->data[last], start[last], total);
    }
}
static int run(const operation *it, const void *const *scalars, void *const *data, void *stream) {
    const int type = it->operands[it->count - 1].shape.type;
    if (it->mark != PLAN) return INVALID_VALUE;
    if (fails("execute")) return EXECUTION_FAILED;
    for (int k = 0; k < it->count; k++)
        if ((uintptr_t)data[k] % it->operands[k].shape.alignment) return INVALID_VALUE;
    task *t = calloc(1, sizeof *t);
    t->it = *it;
    for (int k = 0; k < 3 && scalars[k]; k++)
        t->factors[k] = read_at(type, scalars[k], 0);
    memcpy(t->data, data, (size_t)it->count * sizeof *data);
    t->before = tasks;
    while (!atomic_compare_exchange_weak(&tasks, &t->before, t)) {}
    return cuLaunchHostFunc(stream, compute, t) == CUDA_SUCCESS ? 0 : EXECUTION_FAILED;
}

FUNCTION(cutensorContract, void *handle, const operation *plan, const void *alpha, void *a, void *b,
         const void *beta, void *c, void *d, void *workspace, uint64_t bytes, void *stream) {
    (void)handle;
    if (!workspace || bytes < WORKSPACE) return INSUFFICIENT_WORKSPACE;
    return run(plan, (const void *[]){alpha, beta, NULL}, (void *[]){a, b, c, d}, stream);
}
FUNCTION(cutensorReduce, void *handle, const operation *plan, const void *alpha, void *a,
         const void *beta, void *c, void *d, void *workspace, uint64_t bytes, void *stream) {
    (void)handle;
    if (!workspace || bytes < WORKSPACE) return INSUFFICIENT_WORKSPACE;
    return run(plan, (const void *[]){alpha, beta, NULL}, (void *[]){a, c, d}, stream);
}
FUNCTION(cutensorElementwiseBinaryExecute, void *handle, const operation *plan, const void *alpha,
         void *a, const void *gamma, void *c, void *d, void *stream) {
    (void)handle;
    return run(plan, (const void *[]){alpha, gamma, NULL}, (void *[]){a, c, d}, stream);
}
FUNCTION(cutensorElementwiseTrinaryExecute, void *handle, const operation *plan, const void *alpha,
         void *a, const void *beta, void *b, const void *gamma, void *c, void *d, void *stream) {
    (void)handle;
    return run(plan, (const void *[]){alpha, beta, gamma}, (void *[]){a, b, c, d}, stream);
}
FUNCTION(cutensorPermute, void *handle, const operation *plan, const void *alpha, void *a, void *b,
         void *stream) {
    (void)handle;
    return run(plan, (const void *[]){alpha, NULL, NULL}, (void *[]){a, b}, stream);
}
