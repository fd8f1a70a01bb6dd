/* The form ufunc_at on the host: one thread, in the order of positions, since an element may come
 * twice.
 *
 * All indices are checked before anything is written. The innermost axis is walked by one of
 *   - a loop of at_loops.h, where one index runs along it and no dtype is converted;
 *   - the element-wise loop over a whole row, where no index runs along it (distinct elements);
 *   - the element-wise loop, element by element, for everything else. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECE = 512 };

typedef struct scatter {
    const tni_ufunc_at *call;
    tni_at_loop at; /* NULL: none fits */
    tni_loop loop, load, store, load_operand;
    int64_t sizes[3]; /* bytes of the loop's arguments */
    bool is_plain;    /* the array is stored as the loop takes and gives it */
} scatter;

/* --- Bounds --- */

static tn_status fail_index(const tni_ufunc_at *call, int k, int64_t index) {
    return tni_fail(TN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                    (long long)index, call->indices[k].axis, (long long)call->indices[k].size);
}

typedef struct bounds {
    const int64_t *index;
    int64_t size;
    atomic_bool outside;
} bounds;

/* Whether any of a run is outside: compared as unsigned, which compilers vectorise. */
static void check_run(void *context, int64_t begin, int64_t end) {
    bounds *b = context;
    uint64_t size = (uint64_t)b->size, outside = 0;
    for (int64_t i = begin; i < end; i++)
        outside |= (uint64_t)b->index[i] + size >= 2 * size;
    if (outside) atomic_store(&b->outside, true);
}

/* Each index array over its own axes, not over those along which it is repeated. */
static tn_status check_indices(const tni_ufunc_at *call, int k) {
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM], count = 1, size = call->indices[k].size;
    int ndim = 0;
    shape[0] = 1; /* of one index for all */
    strides[0] = 0;
    for (int axis = 0; axis < call->ndim; axis++) {
        if (call->indices[k].strides[axis] == 0) continue;
        shape[ndim] = call->shape[axis];
        strides[ndim++] = call->indices[k].strides[axis];
        count *= call->shape[axis];
    }
    int last = ndim > 0 ? ndim - 1 : 0;
    int64_t inner = shape[last], step = strides[last];
    tni_walk walk;
    tni_walk_start(&walk, last, shape, strides, NULL, 0);
    for (int64_t done = 0; done < count; done += inner) {
        const char *at = call->indices[k].data + walk.offsets[0];
        bounds b = {.index = (const void *)at, .size = size};
        atomic_init(&b.outside, step != sizeof(int64_t));
        if (step == sizeof(int64_t)) tni_parallel_units(inner, 1, check_run, &b);
        for (int64_t i = 0; atomic_load(&b.outside) && i < inner; i++) {
            int64_t index = *(const int64_t *)(const void *)(at + i * step);
            if (index < -size || index >= size) return fail_index(call, k, index);
        }
        if (done + inner < count) tni_walk_next(&walk);
    }
    return TN_OK;
}

/* --- Elements --- */

/* n elements of the array, all distinct or one alone: x = op(x, b). */
static void update(const scatter *s, char *array, int64_t stride, const char *b, int64_t b_stride,
                   int64_t n) {
    _Alignas(64) char first[PIECE * 16], second[PIECE * 16], result[PIECE * 16];
    const tni_ufunc_at *call = s->call;
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t count = n - i < PIECE ? n - i : PIECE;
        char *x = array + i * stride, *arguments[3];
        int64_t strides[3] = {stride, b_stride, stride};
        arguments[0] = arguments[2] = x;
        arguments[1] = (char *)(uintptr_t)b + i * b_stride;
        if (!s->is_plain) {
            tni_convert(s->load, x, stride, first, s->sizes[0], count);
            arguments[0] = first;
            arguments[2] = result;
            strides[0] = s->sizes[0];
            strides[2] = s->sizes[2];
        }
        if (call->is_binary && call->operand_dtype != call->arguments[1]) {
            tni_convert(s->load_operand, arguments[1], b_stride, second, s->sizes[1], count);
            arguments[1] = second;
            strides[1] = s->sizes[1];
        }
        if (!call->is_binary) {
            arguments[1] = arguments[2];
            strides[1] = strides[2];
        }
        s->loop(arguments, strides, count);
        if (!s->is_plain) tni_convert(s->store, result, s->sizes[2], x, stride, count);
    }
}

