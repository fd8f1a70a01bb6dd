/* Calls of templates: outputs are made, operands that can't be walked as they lie get stand-ins,
 * and arguments are packed for a launch. */
#include "kernel/templates/template.h"

#include "backend/backend.h"
#include "core/array/shape.h"
#include "core/elementwise/operands.h"
#include "kernel/raw_kernel.h"
#include "kernel/templates/elementwise_text.h"
#include "kernel/templates/reduction_text.h"

#include <string.h>

/* --- Arguments --- */

enum { EXTRA = 4, SLOTS = TNI_PARAMETERS_MAX + EXTRA, SMALL_BYTES = 4096 };

typedef struct arguments {
    int count;
    unsigned offsets[SLOTS], sizes[SLOTS];
    char kinds[SLOTS];
    char *data, *owned; /* owned: NULL, or what `data` is */
    size_t bytes, capacity;
    _Alignas(16) char small[SMALL_BYTES];
} arguments;

static tn_status arguments_init(arguments *a, const tni_resolved *call) {
    size_t room = 16 * SLOTS + 64;
    for (int k = 0; k < call->count; k++) {
        int ndim = call->lies[k] == TNI_LIES_RAW ? 2 * call->arrays[k]->ndim : call->ndim;
        room += 8 * (size_t)(ndim + 4);
        if (!call->arrays[k]) room += (size_t)tn_dtype_size(call->types[k]);
    }
    room += 8 * (size_t)(call->ndim + 2) * EXTRA;
    a->count = 0;
    a->bytes = 0;
    a->owned = NULL;
    a->data = a->small;
    a->capacity = sizeof a->small;
    if (room <= sizeof a->small) return TN_OK;
    a->data = a->owned = tni_malloc(room);
    a->capacity = room;
    return a->data ? TN_OK : tni_fail_no_memory((int64_t)room);
}

/* Room for the next argument. */
static void *add(arguments *a, size_t bytes) {
    size_t at = (a->bytes + 15) / 16 * 16;
    int k = a->count++;
    a->offsets[k] = (unsigned)at;
    a->sizes[k] = (unsigned)bytes;
    a->kinds[k] = 's';
    a->bytes = at + bytes;
    return a->data + at;
}

static void add_shape(arguments *a, int64_t size, int ndim, const int64_t *shape) {
    int64_t *to = add(a, 8 * (size_t)(1 + (ndim > 0 ? ndim : 1)));
    to[0] = size;
    to[1] = 1;
    memcpy(to + 1, shape, 8 * (size_t)ndim);
}

static void add_raw(arguments *a, const tn_array *array, char *address) {
    int room = array->ndim > 0 ? array->ndim : 1;
    int64_t *to = add(a, 8 * (size_t)(2 + 2 * room));
    memcpy(to, &address, 8);
    to[1] = array->size;
    to[2] = to[2 + room] = 0;
    memcpy(to + 2, tni_shape(array), 8 * (size_t)array->ndim);
    memcpy(to + 2 + room, tni_strides(array), 8 * (size_t)array->ndim);
}

static void add_walked(arguments *a, const tni_resolved *call, int k, char *address) {
    int room = call->ndim > 0 ? call->ndim : 1;
    int64_t *to = add(a, 8 * (size_t)(1 + room));
    address += call->offsets[k];
    memcpy(to, &address, 8);
    to[1] = 0;
    memcpy(to + 1, call->strides[k], 8 * (size_t)call->ndim);
}

static tn_status add_parameters(arguments *a, const tni_resolved *call) {
    for (int k = 0; k < call->count; k++) {
        const tn_array *array = call->arrays[k];
        const tn_parameter *parameter = &call->kernel->parameters.list[k];
        void *address;
        if (!array) {
            void *value = add(a, (size_t)tn_dtype_size(call->types[k]));
            TNI_TRY(tn_scalar_convert(value, *call->scalars[k], call->types[k]));
            continue;
        }
        TNI_TRY(tni_array_access(&address, array, parameter->is_const ? TNI_READ : TNI_READ_WRITE,
                                 call->stream));
        if (call->lies[k] == TNI_LIES_RAW)
            add_raw(a, array, address);
        else
            add_walked(a, call, k, address);
    }
    return TN_OK;
}

static int64_t bytes_of(const tni_resolved *call) {
    int64_t bytes = 0;
    for (int k = 0; k < call->count; k++)
        if (call->arrays[k]) bytes += tn_array_bytes(call->arrays[k]);
    return bytes;
}

