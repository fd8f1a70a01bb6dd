/* The graph interface of cuDNN's double. Descriptors have the attributes of real ones, of the same
 * types, and say so where one lacks, is set twice or after the end; a graph whose shapes do not fit
 * is refused. FAKE_CUDNN_ENGINES is what heuristics offer, "mode/workspace/notes/made/run,...": the
 * notes joined by +, the status of the plan's end and that of a run. The log has
 * a line for each descriptor that is finalized, and for each run: the number of the engine, the
 * workspace's address or 0, those of the arrays by their ids. */
#include "fake_cuda.h"
#include "fake_cudnn.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIVING = 4096, VALUES = 16, ATTRIBUTES = 8, ENGINES = 32, NOTES = 8 };
enum { BAD_PARAM = 2000, NULL_POINTER = 2002, NOT_FINALIZED = 2004 };
enum { OUT_OF_BOUND = 2005, SHAPE_MISMATCH = 2008, WRONG_TYPE = 2010, WRONG_KIND = 2012 };
enum { HANDLE, DTYPE, TRUTH, INT64, FLOAT, DOUBLE, POINTER, MODE, HEURISTICS, NOTE = 11 };
enum { DESCRIPTOR = 15 };
enum { CONVOLUTION = 1, ENGINE, CONFIG, HEUR, PLAN, FORWARD = 10, FILTER, DATA, GRAPH = 15 };
enum { PACK = 16, TENSOR };

/* An attribute that is set: of a kind, its type, how many values, and of which kind they are. */
typedef struct rule {
    int kind, name, type, least, most, target;
} rule;
static const rule rules[] = {
    {CONVOLUTION, 100, DTYPE, 1, 1, 0},
    {CONVOLUTION, 101, MODE, 1, 1, 0},
    {CONVOLUTION, 102, INT64, 2, 6, 0},
    {CONVOLUTION, 103, INT64, 2, 6, 0},
    {CONVOLUTION, 104, INT64, 2, 6, 0},
    {CONVOLUTION, 105, INT64, 2, 6, 0},
    {CONVOLUTION, 106, INT64, 1, 1, 0},
    {HEUR, 200, HEURISTICS, 1, 1, 0},
    {HEUR, 201, DESCRIPTOR, 1, 1, GRAPH},
    {PLAN, 400, HANDLE, 1, 1, 0},
    {PLAN, 401, DESCRIPTOR, 1, 1, CONFIG},
    {FORWARD, 700, FLOAT, 1, 1, 0},
    {FORWARD, 701, FLOAT, 1, 1, 0},
    {FORWARD, 702, DESCRIPTOR, 1, 1, CONVOLUTION},
    {FORWARD, 703, DESCRIPTOR, 1, 1, TENSOR},
    {FORWARD, 704, DESCRIPTOR, 1, 1, TENSOR},
    {FORWARD, 705, DESCRIPTOR, 1, 1, TENSOR},
    {DATA, 706, FLOAT, 1, 1, 0},
    {DATA, 707, FLOAT, 1, 1, 0},
    {DATA, 708, DESCRIPTOR, 1, 1, CONVOLUTION},
    {DATA, 709, DESCRIPTOR, 1, 1, TENSOR},
    {DATA, 710, DESCRIPTOR, 1, 1, TENSOR},
    {DATA, 711, DESCRIPTOR, 1, 1, TENSOR},
    {FILTER, 712, FLOAT, 1, 1, 0},
    {FILTER, 713, FLOAT, 1, 1, 0},
    {FILTER, 714, DESCRIPTOR, 1, 1, CONVOLUTION},
    {FILTER, 715, DESCRIPTOR, 1, 1, TENSOR},
    {FILTER, 716, DESCRIPTOR, 1, 1, TENSOR},
    {FILTER, 717, DESCRIPTOR, 1, 1, TENSOR},
    {GRAPH, 800, HANDLE, 1, 1, 0},
    {GRAPH, 801, DESCRIPTOR, 1, 1, -1},
    {TENSOR, 900, INT64, 1, 1, 0},
    {TENSOR, 901, DTYPE, 1, 1, 0},
    {TENSOR, 902, INT64, 4, 8, 0},
    {TENSOR, 903, INT64, 4, 8, 0},
    {TENSOR, 906, INT64, 1, 1, 0},
    {PACK, 1000, INT64, 3, 3, 0},
    {PACK, 1001, POINTER, 3, 3, 0},
    {PACK, 1003, POINTER, 1, 1, 0},
};
enum { RULES = sizeof rules / sizeof *rules };
static const int sizes[] = {
    [HANDLE] = 8,  [DTYPE] = 4, [TRUTH] = 1,      [INT64] = 8, [FLOAT] = 4,     [DOUBLE] = 8,
    [POINTER] = 8, [MODE] = 4,  [HEURISTICS] = 4, [NOTE] = 4,  [DESCRIPTOR] = 8};

