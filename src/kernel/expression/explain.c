/* Explaining: an evaluation that notes its groups (notes.c), and these as text.
 *
 * Invariant: what the expression stores to has its contents back, whatever failed meanwhile. */
#include "core/stream/stream.h"
#include "kernel/expression/evaluate.h"
#include "kernel/expression/graph.h"
#include "kernel/expression/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *tn_group_form_name(tn_group_form form) {
    static const char *const names[] = {"elementwise", "fold", "rows", "copy"};
    return (size_t)form < sizeof names / sizeof *names ? names[form] : "?";
}

/* --- The evaluation --- */

typedef struct saved {
    tn_array *of[TN_EXPRESSION_OPERANDS]; /* NULL: it is not stored to */
} saved;

static tn_status save(saved *to, const tn_expression *e, const tn_operand *operands,
                      tn_stream *stream) {
    for (int n = 0; n < e->count; n++) {
        if (e->nodes[n].kind != TNI_NODE_STORE) continue;
        const int given = e->nodes[e->operands[e->nodes[n].place]].op;
        const tn_array *array = given < 0 ? NULL : operands[given].array;
        if (array && !to->of[given])
            TNI_TRY(tn_array_astype(&to->of[given], array, tn_array_dtype(array), TN_ORDER_K,
                                    TN_CASTING_NO, TN_COPY_ALWAYS, stream));
    }
    return TN_OK;
}

/* The first failure is the result. */
static tn_status restore(const saved *from, const tn_expression *e, const tn_operand *operands,
                         tn_stream *stream, tn_status status) {
    for (int k = 0; k < e->given_count; k++) {
        if (!from->of[k]) continue;
        if (tn_array_is_writeable(operands[k].array)) {
            tn_status own = tn_array_assign((tn_array *)(uintptr_t)operands[k].array, from->of[k],
                                            TN_CASTING_NO, stream);
            if (!status) status = own;
        }
        tn_array_release(from->of[k]);
    }
    return status;
}

static tn_status run(const tn_expression *expression, const tn_operand *operands, tn_stream *stream,
                     tn_explanation *explanation) {
    tn_array *outputs[TN_EXPRESSION_OUTPUTS];
    tni_evaluation how = {explanation, NULL, false, NULL, NULL, false};
    TNI_TRY(tni_expression_run(outputs, expression, operands, stream, &how));
    for (int k = 0; k < expression->output_count; k++)
        tn_array_release(outputs[k]);
    return tn_stream_synchronize(stream, -1);
}

/* The stream that an evaluation takes. */
static tn_status find_stream(tn_stream **stream, const tn_expression *e,
                             const tn_operand *operands) {
    const tn_array *arrays[TN_EXPRESSION_OPERANDS];
    tn_device device;
    for (int k = 0; k < e->given_count; k++)
        arrays[k] = operands[k].array;
    TNI_TRY(tni_device_common(&device, e->given_count, arrays));
    TNI_TRY(tni_stream_resolve(stream, *stream, device));
    if (tni_stream_capture(*stream))
        TNI_FAIL(TN_ERROR_RUNTIME,
                 "an expression cannot be explained while its stream is captured");
    return TN_OK;
}

/* --- Text --- */

/* Text that grows; `failed` keeps what it wanted when there was no memory. */
typedef struct text {
    char *at;
    size_t used, room, failed;
} text;

static void say(text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(text *to, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t length = (size_t)vsnprintf(NULL, 0, format, arguments), room = to->used + length + 1;
    va_end(arguments);
    if (!to->failed && room > to->room) {
        char *larger = tni_realloc(to->at, 2 * room);
        if (larger) {
            to->at = larger;
            to->room = 2 * room;
        } else {
            to->failed = 2 * room;
        }
    }
    if (!to->failed) vsnprintf(to->at + to->used, length + 1, format, again);
    va_end(again);
    to->used += length;
}

static void say_bytes(text *to, int64_t bytes, const char *word) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1000 && unit < 4) {
        value /= 1000;
        unit++;
    }
    say(to, unit && value < 99.95 ? ", %.1f %s %s" : ", %.0f %s %s", value, units[unit], word);
}

