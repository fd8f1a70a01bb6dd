/* The forms "stencil" and "slide" on CUDA: windows that are a box over the last two axes go through
 * tiles in shared memory, all others are read where they lie. A rank among few places is found by a
 * network of registers, whose text is made here. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "core/rules/network.h"
#include "forms/image.h"

enum {
    BLOCK = 256,
    TILE_COLUMNS = 32,
    TILE_ROWS = 4, /* of a thread */
    TILE_LONGEST = 65,
    TILE_PLACES = 225,
    TILE_BYTES = 40 << 10,
    TABLE_BYTES = 16 << 10,
    NETWORK_MOST = 49 /* wires that have room in registers */
};
enum { SUM, LEAST, MOST, NETWORK, SEARCH };

/* extra[]: of a network. */
typedef struct wanted {
    int16_t wires, rank;
} wanted;
_Static_assert(sizeof(wanted) <= TNI_FORM_EXTRA, "no room in the key");

static void write_network(tni_source *source, const wanted *w) {
    tni_network network;
    tni_network_make(&network, w->wires, 1, w->rank);
    tni_source_add(source,
                   "__device__ __forceinline__ Working find_rank(Working (&v)[%d]) {\n"
                   "    Working low, high;\n",
                   w->wires);
    for (int k = 0; k < network.count; k++) {
        const int a = network.exchanges[k].low, b = network.exchanges[k].high;
        tni_source_add(source, "    low = v[%d] < v[%d] ? v[%d] : v[%d];", b, a, b, a);
        tni_source_add(source, " high = v[%d] < v[%d] ? v[%d] : v[%d];", a, b, b, a);
        tni_source_add(source, " v[%d] = low; v[%d] = high;\n", a, b);
    }
    tni_source_add(source, "    return v[%d];\n}\n", network.wire);
}

/* dtypes[]: of the input, of the computation, of the output. */
static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype stored = (tn_dtype)key->dtypes[0], working = (tn_dtype)key->dtypes[1];
    const tn_dtype result = (tn_dtype)key->dtypes[2];
    wanted w;
    memcpy(&w, key->extra, sizeof w);
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Working;\ntypedef %s Result;\n",
                   tni_body_stored(stored), tni_body_working(working), tni_body_stored(result));
    tni_body_add_load(source, "image_load", stored, working);
    tni_body_add_store(source, "image_store", working, result);
    if (w.wires) write_network(source, &w);
}

static const tni_stencil_form stencil_form = TNI_FORM(stencil, write_body);
static const tni_tile_form tile_form = TNI_FORM(tile, write_body);

/* What a call is beside its image. */
typedef struct job {
    const tni_stencil *call;
    int op, wires;
    int16_t values, symmetry;
    bool is_weighted, skips, is_divided;
    double divisor;
    _Alignas(8) char bytes[(TN_WINDOW_VALUES + 2) * 8]; /* values, as the kernel takes them */
} job;

static tni_bytes values_of(const job *j) {
    const int64_t bytes = (j->values + 1) * tn_dtype_size(j->call->image.working);
    return TNI_BYTES(j->bytes, (size_t)(bytes + 7) / 8 * 8);
}

static void finish_key(tni_form_key *key, const job *j) {
    const tni_image *image = &j->call->image;
    const wanted w = {(int16_t)(j->op == NETWORK ? j->wires : 0), (int16_t)j->call->rank};
    key->dtypes[0] = (int8_t)image->stored;
    key->dtypes[1] = (int8_t)image->working;
    key->dtypes[2] = (int8_t)image->result;
    if (w.wires) memcpy(key->extra, &w, sizeof w);
}

static void make_job(job *j, const tni_stencil *call) {
    j->call = call;
    j->op =
        call->op == TN_WINDOW_RANK ? call->count <= NETWORK_MOST ? NETWORK : SEARCH : (int)call->op;
    j->wires = j->op == NETWORK ? (int)call->count : 1;
    j->values = (int16_t)(call->has_values ? call->count : 0);
    j->is_weighted = call->weights != NULL;
    j->symmetry = (int16_t)(call->symmetry < 0 ? 2 : call->symmetry);
    j->skips = call->op == TN_WINDOW_SUM && tni_image_has_axes(&call->image);
    j->is_divided = false;
    j->divisor = 1;
    memset(j->bytes, 0, sizeof j->bytes);
    for (int k = 0; k < j->values; k++)
        tni_image_value(j->bytes + k * tn_dtype_size(call->image.working), call->image.working,
                        call->values[k]);
}

static bool fits_tile(const tni_stencil *call) {
    const tni_image *image = &call->image;
    const int row = image->ndim - 2;
    const int64_t height = image->size[row], width = image->size[row + 1];
    const int64_t lines = BLOCK / TILE_COLUMNS * TILE_ROWS;
    if (call->places || call->mask || height * width != call->count || call->count == 1 ||
        height > TILE_LONGEST || width > TILE_LONGEST || call->count > TILE_PLACES)
        return false;
    /* The order of places is that of the window in the tile. */
    if (image->order[row + 1] != 1 && width > 1) return false;
    return (lines + height - 1) * (TILE_COLUMNS + width - 1) * tn_dtype_size(image->working) <=
           TILE_BYTES;
}