static tn_status launch(tni_variant *variant, int which, const arguments *a, tni_kernel_launch *l,
                        const tni_resolved *call) {
    const tni_kernels *kernels;
    void *function;
    TNI_TRY(tni_kernel_open(&function, &kernels, variant->kernels[which], call->device));
    l->count = a->count;
    l->offsets = a->offsets;
    l->sizes = a->sizes;
    l->kinds = a->kinds;
    l->data = (char *)(uintptr_t)a->data;
    l->bytes = a->bytes;
    tn_kernel_argument arrays[SLOTS];
    if (call->kernel->is_checked) {
        memset(arrays, 0, (size_t)a->count * sizeof *arrays);
        for (int k = 0; k < call->count; k++)
            arrays[k].array = call->arrays[k];
        l->arguments = arrays;
        l->shifts = call->offsets;
    }
    int64_t begun = tni_trace_kernel_begin(call->kernel->symbol, call->stream);
    tn_status status = kernels->launch(function, l, call->stream);
    if (begun) tni_trace_kernel_end(begun, call->kernel->symbol, bytes_of(call), call->stream);
    return status;
}

/* --- Element-wise --- */

enum { GRAIN = 1024 };

static unsigned blocks_for(int64_t size, int64_t each) {
    int64_t blocks = (size + each - 1) / each;
    return (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX);
}

static tn_status launch_elementwise(tn_template *kernel, const tni_resolved *call, unsigned block) {
    arguments a;
    tni_variant *variant;
    tn_status status;
    TNI_TRY(tni_variant_get(&variant, kernel, call));
    TNI_TRY_OWNING(arguments_init(&a, call));
    TNI_TRY_OWNING(add_parameters(&a, call));
    add_shape(&a, call->size, call->ndim, call->shape);
    int64_t each = (int64_t)block * (kernel->is_short && call->ndim == 1 ? TNI_ELEMENTS_EACH : 1);
    tni_kernel_launch l = {.grid = {blocks_for(call->size, each), 1, 1},
                           .block = {block, 1, 1},
                           .elements = call->on_host ? call->size : 0,
                           .grain = GRAIN};
    TNI_TRY_OWNING(launch(variant, 0, &a, &l, call));
cleanup:
    tni_free(a.owned);
    return status;
}

/* --- Reductions --- */

static int64_t divided_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Units of the host's range. Parts depend on lengths alone, so that results do not depend on the
 * number of threads. */
static int64_t part_on_host(tni_parts *parts, const tni_resolved *call) {
    enum { LENGTH = 1 << 16, PARTS = 1024, OUTPUTS = 256, ALIGNED = 16, LEAST_ROWS = 128 };
    int64_t tiles = call->out_size, width = 1;
    if (call->in_columns) {
        int64_t row = call->shape[call->ndim - 1], columns = tni_reduction_columns(call);
        width = divided_up(row, divided_up(row, columns));
        if (width < row) width = divided_up(width, ALIGNED) * ALIGNED;
        tiles = call->out_size / row * divided_up(row, width);
        parts->width = width;
    }
    int64_t count = divided_up(parts->elements * width, LENGTH);
    if (call->in_columns) count = at_most(count, at_most(32 / tiles, parts->elements / LEAST_ROWS));
    if (tiles >= OUTPUTS || count < 2) count = 1;
    parts->length = divided_up(parts->elements, at_most(count, PARTS));
    if (parts->length < 1) parts->length = 1;
    parts->count = parts->elements ? divided_up(parts->elements, parts->length) : 1;
    return tiles * parts->count;
}

/* Blocks of a GPU: enough to fill it, where there is enough to do for each. */
static void part_on_device(tni_parts *parts, const tni_resolved *call, unsigned grid[3]) {
    enum { BLOCKS = 1056, EACH = 16, PARTS = 1024 };
    int64_t height = 1;
    while (height < TNI_REDUCTION_BLOCK && height < parts->elements)
        height *= 2;
    if (call->in_columns && height > TNI_REDUCTION_BLOCK / 32) height = TNI_REDUCTION_BLOCK / 32;
    parts->width = TNI_REDUCTION_BLOCK / height;
    int64_t blocks = divided_up(call->out_size, parts->width);
    int64_t count = at_most(BLOCKS / blocks, divided_up(parts->elements, height * EACH));
    if (count < 1) count = 1;
    parts->length = divided_up(parts->elements, at_most(count, PARTS));
    if (parts->length < 1) parts->length = 1;
    parts->count = parts->elements ? divided_up(parts->elements, parts->length) : 1;
    grid[0] = (unsigned)at_most(blocks, INT32_MAX);
    grid[1] = (unsigned)parts->count;
}

