/* Which launches the CUDA backend makes, and with what grids, where indices and masks say what
 * moves: take, put, compress, expand, nonzero, ufunc.at, reduceat; and for ranges and joins. */
#include "backend/cuda/forms/move.h"
#include "core/rules/reduce_table.h"
#include "cuda_forms.h"
#include "forms/arange.h"
#include "forms/indexing.h"
#include "forms/mask.h"
#include "forms/places.h"

/* --- By integer indices --- */

/* array[outer, indices, inner] beside a dense array; everything contiguous, an extent of 0: no such
 * axis. */
static tni_indexing indexing(int64_t item, int64_t outer, int64_t axis, int64_t inner,
                             int64_t count, tn_index_mode mode) {
    int64_t row = item * (inner ? inner : 1);
    tni_indexing form = {.item_bytes = item,
                         .array = somewhere,
                         .axis_size = axis,
                         .axis_stride = row,
                         .dense = somewhere + 0x10000000,
                         .dense_stride = row,
                         .indices = somewhere + 0x20000000,
                         .index_dtype = TN_I64,
                         .index_count = count,
                         .index_stride = 8,
                         .mode = mode,
                         .outer_ndim = outer > 0};
    if (outer) {
        form.shape[form.ndim] = outer;
        form.array_strides[form.ndim] = axis * row;
        form.dense_strides[form.ndim++] = count * row;
    }
    if (inner) {
        form.shape[form.ndim] = inner;
        form.array_strides[form.ndim] = form.dense_strides[form.ndim] = item;
        form.ndim++;
    }
    return form;
}

static unsigned take(const char *forms, tni_indexing form, bool is_fresh) {
    long before = fake_cuda_launches();
    tni_take call = {form, is_fresh};
    check_ok(tni_cuda_take(&call, tn_stream_default(cuda0)));
    return check_forms(forms, before);
}

enum { MOVED = 256 * 4 /* units of a block */ };

static void test_take(void **state) {
    (void)state;
    const int64_t many = 1 << 20;
    assert_int_equal(take("take", indexing(4, 0, 1000, 0, many, TN_INDEX_RAISE), true),
                     many / MOVED);
    /* What may keep its old content is written only after all indices were looked at. */
    assert_int_equal(take("check take", indexing(4, 0, 1000, 0, many, TN_INDEX_RAISE), false),
                     many / MOVED);
    take("take", indexing(4, 0, 1000, 0, many, TN_INDEX_WRAP), false);
    take("take", indexing(4, 0, 1000, 0, many, TN_INDEX_CLIP), false);
    /* Rows move in units of 16 bytes, or of what their length allows. */
    assert_int_equal(take("take", indexing(4, 0, 1000, 256, 1024, TN_INDEX_RAISE), true),
                     1024 * 256 / 4 / MOVED);
    assert_int_equal(take("take", indexing(4, 0, 1000, 258, 1024, TN_INDEX_RAISE), true),
                     1024 * 258 / 2 / MOVED);
    assert_int_equal(take("take", indexing(1, 0, 1000, 257, 1024, TN_INDEX_RAISE), true),
                     1024 * 257 / MOVED);
    assert_int_equal(take("take", indexing(8, 16, 1000, 4, 1024, TN_INDEX_RAISE), true),
                     16 * 1024 * 2 / MOVED);
    assert_int_equal(take("take", indexing(16, 16, 1000, 0, 1024, TN_INDEX_RAISE), true),
                     16 * 1024 / MOVED);
    /* Indices are looked at even where there is nothing to move. */
    tni_indexing empty = indexing(4, 16, 1000, 0, 1024, TN_INDEX_RAISE);
    empty.shape[0] = 0;
    take("check", empty, true);
}

static unsigned put(const char *forms, tni_indexing form, bool has_values) {
    long before = fake_cuda_launches();
    tni_put call = {.form = form};
    if (!has_values) {
        call.form.dense = NULL;
        call.form.dense_stride = 0;
        memset(call.form.dense_strides, 0, sizeof call.form.dense_strides);
    }
    check_ok(tni_cuda_put(&call, tn_stream_default(cuda0)));
    return check_forms(forms, before);
}

