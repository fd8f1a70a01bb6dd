/* What waiting calls came to, and the list of looks as programs see it. */
#include "kernel/backlog/figures.h"

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
