/* The functions that the host's table holds, made from the two lists; `join` is none of the
 * host's. */
#ifndef TNI_HOST_TABLE_H
#define TNI_HOST_TABLE_H

#include "backend/backend.h"

/* clang-format off */
#define ENTRY(result, name, parameters) result tni_host_##name parameters;
#include "backend/entries.def"
#define FORM(family, name) tn_status tni_host_##name(const struct tni_##name *call, tn_stream *stream);
#include "forms/forms.def"
/* clang-format on */

#endif