static tn_status make_totals(tn_array **totals, tni_parts *parts, const tni_resolved *call) {
    int64_t bytes = parts->count * call->out_size * 2 * tni_reduction_value_bytes(call);
    TNI_TRY(tn_array_new(totals, TN_U8, 1, &bytes, TN_ORDER_C, call->stream));
    return tni_array_access(&parts->totals, *totals, TNI_WRITE, call->stream);
}

static tn_status launch_parts(tni_variant *variant, arguments *a, tni_parts *parts,
                              const tni_resolved *call) {
    tni_kernel_launch l = {.grid = {1, 1, 1}, .block = {TNI_REDUCTION_BLOCK, 1, 1}, .grain = 1};
    tn_array *totals = NULL;
    tn_status status = TN_OK;
    int64_t units = 0;
    if (call->on_host)
        units = part_on_host(parts, call);
    else
        part_on_device(parts, call, l.grid);
    l.elements = units;
    int64_t work = parts->length * parts->width;
    if (work < GRAIN) l.grain = GRAIN / work;
    if (parts->count > 1) TNI_TRY_OWNING(make_totals(&totals, parts, call));
    memcpy(add(a, sizeof *parts), parts, sizeof *parts);
    TNI_TRY_OWNING(launch(variant, 0, a, &l, call));
    if (parts->count == 1) goto cleanup;
    l.grid[1] = 1;
    l.elements = call->on_host ? call->out_size : 0;
    l.grain = GRAIN / parts->count + 1;
    TNI_TRY_OWNING(launch(variant, 1, a, &l, call));
cleanup:
    tn_array_release(totals);
    return status;
}

/* --- Reductions by a backend's form --- */

/* What finds the program while the backend plans. */
typedef struct form_call {
    tn_template *kernel;
    tni_resolved *call;
} form_call;

static tn_status find_program(void **function, const tni_fold_frame *frame, void *context) {
    const form_call *of = context;
    const tni_kernels *kernels;
    tni_variant *variant;
    of->call->frame = frame;
    TNI_TRY(tni_variant_get(&variant, of->kernel, of->call));
    return tni_kernel_open(function, &kernels, variant->kernels[0], of->call->device);
}

/* Where the packed arguments say that an input begins. */
static const char *address_of(const arguments *a, int k) {
    const char *address;
    memcpy(&address, a->data + a->offsets[k], sizeof address);
    return address;
}

/* The inputs that the form loads, the leading one first. */
static void add_loaded(tni_kernel_fold *fold, const tni_resolved *call, const arguments *a,
                       int leader) {
    tni_reduce *to = &fold->call;
    size_t kept = sizeof(int64_t) * (size_t)to->kept_ndim;
    size_t reduced = sizeof(int64_t) * (size_t)to->reduced_ndim;
    fold->together = 0;
    to->input = NULL;
    to->input_dtype = TN_U8;
    memset(to->kept_input, 0, kept);
    memset(to->reduced_input, 0, reduced);
    if (leader < 0) return;
    to->input = address_of(a, leader);
    to->input_dtype = call->types[leader];
    memcpy(to->kept_input, call->strides[leader] + call->reduced, kept);
    memcpy(to->reduced_input, call->strides[leader], reduced);
    fold->inputs[fold->together] = to->input;
    fold->sizes[fold->together++] = (int)tn_dtype_size(to->input_dtype);
    for (int k = 0; k < call->kernel->parameters.inputs; k++) {
        if (call->lies[k] != TNI_LIES_TOGETHER) continue;
        fold->inputs[fold->together] = address_of(a, k);
        fold->sizes[fold->together++] = (int)tn_dtype_size(call->types[k]);
    }
}

static void describe_fold(tni_kernel_fold *fold, const tni_resolved *call) {
    tni_reduce *to = &fold->call;
    int outs = call->ndim - call->reduced;
    to->op = TN_OP_ADD; /* any: the program has its own */
    to->statistic = TNI_STATISTIC_FOLD;
    to->flags = 0;
    to->is_ordered = to->is_unaligned = to->has_initial = false;
    to->accumulator = to->output_dtype = call->types[call->kernel->parameters.inputs];
    to->correction = 0;
    memset(to->initial, 0, sizeof to->initial);
    to->output = NULL;
    to->mask = NULL;
    to->body = NULL;
    to->kept_ndim = outs;
    to->reduced_ndim = call->reduced;
    to->kept_size = call->out_size;
    to->reduced_size = call->size / call->out_size;
    memcpy(to->kept_shape, call->shape + call->reduced, sizeof(int64_t) * (size_t)outs);
    memset(to->kept_output, 0, sizeof(int64_t) * (size_t)outs);
    for (int axis = 0; axis < call->reduced; axis++) /* of nothing: no axis is walked */
        to->reduced_shape[axis] = to->reduced_size ? call->shape[axis] : 1;
    fold->value_bytes = (int)tni_reduction_value_bytes(call);
    fold->state_bytes = 2 * fold->value_bytes;
}