typedef struct descriptor {
    int kind, engine; /* the engine of what heuristics gave */
    bool is_finalized;
    struct {
        int name, type, count;
        int64_t values[VALUES]; /* addresses, numbers; reals as their bits */
    } attributes[ATTRIBUTES];
    int count;
} descriptor;
static descriptor *living[LIVING];

static descriptor *find(const void *address) {
    for (int k = 0; k < LIVING; k++)
        if (address && living[k] == address) return living[k];
    return NULL;
}
int fake_cudnn_graph_living(void) {
    int count = 0;
    for (int k = 0; k < LIVING; k++)
        count += living[k] != NULL;
    return count;
}
static const int64_t *values_of(const descriptor *d, int name, int *count) {
    for (int k = 0; d && k < d->count; k++)
        if (d->attributes[k].name == name) {
            if (count) *count = d->attributes[k].count;
            return d->attributes[k].values;
        }
    return NULL;
}
static descriptor *part_of(const descriptor *d, int name) {
    const int64_t *values = values_of(d, name, NULL);
    return values ? find((const void *)(uintptr_t)values[0]) : NULL;
}

/* --- Engines --- */

typedef struct engine {
    int mode, notes[NOTES], note_count, made, run;
    int64_t workspace;
} engine;
static engine engines[ENGINES];

static int read_engines(void) {
    const char *text = getenv("FAKE_CUDNN_ENGINES");
    int count = 0;
    for (const char *at = text ? text : "3/96/0,3/0/,2/0/"; *at && count < ENGINES; count++) {
        engine *e = &engines[count];
        char *end;
        *e = (engine){.mode = (int)strtol(at, &end, 10)};
        e->workspace = strtoll(end + 1, &end, 10);
        for (at = end + 1; *at && *at != '/' && *at != ','; at = end + (*end == '+'))
            e->notes[e->note_count++] = (int)strtol(at, &end, 10);
        if (*at == '/') e->made = (int)strtol(at + 1, (char **)&at, 10);
        if (*at == '/') e->run = (int)strtol(at + 1, (char **)&at, 10);
        at += *at == ',';
    }
    return count;
}

/* --- Descriptors --- */

FAKE_API int cudnnBackendCreateDescriptor(int kind, void **result);
int cudnnBackendCreateDescriptor(int kind, void **result) {
    const int failing = fake_cudnn_failing("cudnnBackendCreateDescriptor", kind);
    if (failing) return failing;
    for (int k = 0; k < LIVING; k++)
        if (!living[k]) {
            living[k] = calloc(1, sizeof *living[k]);
            living[k]->kind = kind;
            living[k]->engine = -1;
            *result = living[k];
            return 0;
        }
    abort();
}

FAKE_API int cudnnBackendDestroyDescriptor(void *address);
int cudnnBackendDestroyDescriptor(void *address) {
    for (int k = 0; k < LIVING; k++)
        if (address && living[k] == address) {
            free(living[k]);
            living[k] = NULL;
            return 0;
        }
    fake_cudnn_note("! a descriptor that does not live is ended");
    return BAD_PARAM;
}

static const rule *rule_of(int kind, int name) {
    for (int k = 0; k < RULES; k++)
        if (rules[k].kind == kind && rules[k].name == name) return &rules[k];
    return NULL;
}

static int64_t word_of(const void *elements, int type, int place) {
    int64_t word = 0;
    memcpy(&word, (const char *)elements + place * sizes[type], (size_t)sizes[type]);
    return word;
}

