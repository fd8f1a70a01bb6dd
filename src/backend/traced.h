/* What a trace notes of forms: a form's work gets its name before it is queued, and is an event
 * when that is done. A function that begins returns 0 where nothing is traced. */
#ifndef TNI_BACKEND_TRACED_H
#define TNI_BACKEND_TRACED_H

#include "core/stream/stream.h"

typedef enum tni_traced_form {
#define HELD(family, form) TNI_TRACED_##form,
#include "forms/forms.def"
    TNI_TRACED_FORMS
} tni_traced_form;
__attribute__((cold)) int64_t tni_trace_form_begin(tni_traced_form form, const void *call,
                                                   const tn_stream *stream);
__attribute__((cold)) void tni_trace_form_end(int64_t begun, tni_traced_form form, const void *call,
                                              const tn_stream *stream);

/* The same of a program's own kernel. */
int64_t tni_trace_kernel_begin(const char *name, const tn_stream *stream);
void tni_trace_kernel_end(int64_t begun, const char *name, int64_t bytes, const tn_stream *stream);

#endif
