/* Ranges on CUDA. */
#include "forms/arange.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/program.h"

enum { BLOCK = 256 };

/* Integers wrap in the unsigned type of their width; parts of complex numbers are stored one by
 * one. */
static void write_body(tni_source *source, const tni_form_key *key) {
    static const char *const unsigned_of[] = {
        [1] = "tn_u8", [2] = "tn_u16", [4] = "tn_u32", [8] = "tn_u64"};
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    bool is_integer = dtype < TN_F16, is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
    tn_dtype part = tn_dtype_real(dtype);
    const char *type = is_integer ? unsigned_of[tn_dtype_size(dtype)] : tni_body_working(part);
    const char *stored = is_integer ? type : tni_body_stored(part);
    tni_source_add(source,
                   "typedef %s Stored;\ntypedef %s Part;\n#define PARTS %d\n"
                   "#define RANGE_INTEGER %d\n",
                   stored, type, is_complex ? 2 : 1, is_integer);
    if (is_integer)
        tni_source_add(source, "__device__ __forceinline__ Stored range_store(Part x) {\n"
                               "    return x;\n}\n");
    else
        tni_body_add_store(source, "range_store", part, part);
}

static const tni_form form = {"arange", {"BLOCK", "RANGE_LINSPACE", "WIDE_INDEX"}, write_body, 36};

tn_status tni_cuda_arange(const struct tni_arange *call, tn_stream *stream) {
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    if (call->count == 0) return TN_OK;
    key.op = -1;
    key.dtypes[0] = (int8_t)call->dtype;
    key.numbers[0] = BLOCK;
    key.numbers[1] = call->is_linspace;
    TNI_TRY(tni_form_get(&kernel, &form, &key, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, call->to);
    tni_form_put_i64(&params, call->count);
    tni_form_put(&params, &call->start, sizeof call->start);
    tni_form_put(&params, &call->step, sizeof call->step);
    tni_form_put(&params, &call->last, sizeof call->last);
    tni_form_put_f64(&params, call->divisor);
    tni_form_put_i64(&params, call->has_last);
    tni_form_put_i64(&params, call->rounds_down);
    int64_t width = 16 / tn_dtype_size(call->dtype);
    int64_t blocks = tni_form_min(tni_form_ceil(call->count, BLOCK * width),
                                  32 * tni_form_multiprocessors(stream));
    return tni_form_launch(kernel, blocks, BLOCK, &params, stream);
}