static int check_value(const rule *r, int64_t word) {
    if (r->type == HANDLE) return fake_cudnn_is_handle((void *)(uintptr_t)word) ? 0 : BAD_PARAM;
    if (r->type != DESCRIPTOR) return 0;
    const descriptor *target = find((void *)(uintptr_t)word);
    if (!target) return NULL_POINTER;
    const bool is_operation = target->kind >= FORWARD && target->kind <= DATA;
    if (r->target < 0 ? !is_operation : target->kind != r->target) return WRONG_KIND;
    return target->is_finalized ? 0 : NOT_FINALIZED;
}

FAKE_API int cudnnBackendSetAttribute(void *address, int name, int type, int64_t count,
                                      const void *elements);
int cudnnBackendSetAttribute(void *address, int name, int type, int64_t count,
                             const void *elements) {
    descriptor *d = find(address);
    const int failing = fake_cudnn_failing("cudnnBackendSetAttribute", name);
    if (failing) return failing;
    if (!d || d->is_finalized || values_of(d, name, NULL)) return BAD_PARAM;
    const rule *r = rule_of(d->kind, name);
    if (!r) return BAD_PARAM;
    if (type != r->type && !(r->type == FLOAT && type == DOUBLE)) return WRONG_TYPE;
    if (count < r->least || count > r->most) return OUT_OF_BOUND;
    for (int k = 0; k < count; k++) {
        const int answer = check_value(r, word_of(elements, type, k));
        if (answer) return answer;
        d->attributes[d->count].values[k] = word_of(elements, type, k);
    }
    d->attributes[d->count].name = name;
    d->attributes[d->count].type = type;
    d->attributes[d->count++].count = (int)count;
    return 0;
}

/* Whether the sizes of an operation fit each other, and its factors are 1 and 0 of its type. */
static int check_operation(const descriptor *d) {
    static const int first[] = {700, 712, 706};
    const int base = first[d->kind - FORWARD];
    const descriptor *conv = part_of(d, base + 2), *w = part_of(d, base + 3);
    const descriptor *x = part_of(d, base + 4), *y = part_of(d, base + 5);
    int axes = 0, others[2] = {0};
    const int64_t *of_x = values_of(x, 902, &axes), *of_w = values_of(w, 902, &others[0]);
    const int64_t *of_y = values_of(y, 902, &others[1]);
    const int64_t *dilations = values_of(conv, 102, NULL), *steps = values_of(conv, 103, NULL);
    const int64_t *pre = values_of(conv, 105, NULL), *post = values_of(conv, 104, NULL);
    const bool is_double = values_of(conv, 100, NULL)[0] == 1;
    const double one = 1;
    const float one_f32 = 1;
    const int64_t alpha = values_of(d, base, NULL)[0], beta = values_of(d, base + 1, NULL)[0];
    if (beta || memcmp(&alpha, is_double ? (const void *)&one : &one_f32, is_double ? 8 : 4) != 0)
        return BAD_PARAM;
    if (axes != others[0] || axes != others[1] || of_x[0] != of_y[0] || of_w[0] != of_y[1] ||
        of_x[1] % of_w[1] || axes != 2 + values_of(conv, 106, NULL)[0])
        return SHAPE_MISMATCH;
    for (int k = 0; k < axes - 2; k++) {
        const int64_t reach = dilations[k] * (of_w[k + 2] - 1) + 1;
        if ((of_x[k + 2] + pre[k] + post[k] - reach) / steps[k] + 1 != of_y[k + 2])
            return SHAPE_MISMATCH;
    }
    return 0;
}

/* The values of a descriptor that is finalized, by names; reals and addresses as they are. */
static void note(const descriptor *d) {
    char line[1024];
    int at = snprintf(line, sizeof line, "cudnnBackendFinalize %d", d->kind);
    for (int k = 0; k < d->count; k++) {
        at += snprintf(line + at, sizeof line - (size_t)at, " %d=", d->attributes[k].name);
        for (int v = 0; v < d->attributes[k].count; v++)
            at += snprintf(line + at, sizeof line - (size_t)at, v ? ",%lld" : "%lld",
                           (long long)d->attributes[k].values[v]);
    }
    fake_cudnn_note(line);
}

