/* The form "convolve" on CUDA: products of matrices of which the right one is gathered
 * (kernels/neural/convolve.cu). In one launch, or two where the sums of few tiles are shared out.
 *
 *          rows     columns            k                     a     b
 *     y    outputs  batch, places      inputs, taps          w     x at place stride + tap - pad
 *     dx   inputs   batch, elements    outputs, taps         w     dy at (element + pad - tap) / s
 *     dw   outputs  inputs, taps       batch, places         dy    x at place stride + tap - pad
 */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/neural.h"

enum { BLOCK = 256, TILE = 64, FEW_ROWS = 8, PART_DEPTH = 256, PARTS_MAX = 64 };
/* Sums of parts. */
static const int64_t sums_bytes = 64 << 20;

enum { TILES, ELEMENTS, BLOCKS, TOTALS };

static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Working;\n", tni_body_stored(dtype),
                   tni_body_working(dtype));
    tni_body_add_load(source, "load_working", dtype, dtype);
    tni_body_add_store(source, "save_working", dtype, dtype);
}

static const tni_convolve_form form = TNI_FORM(convolve, write_body);

/* Numbers of columns, or of k: an outer one, and one for each axis. */
typedef struct numbers {
    int64_t outer, b, other; /* how many outer ones; strides of b, and of a or the result */
    const int64_t *sizes, *strides;
    int64_t factors[TN_SPATIAL_MAX], firsts[TN_SPATIAL_MAX];
} numbers;

typedef struct product {
    const tni_maps *a, *b, *result;
    int64_t rows, a_group, a_row, b_group, result_group, result_row;
    numbers k, column;
    const int64_t *b_sizes;
    int64_t steps[TN_SPATIAL_MAX];
    bool divides;
} product;

static void describe_y(product *p, const tni_convolve *c) {
    p->a = &c->w, p->b = &c->x, p->result = &c->y;
    p->rows = c->outputs;
    p->a_row = c->w.batch_stride, p->a_group = c->outputs * c->w.batch_stride;
    p->b_group = c->inputs * c->x.channel_stride;
    p->result_row = c->y.channel_stride, p->result_group = c->outputs * c->y.channel_stride;
    p->k = (numbers){
        c->inputs, c->x.channel_stride, c->w.channel_stride, c->w_shape, c->w.strides, {0}, {0}};
    p->column = (numbers){
        c->batch, c->x.batch_stride, c->y.batch_stride, c->y_shape, c->y.strides, {0}, {0}};
    p->b_sizes = c->x_shape;
    for (int axis = 0; axis < c->ndim; axis++) {
        p->k.factors[axis] = c->dilations[axis];
        p->column.factors[axis] = c->strides[axis];
        p->column.firsts[axis] = -c->pads[axis];
    }
}

static void describe_dx(product *p, const tni_convolve *c) {
    p->a = &c->w, p->b = &c->y, p->result = &c->x;
    p->rows = c->inputs;
    p->a_row = c->w.channel_stride, p->a_group = c->outputs * c->w.batch_stride;
    p->b_group = c->outputs * c->y.channel_stride;
    p->result_row = c->x.channel_stride, p->result_group = c->inputs * c->x.channel_stride;
    p->k = (numbers){
        c->outputs, c->y.channel_stride, c->w.batch_stride, c->w_shape, c->w.strides, {0}, {0}};
    p->column = (numbers){
        c->batch, c->y.batch_stride, c->x.batch_stride, c->x_shape, c->x.strides, {0}, {0}};
    p->b_sizes = c->y_shape;
    for (int axis = 0; axis < c->ndim; axis++) {
        p->k.factors[axis] = -c->dilations[axis];
        p->column.factors[axis] = 1;
        p->column.firsts[axis] = c->pads[axis];
        p->steps[axis] = c->strides[axis];
        p->divides |= c->strides[axis] > 1;
    }
}

static void describe_dw(product *p, const tni_convolve *c) {
    p->a = &c->y, p->b = &c->x, p->result = &c->w;
    p->rows = c->outputs;
    p->a_row = c->y.channel_stride, p->a_group = c->outputs * c->y.channel_stride;
    p->b_group = c->inputs * c->x.channel_stride;
    p->result_row = c->w.batch_stride, p->result_group = c->outputs * c->w.batch_stride;
    p->k = (numbers){c->batch, c->x.batch_stride, c->y.batch_stride, c->y_shape, c->y.strides, {0},
                     {0}};
    p->column = (numbers){
        c->inputs, c->x.channel_stride, c->w.channel_stride, c->w_shape, c->w.strides, {0}, {0}};
    p->b_sizes = c->x_shape;
    for (int axis = 0; axis < c->ndim; axis++) {
        p->k.factors[axis] = c->strides[axis];
        p->k.firsts[axis] = -c->pads[axis];
        p->column.factors[axis] = c->dilations[axis];
    }
}