static tn_status launch_form(tn_template *kernel, tni_resolved *call) {
    arguments a;
    tni_kernel_fold fold;
    form_call of = {kernel, call};
    tn_status status;
    int leader = tni_resolve_leader(call);
    TNI_TRY(arguments_init(&a, call));
    TNI_TRY_OWNING(add_parameters(&a, call));
    add_shape(&a, call->size, call->ndim, call->shape);
    add_shape(&a, call->out_size, call->ndim - call->reduced, call->shape + call->reduced);
    describe_fold(&fold, call);
    add_loaded(&fold, call, &a, leader);
    fold.arguments = a.data;
    fold.bytes = (a.bytes + 15) / 16 * 16;
    fold.find = find_program;
    fold.context = &of;
    status = tni_backend_of(call->stream)->fold_by_program(&fold, call->stream);
cleanup:
    tni_free(a.owned);
    return status;
}

/* Forms load vectors, which structures have not. */
static bool has_structures(const tni_resolved *call) {
    for (int k = 0; k < call->count; k++)
        if (tn_dtype_is_stored(call->types[k])) return true;
    return false;
}

static tn_status launch_reduction(tn_template *kernel, tni_resolved *call) {
    arguments a;
    tni_variant *variant;
    tni_parts parts = {.elements = call->size / call->out_size, .width = 1};
    tn_status status;
    if (tni_backend_of(call->stream)->fold_by_program && !kernel->wants_threads &&
        kernel->folds_plainly && !has_structures(call))
        return launch_form(kernel, call);
    TNI_TRY(tni_variant_get(&variant, kernel, call));
    TNI_TRY_OWNING(arguments_init(&a, call));
    TNI_TRY_OWNING(add_parameters(&a, call));
    add_shape(&a, call->size, call->ndim, call->shape);
    add_shape(&a, call->out_size, call->ndim - call->reduced, call->shape + call->reduced);
    TNI_TRY_OWNING(launch_parts(variant, &a, &parts, call));
cleanup:
    tni_free(a.owned);
    return status;
}

/* --- Operands --- */

static tn_status find_place(tni_resolved *call, const tn_template_call *given) {
    const tn_array *arrays[TNI_PARAMETERS_MAX];
    int count = 0;
    for (int k = 0; k < given->count; k++)
        if (given->operands[k].array) arrays[count++] = given->operands[k].array;
    call->device = given->stream ? tn_stream_device(given->stream) : tn_device_get_current();
    if (count > 0) TNI_TRY(tni_device_common(&call->device, count, arrays));
    TNI_TRY(tni_stream_resolve(&call->stream, given->stream, call->device));
    call->on_host = call->device.backend == TN_BACKEND_HOST && !call->kernel->wants_threads &&
                    !call->kernel->is_checked;
    return TN_OK;
}

static void take_operands(tni_resolved *call, const tn_template_call *given) {
    for (int k = 0; k < call->count; k++) {
        call->arrays[k] = k < given->count ? given->operands[k].array : NULL;
        call->scalars[k] = k < given->count ? &given->operands[k].scalar : NULL;
    }
}

static tn_status check_output(const tni_resolved *call, int k, int ndim, const int64_t *shape) {
    char has[TNI_SHAPE_TEXT], wants[TNI_SHAPE_TEXT];
    const tn_array *array = call->arrays[k];
    const tn_parameter *parameter = &call->kernel->parameters.list[k];
    TNI_TRY(tni_array_check_writeable(array));
    if (parameter->is_raw) return TN_OK;
    bool is_same = array->ndim == ndim;
    for (int axis = 0; is_same && axis < ndim; axis++)
        is_same = tni_shape(array)[axis] == shape[axis];
    if (!is_same)
        TNI_FAIL(TN_ERROR_VALUE, "Out shape is mismatched: kernel %s: output %s is %s, not %s",
                 call->kernel->texts[TNI_TEXT_NAME], parameter->name,
                 tni_shape_text(has, array->ndim, tni_shape(array)),
                 tni_shape_text(wants, ndim, shape));
    return TN_OK;
}

