/* What waiting calls came to, and the list of looks as programs see it. */
#include "kernel/backlog/figures.h"

#include "kernel/expression/notes.h"

#include <stdio.h>
#include <string.h>

tni_backlog_counters tni_backlog_counted;

static const struct {
    const char *name, *sentence;
} looks[] = {
#define LOOK(name, file, sentence) {#name, sentence},
#include "core/base/looks.def"
#undef LOOK
};

int tn_backlog_look_count(void) {
    return TNI_LOOKS;
}

const char *tn_backlog_look_name(int look) {
    return (unsigned)look < TNI_LOOKS ? looks[look].name : NULL;
}

const char *tn_backlog_look_sentence(int look) {
    return (unsigned)look < TNI_LOOKS ? looks[look].sentence : NULL;
}

int64_t tn_backlog_looks(int look) {
    return (unsigned)look < TNI_LOOKS
               ? atomic_load_explicit(&tni_backlog_counted.looks[look], memory_order_relaxed)
               : 0;
}

/* --- Costs --- */

void tni_figures_add_call(tn_explained_cost *to, const tni_waiting_call *call) {
    const int inputs = call->input_count, count = inputs + call->output_count;
    to->launches++;
    for (int k = 0; k < count; k++) {
        tni_slot *slot = call->arguments[k].slot;
        bool is_new = slot != NULL; /* x * x reads x once */
        for (int other = 0; other < k && k < inputs; other++)
            is_new &= call->arguments[other].slot != slot;
        if (!is_new) continue;
        *(k < inputs ? &to->bytes_read : &to->bytes_written) +=
            tni_note_bytes(tni_slot_array(slot));
    }
}

void tni_figures_add_run(const tn_backlog_run *run) {
    tni_backlog_counters *c = &tni_backlog_counted;
    tni_backlog_add(&c->dropped, run->dropped);
    tni_backlog_add(&c->launches, run->cost.launches);
    tni_backlog_add(&c->bytes, run->cost.bytes_read + run->cost.bytes_written);
    tni_backlog_add(&c->single_launches, run->single.launches);
    tni_backlog_add(&c->single_bytes, run->single.bytes_read + run->single.bytes_written);
}

/* --- Calls as text --- */

const char *tni_call_name(const tni_waiting_call *call) {
    if (call->is_reduction && call->of.reduction >= 0)
        return tn_reduction_name((tn_reduction)call->of.reduction);
    if (call->op != TNI_OP_COPY) return tn_op_name(call->op);
    return call->arguments[0].slot ? "copy" : "fill";
}

const char *tni_call_text(char text[TNI_CALL_TEXT], const tni_waiting_call *call) {
    int used = snprintf(text, TNI_CALL_TEXT, "%s%s of ", tni_call_name(call),
                        call->is_reduction && call->of.reduction < 0 ? ".reduce" : "");
    for (int k = 0; k < call->input_count && used < TNI_CALL_TEXT; k++) {
        const tni_waiting_argument *argument = &call->arguments[k];
        const char *scalar = argument->slot ? "" : "a scalar ";
        const tn_dtype dtype = (tn_dtype)(argument->slot ? argument->dtype : argument->loop_dtype);
        used += snprintf(text + used, (size_t)(TNI_CALL_TEXT - used), "%s%s%s",
                         k == 0                      ? ""
                         : k + 1 < call->input_count ? ", "
                                                     : " and ",
                         scalar, tn_dtype_name(dtype));
    }
    return text;
}