static void test_put(void **state) {
    (void)state;
    const int64_t many = 1 << 20;
    /* The last of equal indices wins, so launches before note which that is; in an array as long as
     * the axis, or in a table where indices are few. They look for bad ones, too. */
    put("own take", indexing(4, 0, 1 << 30, 0, 1000, TN_INDEX_RAISE), true);
    put("own take", indexing(4, 0, 16 * many, 3, 16 * many, TN_INDEX_RAISE), true);
    put("own own take", indexing(4, 0, 16 * many, 3, 1000, TN_INDEX_RAISE), true);
    put("own own take", indexing(4, 0, many, 3, many, TN_INDEX_WRAP), true);
    /* Single elements: indices that are there twice are distinguished by bits. */
    assert_int_equal(
        put("put_last put_last put_last", indexing(4, 0, many, 0, many, TN_INDEX_RAISE), true),
        many / MOVED);
    put("put_last put_last put_last", indexing(4, 0, 16 * many, 0, 1000, TN_INDEX_RAISE), true);
    put("put_last put_last put_last", indexing(4, 0, many, 0, many, TN_INDEX_WRAP), true);
    assert_int_equal(put("own own take", indexing(4, 0, 1000, 256, 1024, TN_INDEX_RAISE), true),
                     1024 * 256 / 4 / MOVED);
    /* One index, or one value, needs no owners. */
    put("check take", indexing(4, 0, 1000, 256, 1, TN_INDEX_RAISE), true);
    put("take", indexing(4, 0, 1000, 256, 1, TN_INDEX_CLIP), true);
    put("check take", indexing(4, 0, many, 0, many, TN_INDEX_RAISE), false);
    put("take", indexing(4, 0, many, 0, many, TN_INDEX_WRAP), false);
}

/* --- By masks --- */

enum { MASKED = 1 << 20, MASK_BLOCKS = MASKED / TNI_MASK_BLOCK };

static tni_mask mask_of(int64_t count, bool is_counted) {
    return (tni_mask){(const unsigned char *)somewhere, count,
                      is_counted ? (int64_t *)(void *)(somewhere + 0x10000000) : NULL};
}

static void test_nonzero(void **state) {
    (void)state;
    long before = fake_cuda_launches();
    tni_nonzero call = {.mask = mask_of(MASKED, true), .is_counting = true};
    check_ok(tni_cuda_nonzero(&call, tn_stream_default(cuda0)));
    assert_int_equal(check_forms("count", before), MASK_BLOCKS / 8); /* blocks of a tile */
    for (int ndim = 1; ndim <= 3; ndim++) {
        call.is_counting = false;
        call.ndim = ndim;
        call.to_stride = ndim;
        for (int axis = 0; axis < ndim; axis++) {
            call.shape[axis] = axis ? 16 : MASKED >> 4 * (ndim - 1);
            call.to[axis] = (int64_t *)(void *)(somewhere + 8 * axis);
        }
        before = fake_cuda_launches();
        check_ok(tni_cuda_nonzero(&call, tn_stream_default(cuda0)));
        assert_int_equal(check_forms("nonzero", before), MASK_BLOCKS);
    }
}

/* Reading and writing are one launch each, for every size of an element and every layout of the
 * array. */
static void test_masks(void **state) {
    (void)state;
    for (int64_t item = 1; item <= 16; item *= 2)
        for (int ndim = 1; ndim <= 2; ndim++) {
            long before = fake_cuda_launches();
            tni_compress read = {.mask = mask_of(MASKED, true), .item_bytes = item, .ndim = ndim};
            read.from = somewhere + 0x20000000;
            read.to = somewhere + 0x30000000;
            for (int axis = 0; axis < ndim; axis++) {
                read.shape[axis] = ndim == 1 ? MASKED : 1 << 10;
                read.strides[axis] = (axis ? 1 : 1 << 10) * item; /* with ndim 1 far apart */
            }
            check_ok(tni_cuda_compress(&read, tn_stream_default(cuda0)));
            assert_int_equal(check_forms("compress", before), MASK_BLOCKS);

            for (int way = 0; way < 3; way++) { /* values, one value there, one given here */
                tni_expand write = {.mask = mask_of(MASKED, way == 0), .item_bytes = item};
                write.ndim = ndim;
                write.to = somewhere + 0x20000000;
                write.values = way < 2 ? somewhere + 0x30000000 : NULL;
                write.values_stride = way == 0 ? item : 0;
                memcpy(write.shape, read.shape, sizeof write.shape);
                memcpy(write.strides, read.strides, sizeof write.strides);
                before = fake_cuda_launches();
                check_ok(tni_cuda_expand(&write, tn_stream_default(cuda0)));
                assert_int_equal(check_forms("compress", before), MASK_BLOCKS);
            }
        }
}

