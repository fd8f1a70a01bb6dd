/* The driver of interpolated images.
 *
 * Axes along which places are whole numbers in range are copied, the others mapped. What is copied
 * last and is short is a place's `inner` numbers, as the parts of complex numbers are. Coefficients
 * are found along mapped axes alone; a border without a formula gets elements beyond the edges
 * first. */
#include "backend/backend.h"
#include "core/array/shape.h"
#include "core/image/spline.h"
#include "core/move/astype.h"
#include "ops/spline.h"

#include <math.h>
#include <string.h>

typedef struct mapping {
    const tn_array *array; /* as given */
    const tn_image_map *map;
    const tn_array *coordinates; /* packed, or NULL */
    int ndim;                    /* of the result */
    int64_t shape[TNI_MAP_AXES];
    int to[TNI_MAP_AXES]; /* the result's axis that an axis of the array is copied to; -1: mapped */
    tn_dtype working, output;
    tni_image_map call;
} mapping;

/* --- Which axes are copied --- */

static int copied_to_affine(const mapping *m, int axis) {
    const double *row = m->map->matrix + axis * m->ndim;
    int found = -1;
    if (m->map->offset[axis] != 0) return -1;
    for (int k = 0; k < m->ndim; k++) {
        if (row[k] == 0) continue;
        if (row[k] != 1 || found >= 0) return -1;
        found = k;
    }
    for (int h = 0; found >= 0 && h < m->array->ndim; h++)
        if (h != axis && m->map->matrix[h * m->ndim + found] != 0) return -1;
    return found;
}

static void choose_copied(mapping *m) {
    const tn_image_map *map = m->map;
    const bool can_copy_all = !m->coordinates && (map->filters || map->order < 2);
    int mapped = 0;
    for (int h = 0; h < m->array->ndim; h++) {
        m->to[h] = -1;
        if (map->matrix && !m->coordinates && (can_copy_all || map->planes >> h & 1))
            m->to[h] = copied_to_affine(m, h);
        else if (can_copy_all && !map->matrix && map->zoom[h] == 1 &&
                 map->shift[h] + map->after == 0)
            m->to[h] = h;
        if (m->to[h] >= 0 && m->shape[m->to[h]] != tni_shape(m->array)[h]) m->to[h] = -1;
        mapped += m->to[h] < 0;
    }
    if (!mapped) m->to[m->array->ndim - 1] = -1;
}

/* --- The call --- */

/* Numbers of last axes that are copied to last axes; `rest` are those of the array before them. */
static int choose_inner(const mapping *m, const tn_array *coefficients, int *rest) {
    int inner = tn_dtype_kind(m->working) == TN_KIND_COMPLEX ? 2 : 1, ndim = m->ndim;
    *rest = m->array->ndim;
    while (*rest > 1 && ndim > 1 && m->to[*rest - 1] == ndim - 1 &&
           tni_shape(coefficients)[*rest - 1] * inner <= TNI_MAP_INNER) {
        inner *= (int)tni_shape(coefficients)[--*rest];
        ndim--;
    }
    return inner;
}

static void describe_axes(mapping *m, const tn_array *coefficients) {
    tni_image_map *call = &m->call;
    const int64_t item = tni_dtype_size(call->dtype);
    int rest;
    call->inner = choose_inner(m, coefficients, &rest);
    call->axes = m->coordinates ? 1 : m->ndim - (m->array->ndim - rest);
    call->count = 1;
    call->mapped = 0;
    for (int k = 0; k < call->axes; k++) {
        call->shape[k] = m->shape[k];
        call->walk[k] = 0;
    }
    if (m->coordinates) call->shape[0] = m->coordinates->size / m->array->ndim;
    for (int k = 0; k < call->axes; k++)
        call->count *= call->shape[k];
    for (int h = 0; h < rest; h++) {
        const int64_t step = tni_strides(coefficients)[h] / item;
        if (m->to[h] >= 0) {
            call->walk[m->to[h]] = step;
            continue;
        }
        const int to = call->mapped++;
        call->sizes[to] = tni_shape(coefficients)[h];
        call->steps[to] = step;
        call->of[to] = h;
        if (m->coordinates) continue;
        if (m->map->matrix) {
            call->offset[to] = m->map->offset[h];
            memcpy(call->matrix + to * call->axes, m->map->matrix + h * m->ndim,
                   (size_t)call->axes * sizeof *call->matrix);
        } else {
            call->offset[to] = m->map->shift[h];
            call->zoom[to] = m->map->zoom[h];
        }
    }
}

