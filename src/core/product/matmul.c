/* NumPy's four products: from arrays to one call of a backend.
 *
 * Steps: name the core axes (n?,k),(k,m?); broadcast the others; choose the dtype; check or make
 * the result; convert, conjugate and copy operands that a backend does not take as they are;
 * describe the batch; pass the door; hand over. A batch whose matrices follow each other like rows
 * of a larger matrix, times one and the same matrix, is made one product. Products of vectors that
 * would have to be copied first, or lie across memory, are reductions with a body.
 *
 * Invariant: nothing is written before everything that can fail has been checked, but for the
 * backend's own failure. */
#include "forms/matmul.h"
#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/view.h"
#include "core/elementwise/elementwise.h"
#include "core/product/dot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/linalg.h>

/* One of the four, in NumPy's words. */
typedef struct kind {
    const char *name, *signature;
    int a_core, b_core; /* axes; matmul takes one less where an operand has one axis */
    bool flexible, conjugates;
} kind;

static const kind matmul = {"matmul", "(n?,k),(k,m?)->(n?,m?)", 2, 2, true, false};
static const kind vecdot = {"vecdot", "(n),(n)->()", 1, 1, false, true};
static const kind matvec = {"matvec", "(m,n),(n)->(m)", 2, 1, false, false};
static const kind vecmat = {"vecmat", "(n),(n,m)->(m)", 1, 2, false, true};

enum { A, B, OUT, OPERANDS };

typedef struct plan {
    const kind *kind;
    const tn_array *arrays[OPERANDS]; /* what the backend gets; OUT may be a temporary */
    tn_array *owned[OPERANDS];        /* copies and a result made here */
    int core[OPERANDS];               /* core axes of each: the last ones */
    int64_t m, n, k;
    int batch_ndim; /* then the core shape follows in `shape` */
    int64_t shape[TN_MAX_NDIM];
    tn_dtype dtype;
    bool conjugate;
    tn_stream *stream;
} plan;

/* --- Shapes --- */

static tn_status fail_dimensions(const plan *p, const char *role, int number, int has, int needs) {
    return tni_fail(TN_ERROR_VALUE,
                    "%s: %s operand %d does not have enough dimensions (has %d, gufunc core with "
                    "signature %s requires %d)",
                    p->kind->name, role, number, has, p->kind->signature, needs);
}

static tn_status fail_core(const plan *p, const char *role, int number, int axis, int64_t size,
                           int64_t wanted) {
    return tni_fail(TN_ERROR_VALUE,
                    "%s: %s operand %d has a mismatch in its core dimension %d, with gufunc "
                    "signature %s (size %lld is different from %lld)",
                    p->kind->name, role, number, axis, p->kind->signature, (long long)size,
                    (long long)wanted);
}

/* NumPy's account of a failed broadcast: "(2,3,4)->(2,newaxis,newaxis) ". */
static void remapped_text(char *text, size_t size, const tn_array *array, int core, int added) {
    char whole[TNI_SHAPE_TEXT];
    size_t used =
        (size_t)snprintf(text, size, "%s->(", tni_shape_text(whole, array->ndim, tni_shape(array)));
    const char *comma = "";
    for (int axis = 0; axis < array->ndim - core && used < size; axis++, comma = ",")
        used += (size_t)snprintf(text + used, size - used, "%s%lld", comma,
                                 (long long)tni_shape(array)[axis]);
    for (int axis = 0; axis < added && used < size; axis++, comma = ",")
        used += (size_t)snprintf(text + used, size - used, "%snewaxis", comma);
    if (used < size) snprintf(text + used, size - used, ") ");
}

static tn_status fail_broadcast(const plan *p) {
    char texts[OPERANDS][2 * TNI_SHAPE_TEXT] = {"", "", ""}, core[TNI_SHAPE_TEXT];
    for (int o = A; o < OPERANDS; o++)
        if (p->arrays[o])
            remapped_text(texts[o], sizeof texts[o], p->arrays[o], o == OUT ? 0 : p->core[o],
                          o == OUT ? 0 : p->core[OUT]);
    const int64_t sizes[2] = {p->core[A] == 2 ? p->m : p->n, p->n};
    tni_shape_text(core, p->core[OUT], sizes);
    size_t length = strlen(core); /* here NumPy writes (3), not (3,) */
    if (length > 1 && core[length - 2] == ',') memcpy(core + length - 2, ")", 2);
    return tni_fail(TN_ERROR_VALUE,
                    "operands could not be broadcast together with remapped shapes "
                    "[original->remapped]: %s%s%s and requested shape %s",
                    texts[A], texts[B], texts[OUT], core);
}

