/* The entries that the host's table holds, beside the forms (forms/forms.h). */
#ifndef TNI_HOST_TABLE_H
#define TNI_HOST_TABLE_H

#include "backend/backend.h"

/* clang-format off */
#define ENTRY(result, name, parameters) result tni_host_##name parameters;
#include "backend/entries.def"
/* clang-format on */

#endif