/* A value as an element of the array. */
static tn_status as_element(double *value, double given, const mapping *m) {
    const tn_scalar wide = {.dtype = TN_F64, .value.f64 = given};
    tn_scalar element = {.dtype = (tn_dtype)m->array->dtype};
    TNI_TRY(tn_scalar_convert(element.value.bytes, wide, element.dtype));
    return tn_scalar_convert(value, element, TN_F64);
}

static tn_status find_coefficients(tn_array **result, mapping *m, tn_stream *stream) {
    const tn_image_map *map = m->map;
    tn_array *packed;
    int axes[TNI_MAP_AXES], count = 0;
    tni_spline_work work = {map->order, map->border, 0, {map->cval[0], map->cval[1]}};
    if (map->border == TN_BORDER_NEAREST || map->border == TN_BORDER_GRID_CONSTANT)
        work.pad = TNI_SPLINE_PAD;
    if (tn_dtype_kind(m->array->dtype) != TN_KIND_COMPLEX)
        TNI_TRY(as_element(&work.outside[0], map->cval[0], m));
    TNI_TRY(tni_array_packed(&packed, m->array, m->working, stream));
    if (!map->filters || map->order < 2) {
        *result = packed;
        return TN_OK;
    }
    for (int h = 0; h < m->array->ndim; h++)
        if (m->to[h] < 0) axes[count++] = h;
    m->call.pad = (double)work.pad;
    tn_status status = tni_spline_filter(result, packed, &work, count, axes, stream);
    tn_array_release(packed);
    return status;
}

/* --- Results --- */

static double part_of(double value, tn_dtype dtype) {
    const tn_kind kind = tn_dtype_kind(dtype);
    const int bits = 8 * (int)tni_dtype_size(dtype);
    if (kind == TN_KIND_BOOL) return trunc(value) != 0;
    return kind < TN_KIND_FLOAT ? m_spline_rounded(value, bits, kind == TN_KIND_SIGNED) : value;
}

/* All elements beyond the edges: of an array that has none. */
static tn_status fill_outside(tn_array *made, const mapping *m, tn_stream *stream) {
    const tn_scalar wide = {
        .dtype = TN_C128, .value.c128 = {part_of(m->map->cval[0], m->map->dtype), m->map->cval[1]}};
    tn_scalar scalar = {.dtype = made->dtype};
    TNI_TRY(tn_scalar_convert(scalar.value.bytes, wide, (tn_dtype)made->dtype));
    return tn_array_fill(made, scalar, stream);
}

static tn_status queue(mapping *m, const tn_array *coefficients, const tn_array *made,
                       tn_stream *stream) {
    void *address;
    describe_axes(m, coefficients);
    TNI_TRY(tni_array_access(&address, made, TNI_WRITE, stream));
    m->call.result = address;
    TNI_TRY(tni_array_access(&address, coefficients, TNI_READ, stream));
    m->call.input = address;
    if (m->coordinates) {
        TNI_TRY(tni_array_access(&address, m->coordinates, TNI_READ, stream));
        m->call.coordinates = address;
    }
    return tni_queue_image_map(&m->call, stream);
}

/* The array that the form writes: the output itself where it can be. */
static tn_status make_target(tn_array **made, const mapping *m, const tn_array *coefficients,
                             tn_stream *stream) {
    tn_array *output = m->map->output;
    const int needed = TNI_C_CONTIGUOUS | TNI_ALIGNED;
    if (output && output->dtype == (int16_t)m->output && (output->flags & needed) == needed &&
        tni_array_overlap(output, coefficients) == TNI_OVERLAP_NONE &&
        (!m->coordinates || tni_array_overlap(output, m->coordinates) == TNI_OVERLAP_NONE)) {
        *made = tn_array_retain(output);
        return TN_OK;
    }
    return tn_array_new(made, m->output, m->ndim, m->shape, TN_ORDER_C, stream);
}

static tn_status deliver(tn_array **result, const mapping *m, tn_array *made, tn_stream *stream) {
    tn_array *output = m->map->output;
    if (output && made != output) TNI_TRY(tn_array_assign(output, made, TN_CASTING_UNSAFE, stream));
    if (!output && made->dtype != (int16_t)m->map->dtype)
        return tn_array_astype(result, made, m->map->dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                               TN_COPY_ALWAYS, stream);
    *result = tn_array_retain(output ? output : made);
    return TN_OK;
}