/* --- Updates and folds by indices --- */

/* op.at of a whole axis of `places`, by one array of `count` indices (or by two alike). */
static unsigned at(const char *forms, tn_op op, tn_dtype dtype, int index_count, int64_t places,
                   int64_t count) {
    long before = fake_cuda_launches();
    int64_t item = tn_dtype_size(dtype);
    tni_ufunc_at call = {.op = op,
                         .dtype = dtype,
                         .arguments = {dtype, dtype, dtype},
                         .is_binary = tn_op_inputs(op) == 2,
                         .array_dtype = dtype,
                         .operand_dtype = dtype,
                         .array = somewhere,
                         .operand = somewhere + 0x10000000,
                         .index_count = index_count,
                         .ndim = 1,
                         .size = count};
    call.shape[0] = count;
    call.operand_strides[0] = item;
    for (int k = 0; k < index_count; k++) {
        call.indices[k].data = somewhere + 0x20000000;
        call.indices[k].size = places;
        call.indices[k].stride = item;
        call.indices[k].strides[0] = 8;
    }
    check_ok(tni_cuda_ufunc_at(&call, tn_stream_default(cuda0)));
    return check_forms(forms, before);
}

static void test_ufunc_at(void **state) {
    (void)state;
    const int64_t many = 1 << 20, blocks = many / 256;
    /* The machine's atomics; compare and swap; locks for 16 bytes. */
    assert_int_equal(at("check ufunc_at", TN_OP_ADD, TN_F32, 1, many, many), blocks);
    assert_int_equal(at("check ufunc_at", TN_OP_ADD, TN_I64, 1, many, many), blocks);
    assert_int_equal(at("check ufunc_at", TN_OP_MULTIPLY, TN_F32, 1, many, many), blocks);
    assert_int_equal(at("check ufunc_at", TN_OP_ADD, TN_U8, 1, many, many), blocks);
    assert_int_equal(at("check ufunc_at", TN_OP_MULTIPLY, TN_C128, 1, many, many), blocks);
    assert_int_equal(at("check ufunc_at", TN_OP_NEGATIVE, TN_F64, 1, many, many), blocks);
    /* Sums into few places meet in the memory of a block first: a few blocks for the whole. */
    assert_int_equal(at("check ufunc_at", TN_OP_ADD, TN_F32, 1, 1000, many), 4 * MULTIPROCESSORS);
    assert_int_equal(at("check ufunc_at", TN_OP_MAXIMUM, TN_I32, 1, 1000, many), blocks);
    assert_int_equal(at("check ufunc_at", TN_OP_ADD, TN_F32, 1, 1000, 1 << 15), (1 << 15) / 256);
    /* Each array of indices is looked at by itself. */
    assert_int_equal(at("check check ufunc_at", TN_OP_ADD, TN_F32, 2, 1000, many), blocks);
}

static unsigned reduceat(tn_op op, int64_t segments, int64_t length, int64_t lines) {
    long before = fake_cuda_launches();
    tni_reduceat call = {.op = op,
                         .is_ordered = tni_op_is_ordered(op),
                         .input_dtype = TN_F32,
                         .accumulator = TN_F32,
                         .output_dtype = TN_F32,
                         .output = somewhere,
                         .input = somewhere + 0x10000000,
                         .indices = somewhere + 0x20000000,
                         .index_count = segments,
                         .length = length,
                         .output_stride = 4,
                         .input_stride = 4,
                         .ndim = lines > 1,
                         .size = lines};
    call.shape[0] = lines;
    call.input_strides[0] = 4 * length;
    call.output_strides[0] = 4 * segments;
    check_ok(tni_cuda_reduceat(&call, tn_stream_default(cuda0)));
    return check_forms("check reduceat", before);
}

/* A thread, a warp or a block has a segment, as their mean length asks for. */
static void test_reduceat(void **state) {
    (void)state;
    assert_int_equal(reduceat(TN_OP_ADD, 1 << 16, 1 << 18, 1), (1 << 16) / 256);
    assert_int_equal(reduceat(TN_OP_ADD, 1 << 10, 1 << 20, 1), (1 << 10) / 8);
    assert_int_equal(reduceat(TN_OP_ADD, 10, 1 << 20, 1), 10);
    assert_int_equal(reduceat(TN_OP_ADD, 10, 1 << 20, 50), 500);
    assert_int_equal(reduceat(TN_OP_SUBTRACT, 10, 1 << 20, 50), 2); /* from left to right */
}