/* Merges the batch axes of one operand into the batch shape; false: they do not fit. */
static bool merge_batch(plan *p, const tn_array *array, int core) {
    int ndim = array->ndim - core, more = ndim - p->batch_ndim;
    const int64_t *shape = tni_shape(array);
    if (more > 0) {
        memmove(p->shape + more, p->shape, sizeof *shape * (size_t)p->batch_ndim);
        for (int axis = 0; axis < more; axis++)
            p->shape[axis] = 1;
        p->batch_ndim = ndim;
    }
    for (int axis = 0; axis < ndim; axis++) {
        int64_t *at = &p->shape[p->batch_ndim - ndim + axis];
        if (shape[axis] == *at || shape[axis] == 1) continue;
        if (*at != 1) return false;
        *at = shape[axis];
    }
    return true;
}

static tn_status find_shape(plan *p, const tn_array *a, const tn_array *b) {
    const kind *kind = p->kind;
    int a_least = kind->flexible ? 1 : kind->a_core, b_least = kind->flexible ? 1 : kind->b_core;
    if (a->ndim < a_least) return fail_dimensions(p, "Input", 0, a->ndim, a_least);
    if (b->ndim < b_least) return fail_dimensions(p, "Input", 1, b->ndim, b_least);
    p->core[A] = a->ndim < kind->a_core ? 1 : kind->a_core;
    p->core[B] = b->ndim < kind->b_core ? 1 : kind->b_core;
    p->core[OUT] = p->core[A] + p->core[B] - 2;
    const int64_t *of_a = tni_shape(a) + a->ndim - p->core[A];
    const int64_t *of_b = tni_shape(b) + b->ndim - p->core[B];
    p->m = p->core[A] == 2 ? of_a[0] : 1;
    p->k = of_a[p->core[A] - 1];
    p->n = p->core[B] == 2 ? of_b[1] : 1;
    if (of_b[0] != p->k) return fail_core(p, "Input", 1, 0, of_b[0], p->k);
    p->batch_ndim = 0;
    if (!merge_batch(p, a, p->core[A]) || !merge_batch(p, b, p->core[B])) return fail_broadcast(p);
    if (p->batch_ndim + p->core[OUT] > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE, "%s: the result would have %d dimensions, more than %d",
                 kind->name, p->batch_ndim + p->core[OUT], TN_MAX_NDIM);
    int64_t *core = p->shape + p->batch_ndim;
    if (p->core[A] == 2) *core++ = p->m;
    if (p->core[B] == 2) *core = p->n;
    return TN_OK;
}