static int64_t count_of(const numbers *n, int ndim) {
    int64_t count = n->outer;
    for (int axis = 0; axis < ndim; axis++)
        count *= n->sizes[axis];
    return count;
}

/* Whether numbers or places need 64 bits. */
static bool is_wide(const product *p, int ndim, int64_t columns, int64_t depth) {
    bool wide = tni_form_is_wide(columns) || tni_form_is_wide(depth) || tni_form_is_wide(p->rows);
    for (int axis = 0; axis < ndim; axis++) {
        const int64_t of_k = p->k.sizes[axis] * p->k.factors[axis];
        const int64_t of_column = p->column.sizes[axis] * p->column.factors[axis];
        const int64_t first = p->k.firsts[axis] + p->column.firsts[axis];
        const int64_t reach = (of_k < 0 ? -of_k : of_k) + of_column + (first < 0 ? -first : first);
        wide |= tni_form_is_wide(reach) || tni_form_is_wide(p->b_sizes[axis]);
    }
    return wide;
}

/* How k is shared out so that there are tiles for all multiprocessors. */
static int64_t parts_of(const tni_plan *plan, int64_t tiles, int64_t depth, int64_t bytes) {
    int64_t parts = tni_form_min(depth / PART_DEPTH, PARTS_MAX);
    parts = tni_form_min(parts, 4 * (int64_t)plan->target->multiprocessors / tiles);
    parts = tni_form_min(parts, sums_bytes / bytes);
    return parts < 2 ? 1 : parts;
}

typedef struct launching {
    const tni_convolve *call;
    const product *product;
    int64_t columns, depth, parts;
    void *sums;
    bool is_wide;
} launching;

static void add_step(tni_plan *plan, const launching *l, int way, int64_t blocks) {
    const tni_convolve *c = l->call;
    const product *p = l->product;
    tni_form_key *key = TNI_STEP(
        plan, convolve, &form,
        MACROS(.WAY = (int16_t)way, .BLOCK = BLOCK, .NDIM = (int16_t)c->ndim,
               .DIVIDES = p->divides && way != TOTALS, .PARTS = l->parts > 1,
               .WIDE_INDEX = l->is_wide),
        PARAMS(.a = p->a->data, .b = p->b->data, .result = p->result->data, .sums = l->sums,
               .groups = c->groups, .rows = p->rows, .columns = l->columns, .depth = l->depth,
               .parts = l->parts, .a_group = p->a_group, .a_row = p->a_row, .b_group = p->b_group,
               .result_group = p->result_group, .result_row = p->result_row, .k_sizes = p->k.sizes,
               .k_factors = p->k.factors, .k_firsts = p->k.firsts, .k_strides = p->k.strides,
               .k_b = p->k.b, .k_other = p->k.other, .column_sizes = p->column.sizes,
               .column_factors = p->column.factors, .column_firsts = p->column.firsts,
               .column_strides = p->column.strides, .column_b = p->column.b,
               .column_other = p->column.other, .b_sizes = p->b_sizes, .b_strides = p->b->strides,
               .b_steps = p->steps, .alpha = c->alpha, .beta = c->beta));
    key->dtypes[0] = (int8_t)c->dtype;
    tni_plan_grid(plan, blocks, BLOCK);
}

tn_status tni_plan_convolve(tni_plan *plan, const tni_convolve *call) {
    static void (*const describe[])(product * p,
                                    const tni_convolve *c) = {[TNI_CONVOLVE_Y] = describe_y,
                                                              [TNI_CONVOLVE_DX] = describe_dx,
                                                              [TNI_CONVOLVE_DW] = describe_dw};
    product p = {.rows = 0};
    describe[call->result](&p, call);
    launching l = {.call = call, .product = &p, .parts = 1};
    l.columns = count_of(&p.column, call->ndim);
    l.depth = count_of(&p.k, call->ndim);
    l.is_wide = is_wide(&p, call->ndim, l.columns, l.depth);
    const int64_t elements = call->groups * p.rows * l.columns;
    if (p.rows < FEW_ROWS) {
        if (call->result == TNI_CONVOLVE_DW)
            add_step(plan, &l, BLOCKS, elements);
        else
            add_step(plan, &l, ELEMENTS, tni_form_ceil(elements, BLOCK));
        return TN_OK;
    }
    const int64_t tiles =
        call->groups * tni_form_ceil(p.rows, TILE) * tni_form_ceil(l.columns, TILE);
    const int64_t bytes = elements * (call->dtype == TN_F64 ? 8 : 4);
    l.parts = parts_of(plan, tiles, l.depth, bytes);
    if (l.parts > 1) l.sums = tni_plan_scratch(plan, l.parts * bytes, -1);
    add_step(plan, &l, TILES, tiles * l.parts);
    if (l.parts > 1) add_step(plan, &l, TOTALS, tni_form_ceil(elements, BLOCK));
    return TN_OK;
}