/* Order F where all arrays of the call's shape have it, and no text sees the order. */
static tn_order choose_order(const tni_resolved *call) {
    bool has_f = false;
    if (call->kernel->sees_order || call->kernel->is_reduction) return TN_ORDER_C;
    for (int k = 0; k < call->kernel->parameters.inputs; k++) {
        const tn_array *array = call->arrays[k];
        if (!array || call->kernel->parameters.list[k].is_raw || array->ndim != call->ndim)
            continue;
        if (array->size != call->size) continue;
        if (!(array->flags & TNI_F_CONTIGUOUS)) return TN_ORDER_C;
        has_f |= !(array->flags & TNI_C_CONTIGUOUS);
    }
    return has_f ? TN_ORDER_F : TN_ORDER_C;
}

/* Checks the outputs that were given, or makes them. outputs[k] is a reference. */
static tn_status open_outputs(tn_array **outputs, tni_resolved *call, const tn_template_call *given,
                              int ndim, const int64_t *shape) {
    int inputs = call->kernel->parameters.inputs;
    tn_order order = given->count == inputs ? choose_order(call) : TN_ORDER_C;
    for (int k = inputs; k < call->count; k++) {
        if (call->arrays[k]) {
            TNI_TRY(check_output(call, k, ndim, shape));
            outputs[k - inputs] = tn_array_retain((tn_array *)(uintptr_t)call->arrays[k]);
            continue;
        }
        if (call->kernel->parameters.list[k].is_raw && given->size < 0)
            TNI_FAIL(TN_ERROR_VALUE,
                     "Output array size is Undecided: kernel %s: output %s is raw, give it",
                     call->kernel->texts[TNI_TEXT_NAME], call->kernel->parameters.list[k].name);
        TNI_TRY(
            tn_array_new(&outputs[k - inputs], call->types[k], ndim, shape, order, call->stream));
        call->arrays[k] = outputs[k - inputs];
    }
    return TN_OK;
}

/* --- Stand-ins --- */

_Static_assert((int)TNI_PARAMETERS_MAX <= (int)TNI_MAX_STAND_INS, "one for each operand");

/* An input that shares some elements with an output, but is not the same view. */
static bool meets_output(const tni_resolved *call, int k) {
    if (k >= call->kernel->parameters.inputs || call->kernel->parameters.list[k].is_raw)
        return false;
    for (int l = call->kernel->parameters.inputs; l < call->count; l++)
        if (!call->kernel->parameters.list[l].is_raw &&
            tni_array_overlap(call->arrays[l], call->arrays[k]) == TNI_OVERLAP_PARTIAL)
            return true;
    return false;
}

/* Whether elements lie as their type in kernels wants it (tn_dtype_new). */
static bool is_aligned_structure(const tn_array *array) {
    const int64_t bytes = tn_dtype_size(array->dtype) | 16;
    int64_t bits = tn_array_offset(array); /* buffers begin at multiples of 16 */
    for (int axis = 0; axis < array->ndim; axis++)
        bits |= tni_strides(array)[axis];
    return tn_dtype_is_stored(array->dtype) && tni_buffer_home(array->buffer) &&
           (bits & ((bytes & -bytes) - 1)) == 0;
}

/* A copy in the place of each operand that is not aligned or is overwritten while it is read. */
static tn_status replace(tni_operands *operands, tni_resolved *call, bool owns_outputs) {
    for (int k = 0; k < call->count; k++) {
        const tn_array *array = call->arrays[k];
        if (!array) continue;
        bool is_aligned = array->flags & TNI_ALIGNED || is_aligned_structure(array);
        if (is_aligned && (owns_outputs || !meets_output(call, k))) continue;
        bool is_const = call->kernel->parameters.list[k].is_const;
        TNI_TRY(tni_operands_stand_in(&call->arrays[k], is_const ? TNI_READ : TNI_READ_WRITE,
                                      operands));
    }
    return TN_OK;
}

/* --- Calls --- */

static tn_status check_scalars(const tni_resolved *call) {
    unsigned char value[16];
    for (int k = 0; k < call->kernel->parameters.inputs; k++)
        if (!call->arrays[k] && !tn_dtype_is_stored(call->types[k]))
            TNI_TRY(tn_scalar_convert(value, *call->scalars[k], call->types[k]));
    return TN_OK;
}