static void say_cost(text *to, tn_explained_cost cost) {
    say(to, "%d launch%s", cost.launches, cost.launches == 1 ? "" : "es");
    say_bytes(to, cost.bytes_read, "read");
    say_bytes(to, cost.bytes_written, "written");
}

/* Equal operations that follow one another are one word. */
static void say_operations(text *to, const tn_explained_group *group) {
    for (int k = 0, next; k < group->operation_count; k = next) {
        const tn_explained_operation *one = &group->operations[k];
        for (next = k + 1; next < group->operation_count; next++)
            if (strcmp(group->operations[next].name, one->name) != 0 ||
                group->operations[next].dtype != one->dtype)
                break;
        say(to, "%s%s", k ? ", " : ": ", one->name);
        if (next - k > 1) say(to, " (%d times)", next - k);
        if (next == group->operation_count || group->operations[next].dtype != one->dtype)
            say(to, " %s", tn_dtype_name(one->dtype));
    }
}

static void say_group(text *to, const tn_explained_group *group, int number) {
    char shape[TNI_SHAPE_TEXT];
    say(to, "%d. %s of %s", number, tn_group_form_name(group->form),
        tni_shape_text(shape, group->ndim, group->shape));
    say_operations(to, group);
    say(to, "\n   ");
    say_cost(to, (tn_explained_cost){group->launches, group->bytes_read, group->bytes_written});
    if (group->registers) say(to, ", %d registers", group->registers);
    say(to, "\n   %s\n", group->why);
}

static tn_status write_text(tn_explanation *e) {
    text made = {0};
    say(&made, "%d group%s, ", e->count, e->count == 1 ? "" : "s");
    say_cost(&made, tn_explanation_cost(e));
    say(&made, "; unfused ");
    say_cost(&made, e->unfused);
    say(&made, "\n");
    for (int k = 0; k < e->count; k++)
        say_group(&made, &e->groups[k]->shown, k + 1);
    e->text = made.at;
    return made.failed ? tni_fail_no_memory((int64_t)made.failed) : TN_OK;
}

/* --- Public --- */

static tn_status explain(tn_explanation *made, const tn_expression *expression,
                         const tn_operand *operands, saved *before) {
    tn_stream *stream = made->stream;
    TNI_TRY(save(before, expression, operands, stream));
    TNI_TRY(run(expression, operands, stream, NULL));
    TNI_TRY(run(expression, operands, stream, made));
    return write_text(made);
}

tn_status tn_expression_explain(tn_explanation **result, const tn_expression *expression,
                                const tn_operand *operands, tn_stream *stream) {
    saved before = {{NULL}};
    TNI_TRY(find_stream(&stream, expression, operands));
    tn_explanation *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory((int64_t)sizeof *made);
    made->stream = stream;
    tn_status status = explain(made, expression, operands, &before);
    status = restore(&before, expression, operands, stream, status);
    made->stream = NULL;
    if (status == TN_OK)
        *result = made;
    else
        tn_explanation_release(made);
    return status;
}

void tn_explanation_release(tn_explanation *explanation) {
    if (!explanation) return;
    for (int k = 0; k < explanation->count; k++)
        tni_free(explanation->groups[k]);
    tni_free(explanation->groups);
    tni_free(explanation->text);
    tni_free(explanation->fold_whys);
    tni_free(explanation);
}

int tn_explanation_group_count(const tn_explanation *explanation) {
    return explanation->count;
}

const tn_explained_group *tn_explanation_group(const tn_explanation *explanation, int group) {
    return group >= 0 && group < explanation->count ? &explanation->groups[group]->shown : NULL;
}

tn_explained_cost tn_explanation_cost(const tn_explanation *explanation) {
    tn_explained_cost cost = {0, 0, 0};
    for (int k = 0; k < explanation->count; k++) {
        const tn_explained_group *group = &explanation->groups[k]->shown;
        cost.launches += group->launches;
        cost.bytes_read += group->bytes_read;
        cost.bytes_written += group->bytes_written;
    }
    return cost;
}

tn_explained_cost tn_explanation_unfused_cost(const tn_explanation *explanation) {
    return explanation->unfused;
}

const char *tn_explanation_text(const tn_explanation *explanation) {
    return explanation->text;
}
