/* Looking texts up; there are a handful. */
#include "kernel/user_text.h"

#include <string.h>

const tni_user_header tni_user_headers[TNI_USER_HEADERS] = {
    {"cupy/complex.cuh", "complex.cuh"},
    {"cupy/complex/complex.h", "complex.cuh"},
    {"thrust/complex.h", "thrust_complex.cuh"},
    {"cupy/atomics.cuh", "atomics.cuh"},
    {"cupy/carray.cuh", "carray.cuh"},
    {"cupy/float16.cuh", "carray.cuh"},
    {"cupy/bfloat16.cuh", "carray.cuh"},
    {"cupy/math_constants.h", "math_constants.cuh"},
    {"math_constants.h", "math_constants.cuh"},
    {"cuComplex.h", "cucomplex.cuh"},
    {"cupy/cuComplex_bridge.h", "cucomplex_is_complex.cuh"},
    {"tenorite/operations.cuh", "operations.cuh"},
};

const char tni_user_translation[] = "#include <cupy/complex.cuh>\n"
                                    "#include <cupy/cuComplex_bridge.h>\n"
                                    "#line 1 \"kernel.cu\"\n";

const tni_text *tni_user_text_find(const char *name) {
    for (size_t k = 0; k < tni_user_text_count; k++)
        if (strcmp(tni_user_texts[k].name, name) == 0) return &tni_user_texts[k];
    return NULL;
}