static tn_status check_block(const tni_resolved *call, unsigned block) {
    if (block >= 1 && block <= 1024) return TN_OK;
    TNI_FAIL(TN_ERROR_VALUE, "kernel %s: block_size is %u, blocks have 1 to 1024 threads",
             call->kernel->texts[TNI_TEXT_NAME], block);
}

static tn_status run_elementwise(tn_array **outputs, tn_template *kernel, tni_resolved *call,
                                 const tn_template_call *given) {
    tni_operands operands;
    unsigned block = given->block_size ? given->block_size : 128;
    tn_status status;
    TNI_TRY(check_block(call, block));
    TNI_TRY(check_scalars(call));
    TNI_TRY(open_outputs(outputs, call, given, call->ndim, call->shape));
    if (call->size == 0) return TN_OK;
    tni_operands_init(&operands, call->stream);
    TNI_TRY_OWNING(replace(&operands, call, given->count < call->count));
    tni_resolve_layout(call);
    TNI_TRY_OWNING(launch_elementwise(kernel, call, block));
cleanup:
    return tni_operands_close(&operands, status);
}

static tn_status find_axes(uint64_t *axes, const tni_resolved *call,
                           const tn_template_call *given) {
    if (given->axis_count >= 0)
        return tni_axes_check(axes, given->axis_count, given->axes, call->ndim);
    *axes = call->ndim < 64 ? (UINT64_C(1) << call->ndim) - 1 : UINT64_MAX;
    return TN_OK;
}

/* The shape of the outputs, and how many elements make one. */
static int64_t reduced_shape(int *ndim, int64_t *shape, const tni_resolved *call, uint64_t axes) {
    int64_t elements = 1;
    *ndim = 0;
    for (int axis = 0; axis < call->ndim; axis++) {
        bool is_reduced = axes >> axis & 1;
        if (is_reduced) elements *= call->shape[axis];
        if (!is_reduced || call->keepdims) shape[(*ndim)++] = is_reduced ? 1 : call->shape[axis];
    }
    return elements;
}

static tn_status run_reduction(tn_array **outputs, tn_template *kernel, tni_resolved *call,
                               const tn_template_call *given) {
    tni_operands operands;
    int64_t shape[TN_MAX_NDIM];
    uint64_t axes;
    int ndim;
    tn_status status;
    TNI_TRY(find_axes(&axes, call, given));
    TNI_TRY(check_scalars(call));
    call->keepdims = given->keepdims;
    int64_t elements = reduced_shape(&ndim, shape, call, axes);
    if (elements == 0 && !*kernel->texts[TNI_TEXT_IDENTITY])
        TNI_FAIL(TN_ERROR_VALUE, "zero-size array to reduction operation %s which has no identity",
                 kernel->texts[TNI_TEXT_NAME]);
    TNI_TRY(open_outputs(outputs, call, given, ndim, shape));
    TNI_TRY(tni_shape_size(&call->out_size, ndim, shape, 1));
    if (call->out_size == 0) return TN_OK;
    tni_operands_init(&operands, call->stream);
    TNI_TRY_OWNING(replace(&operands, call, given->count < call->count));
    tni_resolve_reduction(call, axes);
    TNI_TRY_OWNING(launch_reduction(kernel, call));
cleanup:
    return tni_operands_close(&operands, status);
}

tn_status tn_template_launch(tn_array **outputs, tn_template *kernel,
                             const tn_template_call *given) {
    tni_resolved call;
    int inputs = kernel->parameters.inputs, count = kernel->parameters.count;
    tn_array *made[TNI_PARAMETERS_MAX];
    memset(made, 0, (size_t)(count - inputs) * sizeof *made);
    call.kernel = kernel;
    call.is_missing = given->is_missing;
    call.count = count;
    call.reduced = 0;
    call.in_columns = call.keepdims = false;
    call.frame = NULL;
    TNI_TRY(find_place(&call, given));
    TNI_TRY(tni_resolve_types(&call, given));
    take_operands(&call, given);
    tn_template_call inner = *given;
    if (kernel->is_reduction) inner.count = inputs;
    TNI_TRY(tni_resolve_shape(&call, &inner));
    tn_status status = kernel->is_reduction ? run_reduction(made, kernel, &call, given)
                                            : run_elementwise(made, kernel, &call, given);
    for (int k = 0; k < count - inputs; k++) {
        if (status == TN_OK)
            outputs[k] = made[k];
        else
            tn_array_release(made[k]);
    }
    return status;
}