/* A given result fixes the batch shape. */
static tn_status check_result(plan *p, const tn_array *out) {
    int core = p->core[OUT];
    if (!(out->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (out->ndim < core) return fail_dimensions(p, "Output", 0, out->ndim, core);
    const int64_t *shape = tni_shape(out) + out->ndim - core;
    for (int axis = 0; axis < core; axis++)
        if (shape[axis] != p->shape[p->batch_ndim + axis])
            return fail_core(p, "Output", 0, axis, shape[axis], p->shape[p->batch_ndim + axis]);
    for (int axis = 1; axis <= p->batch_ndim; axis++) {
        int64_t size = p->shape[p->batch_ndim - axis];
        if (axis > out->ndim - core || (shape[-axis] == 1 && size != 1)) {
            char given[TNI_SHAPE_TEXT], wanted[TNI_SHAPE_TEXT];
            TNI_FAIL(TN_ERROR_VALUE,
                     "non-broadcastable output operand with shape %s doesn't match the broadcast "
                     "shape %s",
                     tni_shape_text(given, out->ndim, tni_shape(out)),
                     tni_shape_text(wanted, p->batch_ndim + core, p->shape));
        }
        if (shape[-axis] != size && size != 1) {
            p->arrays[OUT] = out;
            return fail_broadcast(p);
        }
    }
    p->batch_ndim = out->ndim - core;
    memcpy(p->shape, tni_shape(out), sizeof *shape * (size_t)out->ndim);
    return TN_OK;
}

/* --- Types --- */

static tn_status find_dtype(plan *p, const tn_array *out, const tn_matmul_options *options) {
    p->dtype = options->dtype;
    if (p->dtype == TN_DTYPE_NONE) {
        p->dtype = p->arrays[A]->dtype;
        if (p->arrays[A]->dtype != p->arrays[B]->dtype)
            p->dtype = tn_dtype_promote(p->arrays[A]->dtype, p->arrays[B]->dtype);
    }
    if ((unsigned)p->dtype >= TN_DTYPE_COUNT) TNI_FAIL(TN_ERROR_TYPE, "invalid dtype %d", p->dtype);
    for (int o = A; o <= B; o++)
        if (!tn_dtype_can_cast(p->arrays[o]->dtype, p->dtype, options->casting))
            TNI_FAIL(TN_ERROR_CASTING,
                     "Cannot cast ufunc '%s' input %d from dtype('%s') to dtype('%s') with casting "
                     "rule '%s'",
                     p->kind->name, o, tn_dtype_name(p->arrays[o]->dtype), tn_dtype_name(p->dtype),
                     tn_casting_name(options->casting));
    if (out && !tn_dtype_can_cast(p->dtype, out->dtype, options->casting))
        TNI_FAIL(TN_ERROR_CASTING,
                 "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule "
                 "'%s'",
                 p->kind->name, tn_dtype_name(p->dtype), tn_dtype_name(out->dtype),
                 tn_casting_name(options->casting));
    return TN_OK;
}

/* --- Operands --- */

static int64_t extent(const tn_array *array, int core, int axis) {
    return tni_shape(array)[array->ndim - core + axis];
}

static int64_t stride(const tn_array *array, int core, int axis) {
    return tni_strides(array)[array->ndim - core + axis];
}

/* The promise of tni_matmul about matrices of float dtypes. */
static bool is_blas_like(const tn_array *array, int core) {
    if (core < 2) return true;
    int64_t size = tn_dtype_size(array->dtype), rows = extent(array, 2, 0),
            columns = extent(array, 2, 1), down = stride(array, 2, 0), right = stride(array, 2, 1);
    if (rows <= 1 || columns <= 1) return true;
    if (right == size) return down % size == 0 && down >= columns * size;
    return down == size && right % size == 0 && right >= rows * size;
}

static bool is_usable(const plan *p, const tn_array *array, int core) {
    if (!(array->flags & TNI_ALIGNED)) return false;
    bool any_strides = p->dtype < TN_F16 || p->m * p->n * p->k < TNI_MATMUL_SMALL;
    return any_strides || is_blas_like(array, core);
}

/* Takes over `made` as operand `o`. */
static void replace(plan *p, int o, tn_array *made) {
    if (p->owned[o]) tn_array_release(p->owned[o]);
    p->owned[o] = made;
    p->arrays[o] = made;
}

static tn_status prepare_operand(plan *p, int o) {
    const tn_array *array = p->arrays[o];
    tn_array *made;
    if (array->dtype != p->dtype || !is_usable(p, array, p->core[o])) {
        bool odd = array->dtype == p->dtype || !is_blas_like(array, p->core[o]);
        TNI_TRY(tn_array_astype(&made, array, p->dtype, odd ? TN_ORDER_C : TN_ORDER_K,
                                TN_CASTING_UNSAFE, TN_COPY_ALWAYS, p->stream));
        replace(p, o, made);
    }
    if (o == A && p->kind->conjugates && tn_dtype_kind(p->dtype) == TN_KIND_COMPLEX) {
        p->conjugate = p->m == 1 && p->n == 1;
        if (p->conjugate) return TN_OK;
        TNI_TRY(tn_unary(&made, TN_OP_CONJUGATE, p->arrays[A], p->stream));
        replace(p, A, made);
    }
    return TN_OK;
}

/* The array that the backend writes: the given one where it can, else one made here. */
static tn_status prepare_result(plan *p, const tn_array *out, tn_order order) {
    p->arrays[OUT] = out;
    if (out && out->dtype == p->dtype && is_usable(p, out, p->core[OUT]) &&
        tni_array_overlap(out, p->arrays[A]) == TNI_OVERLAP_NONE &&
        tni_array_overlap(out, p->arrays[B]) == TNI_OVERLAP_NONE)
        return TN_OK;
    if (order != TN_ORDER_F || out) order = TN_ORDER_C;
    TNI_TRY(tn_array_new(&p->owned[OUT], p->dtype, p->batch_ndim + p->core[OUT], p->shape, order,
                         p->stream));
    p->arrays[OUT] = p->owned[OUT];
    return TN_OK;
}

/* --- The call --- */

static void describe_operand(const plan *p, tni_matrix *matrix, int o) {
    const tn_array *array = p->arrays[o];
    int core = p->core[o];
    tni_strides_broadcast(matrix->batch_strides, array, p->batch_ndim + core);
    bool has_row = o == A ? core == 2 : o == B || p->core[A] == 2;
    bool has_column = o == A || p->core[B] == 2;
    matrix->row_stride = has_row ? stride(array, core, 0) : 0;
    matrix->column_stride = has_column ? stride(array, core, core - 1) : 0;
}

/* Whether batch axis `axis` goes on where the `extent` rows of a matrix end. A single row must lie
 * along memory and apart from the next one, or what comes out is no matrix that a BLAS takes. */
static bool continues(const tni_matrix *matrix, int axis, int64_t extent, int64_t stride,
                      int64_t length, int64_t step, int64_t size) {
    int64_t next = matrix->batch_strides[axis];
    if (extent > 1) return next == extent * stride;
    return (length == 1 || step == size) && next % size == 0 && next >= length * size;
}

static bool continues_rows(const tni_matmul *call, const tni_matrix *matrix, int64_t columns) {
    return continues(matrix, call->batch_ndim - 1, call->m, matrix->row_stride, columns,
                     matrix->column_stride, tn_dtype_size(call->dtype));
}

static bool continues_columns(const tni_matmul *call, const tni_matrix *matrix, int64_t rows) {
    return continues(matrix, call->batch_ndim - 1, call->n, matrix->column_stride, rows,
                     matrix->row_stride, tn_dtype_size(call->dtype));
}

/* Makes the last batch axis part of the rows of a, or of the columns of b, as long as that
 * works. */
static void fold_batch(tni_matmul *call) {
    tni_matrix *out = &call->out, *a = &call->a, *b = &call->b;
    while (call->batch_ndim > 0 && !call->conjugate) {
        int last = call->batch_ndim - 1;
        int64_t size = call->batch_shape[last];
        if (b->batch_strides[last] == 0 && continues_rows(call, a, call->k) &&
            continues_rows(call, out, call->n)) {
            if (call->m == 1) a->row_stride = a->batch_strides[last];
            if (call->m == 1) out->row_stride = out->batch_strides[last];
            call->m *= size;
        } else if (a->batch_strides[last] == 0 && continues_columns(call, b, call->k) &&
                   continues_columns(call, out, call->m)) {
            if (call->n == 1) b->column_stride = b->batch_strides[last];
            if (call->n == 1) out->column_stride = out->batch_strides[last];
            call->n *= size;
        } else {
            return;
        }
        call->batch_count /= size;
        call->batch_ndim--;
    }
}

static tn_status hand_over(const plan *p) {
    tni_matmul call;
    int64_t offsets[OPERANDS] = {0};
    call.dtype = p->dtype;
    call.conjugate = p->conjugate;
    call.m = p->m;
    call.n = p->n;
    call.k = p->k;
    describe_operand(p, &call.out, OUT);
    describe_operand(p, &call.a, A);
    describe_operand(p, &call.b, B);
    call.batch_ndim = p->batch_ndim;
    call.batch_count = 1;
    if (p->batch_ndim > 0) {
        int64_t *const strides[OPERANDS] = {call.out.batch_strides, call.a.batch_strides,
                                            call.b.batch_strides};
        memcpy(call.batch_shape, p->shape, sizeof(int64_t) * (size_t)p->batch_ndim);
        for (int axis = 0; axis < p->batch_ndim; axis++)
            call.batch_count *= p->shape[axis];
        call.batch_ndim =
            tni_layout_collapse(p->batch_ndim, call.batch_shape, OPERANDS, strides, offsets, true);
        fold_batch(&call);
    }
    void *out, *a, *b;
    TNI_TRY(tni_array_access(&a, p->arrays[A], TNI_READ, p->stream));
    TNI_TRY(tni_array_access(&b, p->arrays[B], TNI_READ, p->stream));
    TNI_TRY(tni_array_access(&out, p->arrays[OUT], TNI_WRITE, p->stream));
    call.out.data = (char *)out + offsets[0];
    call.a.data = (char *)a + offsets[1];
    call.b.data = (char *)b + offsets[2];
    return tni_queue_matmul(&call, p->stream);
}

/* --- Products of vectors as reductions --- */

/* Whether another axis walks in smaller steps than the summed one. */
static bool lies_across(const tn_array *array) {
    const int64_t *strides = tni_strides(array), *shape = tni_shape(array);
    int last = array->ndim - 1;
    for (int axis = 0; axis < last; axis++)
        if (shape[axis] > 1 && strides[axis] != 0 && llabs(strides[axis]) < llabs(strides[last]))
            return true;
    return false;
}

static bool steps(const tn_array *array) {
    return tni_strides(array)[array->ndim - 1] != tn_dtype_size(array->dtype);
}

/* Products of few elements go to the backend's products, which need no plan of axes. So do long
 * ones that lie along memory, but for truths, whose fold may end early. */
static bool prefers_fold(const plan *p) {
    enum { FEW = 4096, MANY = 16384 };
    const tn_array *a = p->arrays[A], *b = p->arrays[B];
    int64_t count = p->arrays[OUT]->size, work = p->k * count, item = tn_dtype_size(p->dtype);
    if (p->core[A] != 1 || p->core[B] != 1) return false;
    bool converts =
        a->dtype != p->dtype || b->dtype != p->dtype || !(a->flags & b->flags & TNI_ALIGNED);
    if (tni_backend_of(p->stream)->product->folds_vectors) return true;
    if (work < FEW) return false;
    if (converts || (p->dtype == TN_B8 && p->k >= MANY)) return work >= MANY;
    if (lies_across(a) || lies_across(b)) return true;
    return item < 8 && (steps(a) || steps(b) || (count > 1 && p->k < 32 * item));
}

static tn_status fold(const plan *p, bool *is_done) {
    static const int last = -1;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    tn_array *result = (tn_array *)(uintptr_t)p->arrays[OUT], *spread = NULL;
    int64_t shape[TN_MAX_NDIM + 1];
    tn_status status;
    options.axis_count = 1;
    options.axes = &last;
    *is_done = false;
    if (p->batch_ndim == TN_MAX_NDIM) return TN_OK;
    memcpy(shape, p->shape, sizeof *shape * (size_t)p->batch_ndim);
    shape[p->batch_ndim] = p->k;
    TNI_TRY(tn_array_broadcast_to(&spread, p->arrays[A], p->batch_ndim + 1, shape));
    tni_dot dot = {spread, p->arrays[B], p->dtype, p->kind->conjugates};
    status = tni_dot_fold(&result, is_done, &dot, &options, p->stream);
    tn_array_release(spread);
    return status;
}

static tn_status compute(plan *p) {
    bool is_done = false;
    if (prefers_fold(p)) TNI_TRY(fold(p, &is_done));
    if (is_done) return TN_OK;
    TNI_TRY(prepare_operand(p, A));
    TNI_TRY(prepare_operand(p, B));
    return hand_over(p);
}

static tn_status multiply(tn_array **result, const kind *kind, const tn_array *a, const tn_array *b,
                          const tn_matmul_options *options, tn_stream *stream) {
    static const tn_matmul_options defaults = TN_MATMUL_DEFAULTS;
    plan p = {.kind = kind, .arrays = {a, b, NULL}};
    tn_array *out = *result;
    const tn_array *all[OPERANDS] = {a, b, out};
    tn_device device;
    tn_status status;
    if (!options) options = &defaults;
    TNI_TRY(find_shape(&p, a, b));
    TNI_TRY(find_dtype(&p, out, options));
    TNI_TRY(tni_device_common(&device, OPERANDS, all));
    TNI_TRY(tni_stream_resolve(&p.stream, stream, device));
    if (out) TNI_TRY(check_result(&p, out));
    TNI_TRY_OWNING(prepare_result(&p, out, options->order));
    if (p.arrays[OUT]->size > 0 && p.k == 0) {
        TNI_TRY_OWNING(
            tn_array_fill((tn_array *)(uintptr_t)p.arrays[OUT], tn_scalar_bool(false), p.stream));
    } else if (p.arrays[OUT]->size > 0) {
        TNI_TRY_OWNING(compute(&p));
    }
    if (out && p.owned[OUT])
        TNI_TRY_OWNING(tn_array_assign(out, p.owned[OUT], TN_CASTING_UNSAFE, p.stream));
    if (!out) *result = tn_array_retain(p.owned[OUT]);
cleanup:
    for (int o = A; o < OPERANDS; o++)
        if (p.owned[o]) tn_array_release(p.owned[o]);
    return status;
}

tn_status tn_matmul(tn_array **result, const tn_array *a, const tn_array *b,
                    const tn_matmul_options *options, tn_stream *stream) {
    return multiply(result, &matmul, a, b, options, stream);
}

tn_status tn_vecdot(tn_array **result, const tn_array *a, const tn_array *b,
                    const tn_matmul_options *options, tn_stream *stream) {
    return multiply(result, &vecdot, a, b, options, stream);
}

tn_status tn_matvec(tn_array **result, const tn_array *a, const tn_array *b,
                    const tn_matmul_options *options, tn_stream *stream) {
    return multiply(result, &matvec, a, b, options, stream);
}

tn_status tn_vecmat(tn_array **result, const tn_array *a, const tn_array *b,
                    const tn_matmul_options *options, tn_stream *stream) {
    return multiply(result, &vecmat, a, b, options, stream);
}