/* The offset that the indices at these places give. */
static int64_t offset_at(const tni_ufunc_at *call, const int64_t *places, int64_t i, int inner) {
    int64_t offset = 0;
    for (int k = 0; k < call->index_count; k++) {
        int64_t stride = inner >= 0 ? call->indices[k].strides[inner] : 0;
        int64_t index =
            *(const int64_t *)(const void *)(call->indices[k].data + places[k] + i * stride);
        offset += (index + (index < 0 ? call->indices[k].size : 0)) * call->indices[k].stride;
    }
    return offset;
}

/* --- The walk --- */

static bool moves_along(const tni_ufunc_at *call, int axis) {
    for (int k = 0; k < call->index_count; k++)
        if (call->indices[k].strides[axis] != 0) return true;
    return false;
}

static void walk_inner(const scatter *s, char *array, const int64_t *places, const char *b,
                       bool indexed) {
    const tni_ufunc_at *call = s->call;
    int inner = call->ndim - 1;
    int64_t n = inner >= 0 ? call->shape[inner] : 1;
    int64_t stride = inner >= 0 ? call->array_strides[inner] : 0;
    int64_t b_stride = inner >= 0 ? call->operand_strides[inner] : 0;
    if (!indexed && stride != 0) {
        update(s, array + offset_at(call, places, 0, -1), stride, b, b_stride, n);
        return;
    }
    bool is_one_index = call->index_count == 1 && inner >= 0 && stride == 0 &&
                        call->indices[0].strides[inner] == sizeof(int64_t);
    if (s->at && is_one_index) {
        s->at(array, call->indices[0].stride, call->indices[0].size,
              (const void *)(call->indices[0].data + places[0]), b, b_stride, n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        update(s, array + i * stride + offset_at(call, places, i, inner), 0, b + i * b_stride, 0,
               1);
}

static void walk_all(const scatter *s) {
    const tni_ufunc_at *call = s->call;
    int64_t places[TNI_AT_INDICES] = {0}, position[TN_MAX_NDIM] = {0};
    int inner = call->ndim - 1;
    int64_t rows = inner >= 0 ? call->size / call->shape[inner] : 1;
    char *array = call->array;
    const char *b = call->operand;
    bool indexed = inner < 0 || moves_along(call, inner);
    for (int64_t row = 0; row < rows; row++) {
        walk_inner(s, array, places, b, indexed);
        for (int axis = inner - 1; axis >= 0; axis--) {
            bool wraps = ++position[axis] == call->shape[axis];
            int64_t step = wraps ? 1 - call->shape[axis] : 1;
            array += step * call->array_strides[axis];
            if (b) b += step * call->operand_strides[axis];
            for (int k = 0; k < call->index_count; k++)
                places[k] += step * call->indices[k].strides[axis];
            if (!wraps) break;
            position[axis] = 0;
        }
    }
}

/* NULL for operations of another kind, and for the halves. */
static tni_at_loop find_at_loop(tn_op op, tn_dtype dtype) {
    const tni_at_loop *loops = tni_loops_level()->at[dtype];
    return loops ? loops[op] : NULL;
}

tn_status tni_host_run_ufunc_at(void *parameters) {
    const tni_ufunc_at *call = parameters;
    for (int k = 0; k < call->index_count; k++)
        TNI_TRY(check_indices(call, k));
    scatter s = {.call = call};
    s.loop = tni_loop_find(call->op, call->dtype);
    if (!s.loop)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s.at of %s", tn_op_name(call->op),
                 tn_dtype_name(call->dtype));
    s.load = tni_cast_find(call->array_dtype, call->arguments[0]);
    s.store = tni_cast_find(call->arguments[2], call->array_dtype);
    s.sizes[0] = tn_dtype_size(call->arguments[0]);
    s.sizes[2] = tn_dtype_size(call->arguments[2]);
    s.is_plain = call->array_dtype == call->arguments[0] && call->array_dtype == call->arguments[2];
    if (call->is_binary) {
        s.load_operand = tni_cast_find(call->operand_dtype, call->arguments[1]);
        s.sizes[1] = tn_dtype_size(call->arguments[1]);
        if (s.is_plain && call->operand_dtype == call->array_dtype &&
            call->dtype == call->array_dtype)
            s.at = find_at_loop(call->op, call->dtype);
    }
    walk_all(&s);
    return TN_OK;
}

TNI_HOST_PLAN(ufunc_at, call->size)