/* --- Ranges --- */

static unsigned range(tn_dtype dtype, int64_t count, bool is_linspace) {
    long before = fake_cuda_launches();
    tni_arange call = {.dtype = dtype, .to = somewhere, .count = count, .is_linspace = is_linspace};
    check_ok(tni_cuda_arange(&call, tn_stream_default(cuda0)));
    return check_forms("arange", before);
}

static void test_ranges(void **state) {
    (void)state;
    for (tn_dtype dtype = TN_I8; dtype < TN_DTYPE_COUNT; dtype++) {
        int64_t per_block = 256 * 16 / tn_dtype_size(dtype); /* 16 bytes a thread */
        assert_int_equal(range(dtype, 1, false), 1);
        assert_int_equal(range(dtype, 10 * per_block, false), 10);
        assert_int_equal(range(dtype, INT64_C(1) << 33, false), 32 * MULTIPROCESSORS);
    }
    assert_int_equal(range(TN_F64, 5120, true), 10);
    assert_int_equal(range(TN_C128, 2560, true), 10);
}

/* --- Indices that are looked at --- */

/* Launch `at` looks for indices out of bounds of an axis. */
static void check_look(long at, int64_t count, int64_t size, int64_t axis) {
    struct {
        const char *indices;
        int64_t count, size, axis;
    } params;
    fake_launch seen;
    assert_true(fake_cuda_get_launch(&seen, at));
    if (strncmp(seen.name, "tn_check_", 9) != 0)
        fail_msg("the kernel %s looks at nothing", seen.name);
    memcpy(&params, seen.params, sizeof params);
    assert_int_equal(params.count, count);
    assert_int_equal(params.size, size);
    assert_int_equal(params.axis, axis);
}

/* --- Several index arrays --- */

/* The launches that a take makes of `count` index arrays: (2, 1), then 5 each. */
static void take_several(const char *forms, int count) {
    enum { MOST = 6 };
    const int64_t shape[MOST] = {3, 4, 2, 2, 2, 2}, rows[2] = {2, 1}, columns[1] = {5};
    const int axes[MOST] = {0, 1, 2, 3, 4, 5}, shown[MOST] = {1, 3, 4, 5, 6, 7};
    tn_stream *stream = tn_stream_default(cuda0);
    tn_array *array, *indices[MOST], *taken = NULL;
    int64_t words[4 * TNI_PLACES_INDICES]; /* of struct Params: indices, sizes, steps, axes */
    const int first = count < TNI_PLACES_INDICES ? count : TNI_PLACES_INDICES;
    const int64_t *sizes = words + first, *steps = sizes + first, *axes_at = steps + first;
    fake_launch seen;
    check_ok(tn_array_new(&array, TN_F32, MOST, shape, TN_ORDER_C, stream));
    check_ok(tn_array_new(&indices[0], TN_I64, 2, rows, TN_ORDER_C, stream));
    for (int k = 1; k < count; k++)
        check_ok(tn_array_new(&indices[k], TN_I64, 1, columns, TN_ORDER_C, stream));
    long before = fake_cuda_launches();
    check_ok(tn_array_take_several(&taken, array, count, axes, shown,
                                   (const tn_array *const *)indices, 0, stream));
    check_forms(forms, before);
    assert_true(fake_cuda_get_launch(&seen, before));
    memcpy(words, seen.params, sizeof words);
    assert_int_equal(sizes[0], 3);
    assert_int_equal(axes_at[0], 1);
    assert_int_equal(steps[0], count == 2 ? 4 : count == 5 ? 32 : 64);
    assert_int_equal(sizes[1], 4);
    assert_int_equal(axes_at[1], 3);
    assert_int_equal(steps[1], count == 2 ? 1 : count == 5 ? 8 : 16);
    tn_array_release(taken);
    tn_array_release(array);
    for (int k = 0; k < count; k++)
        tn_array_release(indices[k]);
}

/* Four arrays a launch, and no other work between them and the take. */
static void test_several(void **state) {
    (void)state;
    take_several("places take", 2);
    take_several("places places take", 5);
    take_several("places places take", 6);
}

/* --- Joining --- */