FAKE_API int cudnnBackendFinalize(void *address);
int cudnnBackendFinalize(void *address) {
    descriptor *d = find(address);
    const int failing = fake_cudnn_failing("cudnnBackendFinalize", d ? d->kind : -1);
    if (d) note(d);
    if (failing) return failing;
    if (!d || d->is_finalized) return BAD_PARAM;
    for (int k = 0; k < RULES; k++)
        if (rules[k].kind == d->kind && !values_of(d, rules[k].name, NULL)) return NOT_FINALIZED;
    if (d->kind >= FORWARD && d->kind <= DATA) {
        const int answer = check_operation(d);
        if (answer) return answer;
    }
    if (d->kind == PLAN) {
        d->engine = part_of(d, 401)->engine;
        if (engines[d->engine].made) return engines[d->engine].made;
    }
    d->is_finalized = true;
    return 0;
}

/* --- Answers --- */

static int give(const descriptor *d, int name, int64_t requested, int64_t *count, void *elements) {
    const int found = read_engines();
    int64_t matching = 0;
    if (d->kind == HEUR && name == 202) {
        const int64_t mode = values_of(d, 200, NULL)[0];
        for (int k = 0; k < found; k++) {
            if (engines[k].mode != mode) continue;
            descriptor *config = matching < requested ? find(((void **)elements)[matching]) : NULL;
            if (matching++ < requested && (!config || config->kind != CONFIG)) return WRONG_KIND;
            if (config) config->engine = k, config->is_finalized = true;
        }
        *count = requested && matching > requested ? requested : matching;
        return 0;
    }
    *count = 1;
    if (d->kind == CONFIG && name == 300) {
        descriptor *made = find(*(void **)elements);
        if (!made || made->kind != ENGINE) return WRONG_KIND;
        made->engine = d->engine, made->is_finalized = true;
        return 0;
    }
    const engine *e = &engines[d->engine];
    if (d->kind == ENGINE && name == 1303) {
        *count = e->note_count;
        for (int k = 0; k < e->note_count && k < requested; k++)
            ((int *)elements)[k] = e->notes[k];
        return 0;
    }
    if (d->kind != PLAN || name != 402) return BAD_PARAM;
    *(int64_t *)elements = e->workspace;
    return 0;
}

FAKE_API int cudnnBackendGetAttribute(void *address, int name, int type, int64_t requested,
                                      int64_t *count, void *elements);
int cudnnBackendGetAttribute(void *address, int name, int type, int64_t requested, int64_t *count,
                             void *elements) {
    const descriptor *d = find(address);
    const int wanted = name == 1303 ? NOTE : name == 402 ? INT64 : DESCRIPTOR;
    const int failing = fake_cudnn_failing("cudnnBackendGetAttribute", name);
    if (failing) return failing;
    if (!d) return BAD_PARAM;
    if (!d->is_finalized) return NOT_FINALIZED;
    if (type != wanted) return WRONG_TYPE;
    return give(d, name, requested, count, elements);
}

/* --- Runs --- */

FAKE_API int cudnnBackendExecute(void *handle, void *plan_address, void *pack_address);
int cudnnBackendExecute(void *handle, void *plan_address, void *pack_address) {
    const descriptor *plan = find(plan_address), *pack = find(pack_address);
    char line[160];
    read_engines();
    if (!fake_cudnn_is_handle(handle) || !plan || !pack || plan->kind != PLAN || pack->kind != PACK)
        return BAD_PARAM;
    if (!plan->is_finalized || !pack->is_finalized) return NOT_FINALIZED;
    const engine *e = &engines[plan->engine];
    const int64_t *ids = values_of(pack, 1000, NULL), *data = values_of(pack, 1001, NULL);
    const int64_t space = values_of(pack, 1003, NULL)[0];
    int64_t places[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (ids[k] >= 1 && ids[k] <= 3) places[ids[k] - 1] = data[k];
    snprintf(line, sizeof line, "cudnnBackendExecute %d %llu %llu %llu %llu", plan->engine,
             (unsigned long long)space, (unsigned long long)places[0],
             (unsigned long long)places[1], (unsigned long long)places[2]);
    fake_cudnn_note(line);
    const int failing = fake_cudnn_failing("cudnnBackendExecute", plan->engine);
    if (failing || e->run) return failing ? failing : e->run;
    if (!places[0] || !places[1] || !places[2] || (e->workspace && !space)) return NULL_POINTER;
    return fake_cudnn_queue(handle);
}