static tn_status plan_tile(tni_plan *plan, const job *j) {
    const tni_stencil *call = j->call;
    const tni_image *image = &call->image;
    const int row = image->ndim - 2;
    const int64_t lines = BLOCK / TILE_COLUMNS * TILE_ROWS;
    const int64_t row_tiles = tni_form_ceil(image->shape[row], lines);
    const int64_t column_tiles = tni_form_ceil(image->shape[row + 1], TILE_COLUMNS);
    int64_t outer = 1;
    for (int k = 0; k < row; k++)
        outer *= image->shape[k];
    const int64_t tiles = outer * row_tiles * column_tiles;
    const int64_t edges[2] = {image->edges[row], image->edges[row + 1]};
    tni_form_key *key = TNI_STEP(
        plan, tile, &tile_form,
        MACROS(.BLOCK = BLOCK, .WIDE_INDEX = tni_form_is_wide(outer), .OUTER = (int16_t)row,
               .OP = (int16_t)j->op, .VALUES = j->values, .WEIGHTED = j->is_weighted,
               .SYMMETRY = j->symmetry, .SKIPS = j->skips, .HEIGHT = (int16_t)image->size[row],
               .WIDTH = (int16_t)image->size[row + 1], .WIRES = (int16_t)j->wires,
               .ROWS = TILE_ROWS, .DIVIDED = j->is_divided),
        PARAMS(.input = image->input, .output = image->output, .weights = call->weights,
               .tiles = tiles, .row_tiles = row_tiles, .column_tiles = column_tiles,
               .rank = call->rank, .beyond = image->beyond, .divisor = j->divisor,
               .sizes = &image->shape[row], .low = &image->low[row], .edges = edges,
               .input_strides = &image->input_strides[row],
               .output_strides = &image->output_strides[row],
               .outer = TNI_SHAPE_2(image->shape, image->input_strides, image->output_strides),
               .values = values_of(j)));
    finish_key(key, j);
    tni_plan_grid(plan, tiles, BLOCK);
    return TN_OK;
}

/* Places that have room in shared memory, a power of two so that few programs do; 0: too many. */
static int16_t table_of(const tni_stencil *call) {
    int64_t table = 8;
    while (table < call->count)
        table *= 2;
    return table * (8 + 4 * call->image.ndim) <= TABLE_BYTES ? (int16_t)table : 0;
}

static tn_status plan_places(tni_plan *plan, const job *j) {
    const tni_stencil *call = j->call;
    const tni_image *image = &call->image;
    int64_t total = 1, edges[TN_MAX_NDIM];
    bool is_wide = false;
    for (int k = 0; k < image->ndim; k++) {
        total *= image->shape[k];
        edges[k] = image->edges[k];
    }
    is_wide = tni_form_is_wide(total);
    tni_form_key *key =
        TNI_STEP(plan, stencil, &stencil_form,
                 MACROS(.BLOCK = BLOCK, .WIDE_INDEX = is_wide, .NDIM = (int16_t)image->ndim,
                        .OP = (int16_t)j->op, .VALUES = j->values, .WEIGHTED = j->is_weighted,
                        .SYMMETRY = j->symmetry, .SKIPS = j->skips, .PLACED = call->places != NULL,
                        .TABLE = table_of(call), .WIRES = (int16_t)j->wires,
                        .MASKED = call->mask != NULL, .DIVIDED = j->is_divided),
                 PARAMS(.input = image->input, .output = image->output, .mask = call->mask,
                        .places = call->places, .weights = call->weights, .total = total,
                        .count = call->count, .rank = call->rank, .beyond = image->beyond,
                        .divisor = j->divisor,
                        .shape = TNI_SHAPE_3(image->shape, image->input_strides,
                                             image->output_strides, call->mask_strides),
                        .sizes = image->shape, .size = image->size, .low = image->low,
                        .order = image->order, .edges = edges, .values = values_of(j)));
    finish_key(key, j);
    tni_plan_grid(plan, tni_form_ceil(total, BLOCK), BLOCK);
    return TN_OK;
}

static tn_status plan_job(tni_plan *plan, const job *j) {
    return fits_tile(j->call) ? plan_tile(plan, j) : plan_places(plan, j);
}

tn_status tni_plan_stencil(tni_plan *plan, const tni_stencil *call) {
    job j;
    make_job(&j, call);
    return plan_job(plan, &j);
}

tn_status tni_plan_slide(tni_plan *plan, const tni_slide *call) {
    tni_stencil stencil = {.image = call->image, .op = call->op, .count = 1};
    job j;
    for (int k = 0; k < call->image.ndim; k++)
        stencil.count *= call->image.size[k];
    make_job(&j, &stencil);
    j.is_divided = call->op == TN_WINDOW_SUM;
    j.divisor = call->divisor;
    return plan_job(plan, &j);
}