/* The launches that join `count` arrays of (4, size) along an axis. */
static void join(const char *forms, int64_t count, int64_t size, int axis, bool is_f, tn_dtype to) {
    enum { MOST = 270 };
    tn_array *arrays[MOST], *made = NULL;
    tn_order order = is_f ? TN_ORDER_F : TN_ORDER_C;
    for (int64_t k = 0; k < count; k++)
        check_ok(tn_array_new(&arrays[k], TN_F32, 2, L(4, size), order, tn_stream_default(cuda0)));
    long before = fake_cuda_launches();
    check_ok(tn_array_concatenate(&made, count, (const tn_array *const *)arrays, axis, to,
                                  TN_CASTING_SAFE, NULL));
    check_forms(forms, before);
    tn_array_release(made);
    for (int64_t k = 0; k < count; k++)
        tn_array_release(arrays[k]);
}

static void test_join(void **state) {
    (void)state;
    join("join", 2, 100000, 0, false, TN_DTYPE_NONE);
    join("join", 2, 5, 1, false, TN_DTYPE_NONE);
    join("join", 70, 5, 1, false, TN_DTYPE_NONE);
    join("join join join", 270, 5, 1, false, TN_DTYPE_NONE);
    /* What is converted or transposed is copied part by part. */
    join("flat flat", 2, 100000, 0, false, TN_F64);
    join("flat flat", 2, 100000, 1, true, TN_DTYPE_NONE);
}

/* The axis of a reduceat says its operation. */
static void test_reduceat_looks(void **state) {
    (void)state;
    tni_reduceat call = {.op = TN_OP_MAXIMUM, .output = somewhere, .input = somewhere};
    call.input_dtype = call.accumulator = call.output_dtype = TN_F32;
    call.indices = somewhere;
    call.index_count = 10;
    call.length = 1000;
    call.size = 1;
    call.input_stride = call.output_stride = 4;
    check_ok(tni_cuda_reduceat(&call, tn_stream_default(cuda0)));
    check_form("reduceat");
    check_look(fake_cuda_launches() - 2, 10, 1000, TN_OP_MAXIMUM);
}

/* --- Moves between a form's launches --- */

static tni_place place(tn_dtype dtype, int64_t at, int64_t outer, int64_t inner) {
    return (tni_place){.data = somewhere + at, .dtype = dtype, .strides = {outer, inner}};
}

/* Complex numbers are scaled as pairs, 64 axes with them; axes of one element do not count. */
static void test_places(void **state) {
    (void)state;
    tn_stream *stream = tn_stream_default(cuda0);
    const tni_place real = place(TN_F64, 0, 80, 8), wide = place(TN_C128, 0x100000, 160, 16);
    const tni_place transposed = place(TN_C128, 0x200000, 16, 160);
    long before = fake_cuda_launches();
    check_ok(tni_cuda_move(&wide, &real, 2, L(10, 10), false, stream));
    check_ok(tni_cuda_move(&transposed, &wide, 2, L(10, 10), true, stream));
    check_ok(tni_cuda_clear(&wide, 2, L(10, 10), stream));
    check_ok(tni_cuda_clear(&wide, 2, L(10, 0), stream));
    check_ok(tni_cuda_scale(&wide, &wide, 2, L(10, 10), 0.5, stream));
    check_ok(tni_cuda_scale(&wide, &transposed, 2, L(10, 10), 0.5, stream));
    check_forms("flat strided flat flat strided", before);
    tni_place many = {.data = somewhere, .dtype = TN_C64};
    int64_t shape[TN_MAX_NDIM];
    for (int k = 0; k < TN_MAX_NDIM; k++)
        shape[k] = k == 7 ? 100 : 1;
    many.strides[7] = 8;
    before = fake_cuda_launches();
    check_ok(tni_cuda_scale(&many, &many, TN_MAX_NDIM, shape, 3, stream));
    check_forms("flat", before);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_take),           REPLAY_NOT(test_put),      REPLAY_NOT(test_nonzero),
        REPLAY_NOT(test_masks),          REPLAY_NOT(test_ufunc_at), REPLAY_NOT(test_reduceat),
        REPLAY_NOT(test_ranges),         REPLAY_NOT(test_join),     REPLAY_NOT(test_several),
        REPLAY_NOT(test_reduceat_looks), REPLAY_NOT(test_places)};
    return RUN_WITH_NVRTC("cuda_moves", tests);
}