static tn_status run(tn_array **result, mapping *m, tn_stream *stream) {
    tn_array *coefficients = NULL, *made = NULL;
    tn_status status;
    const tn_image_map *map = m->map;
    const bool is_complex = tn_dtype_kind(m->working) == TN_KIND_COMPLEX;
    m->call.dtype = is_complex ? tn_dtype_real(m->working) : m->working;
    m->output = is_complex || tn_dtype_kind(map->dtype) != TN_KIND_COMPLEX
                    ? map->dtype
                    : tn_dtype_real(map->dtype);
    m->call.output = is_complex ? tn_dtype_real(map->dtype) : m->output;
    m->call.parts = is_complex ? 2 : 1;
    m->call.order = map->order;
    m->call.border = map->border;
    m->call.outside[0] = map->cval[0];
    m->call.outside[1] = map->cval[1];
    m->call.pad = 0;
    m->call.after = map->matrix || m->coordinates ? 0 : map->after;
    m->call.places = m->coordinates ? TNI_MAP_AT : map->matrix ? TNI_MAP_AFFINE : TNI_MAP_APART;
    if (m->array->size == 0) {
        TNI_TRY_OWNING(make_target(&made, m, m->array, stream));
        TNI_TRY_OWNING(fill_outside(made, m, stream));
    } else {
        choose_copied(m);
        TNI_TRY_OWNING(find_coefficients(&coefficients, m, stream));
        TNI_TRY_OWNING(make_target(&made, m, coefficients, stream));
        if (made->size) TNI_TRY_OWNING(queue(m, coefficients, made, stream));
    }
    status = deliver(result, m, made, stream);
cleanup:
    tn_array_release(made);
    tn_array_release(coefficients);
    return status;
}

/* --- Checks --- */

static tn_status check(mapping *m, const tn_array *array, const tn_image_map *map) {
    TNI_TRY(tni_array_check_numbers(array));
    TNI_TRY(tni_spline_check(map->order, 0, map->border));
    if (array->ndim < 1 || m->ndim < 1)
        TNI_FAIL(TN_ERROR_VALUE, "input and output rank must be > 0");
    if (array->ndim > TNI_MAP_AXES || m->ndim > TNI_MAP_AXES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "interpolated images of more than %d axes",
                 TNI_MAP_AXES);
    if (tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX &&
        tn_dtype_kind(map->dtype) != TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_VALUE, "output must have complex dtype");
    const tn_array *output = map->output;
    if (output) {
        TNI_TRY(tni_array_check_writeable(output));
        bool fits = output->ndim == m->ndim && output->dtype == (int16_t)map->dtype;
        for (int k = 0; fits && k < m->ndim; k++)
            fits = tni_shape(output)[k] == m->shape[k];
        if (!fits) TNI_FAIL(TN_ERROR_VALUE, "output shape not correct");
    }
    m->array = array;
    m->map = map;
    m->working = tn_spline_dtype((tn_dtype)array->dtype);
    return TN_OK;
}

tn_status tn_array_map(tn_array **result, const tn_array *array, const tn_image_map *map,
                       tn_stream *stream) {
    const tn_array *arrays[2] = {array, map->output};
    tn_device device;
    mapping m;
    m.ndim = map->ndim;
    m.coordinates = NULL;
    for (int k = 0; k < map->ndim && k < TNI_MAP_AXES; k++)
        m.shape[k] = map->shape[k];
    TNI_TRY(check(&m, array, map));
    if (!map->matrix && map->ndim != array->ndim)
        TNI_FAIL(TN_ERROR_VALUE, "an image of %d axes has none of %d apart", (int)array->ndim,
                 map->ndim);
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    return run(result, &m, stream);
}

tn_status tn_array_map_coordinates(tn_array **result, const tn_array *array,
                                   const tn_array *coordinates, const tn_image_map *map,
                                   tn_stream *stream) {
    const tn_array *arrays[3] = {array, coordinates, map->output};
    tn_array *packed = NULL;
    tn_device device;
    tn_status status;
    mapping m;
    TNI_TRY(tni_array_check_numbers(coordinates));
    if (tn_dtype_kind(coordinates->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "Complex type not supported");
    if (coordinates->ndim < 2) TNI_FAIL(TN_ERROR_VALUE, "input and output rank must be > 0");
    if (tni_shape(coordinates)[0] != array->ndim)
        TNI_FAIL(TN_ERROR_VALUE, "invalid shape for coordinate array");
    m.ndim = coordinates->ndim - 1;
    for (int k = 0; k < m.ndim && k < TNI_MAP_AXES; k++)
        m.shape[k] = tni_shape(coordinates)[k + 1];
    TNI_TRY(check(&m, array, map));
    TNI_TRY(tni_device_common(&device, 3, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    m.call.is_single = coordinates->dtype == TN_F32 || coordinates->dtype == TN_F16;
    TNI_TRY(tni_array_packed(&packed, coordinates, m.call.is_single ? TN_F32 : TN_F64, stream));
    m.coordinates = packed;
    status = run(result, &m, stream);
    tn_array_release(packed);
    return status;
}
