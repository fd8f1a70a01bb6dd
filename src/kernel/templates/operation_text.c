/* Operations as functions of a program: the bodies of src/ops between the types that programs have.
 * A function has one output; an operation of two becomes two functions. */
#include "core/rules/op.h"
#include "kernel/body.h"
#include "kernel/templates/elementwise_text.h"
#include "kernel/user_words.h"

#include <tenorite/kernel.h>

#include <string.h>

static const char *const letters[] = {"a", "b", "c", "d"};

static bool is_complex(tn_dtype dtype) {
    return tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
}

static bool is_short(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16;
}

/* An argument in the form that bodies compute with; bool stays one number of 0 and 1. */
static void add_argument(tni_source *out, tn_dtype dtype, const char *letter) {
    if (is_complex(dtype))
        tni_source_add(out, "    const %s %s = {_%s.real(), _%s.imag()};\n",
                       tni_body_working(dtype), letter, letter, letter);
    else
        tni_source_add(out, "    const %s %s = (%s)_%s;\n",
                       dtype == TN_B8 ? "unsigned char"
                                      : tni_type_name(is_short(dtype) ? TN_F32 : dtype),
                       letter, is_short(dtype) ? "float" : tni_type_name(dtype), letter);
}

static void add_result(tni_source *out, tn_dtype dtype, const char *text) {
    const char *name = tni_type_name(dtype);
    if (is_complex(dtype))
        tni_source_add(out, "    const %s _r = %s;\n    return %s(_r.re, _r.im);\n}\n",
                       tni_body_working(dtype), text, name);
    else
        tni_source_add(out, "    return (%s)%s(%s);\n}\n", name, is_short(dtype) ? "(float)" : "",
                       text);
}

static void add_function(tni_source *out, const tni_loop_choice *choice, int output, bool moves,
                         const char *text) {
    int inputs = tn_op_inputs(choice->op);
    tn_dtype result = choice->arguments[inputs + output];
    tni_source_add(out, "static __device__ inline %s %s%s(", tni_type_name(result), out->name,
                   output ? "_second" : "");
    for (int k = 0; k < inputs; k++)
        tni_source_add(out, "%s%s %s%s", k ? ", " : "", tni_type_name(choice->arguments[k]),
                       moves ? "" : "_", letters[k]);
    tni_source_add(out, ") {\n");
    if (moves) {
        tni_source_add(out, "    return %s;\n}\n", text);
        return;
    }
    for (int k = 0; k < inputs; k++)
        add_argument(out, choice->arguments[k], letters[k]);
    add_result(out, result, text);
}

static bool calls_functions(const tni_loop_choice *choice, const char *text) {
    for (int k = 0; k < tn_op_inputs(choice->op) + tn_op_outputs(choice->op); k++)
        if (is_complex(choice->arguments[k])) return true;
    return tni_words_begin(text, "m_") || tni_words_begin(text, "tn_") ||
           tni_words_begin(text, "TN_");
}

tn_status tn_op_write(tn_op_text *result, tn_op op, const tn_operand *inputs, tn_dtype dtype,
                      tn_casting casting) {
    tni_loop_choice choice;
    tni_source out = {0};
    const char *text, *second;
    bool moves;
    TNI_TRY(tni_op_choose(&choice, op, inputs, dtype, casting));
    if (!tni_body_find(&text, &second, &moves, choice.op, choice.dtype))
        TNI_FAIL(TN_ERROR_TYPE, "%s has no text for %s", tn_op_name(op),
                 tn_dtype_name(choice.dtype));
    tni_source_set_name(&out, "tni_%s_%s", tn_op_name(choice.op), tn_dtype_suffix(choice.dtype));
    if (!moves && (calls_functions(&choice, text) || calls_functions(&choice, second)))
        tni_source_add(&out, "#include <tenorite/operations.cuh>\n");
    add_function(&out, &choice, 0, moves, text);
    if (tn_op_outputs(op) > 1) add_function(&out, &choice, 1, moves, second);
    bool fits = !out.has_failed && out.length < sizeof result->text;
    if (fits) {
        memcpy(result->text, out.text, out.length + 1);
        memcpy(result->name, out.name, sizeof result->name);
        for (int k = 0; k < tn_op_inputs(op) + tn_op_outputs(op); k++)
            result->loop[k] = (tn_dtype)choice.arguments[k];
    }
    tni_source_deinit(&out);
    return fits ? TN_OK : tni_fail_no_memory((int64_t)sizeof result->text);
}
