#include "core/array/line.h"

#include "core/array/layout.h"

void tni_line_describe(tni_line *line, const tn_array *output, void *to, const tn_array *input,
                       const void *from, int axis) {
    int ndim = 0;
    line->size = 1;
    for (int k = 0; k < input->ndim; k++) {
        if (k == axis) continue;
        line->size *= tni_shape(input)[k];
        line->shape[ndim] = tni_shape(input)[k];
        line->input_strides[ndim] = tni_strides(input)[k];
        line->output_strides[ndim++] = tni_strides(output)[k];
    }
    line->length = tni_shape(input)[axis];
    line->input_stride = tni_strides(input)[axis];
    line->output_stride = tni_strides(output)[axis];
    int64_t offsets[2] = {0, 0};
    int64_t *strides[2] = {line->input_strides, line->output_strides};
    line->ndim = tni_layout_collapse(ndim, line->shape, 2, strides, offsets, true);
    line->input = (const char *)from + offsets[0];
    line->output = (char *)to + offsets[1];
}
