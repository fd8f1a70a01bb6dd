/* What the files of the host backend share: running a form on a stream, and the pool of threads. */
#ifndef TNI_HOST_H
#define TNI_HOST_H

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <tenorite/linalg.h>

/* Forms, each in the file of its name; `join` is none of the host's. */
/* clang-format off */
#define FORM(family, name) tn_status tni_host_##name(const struct tni_##name *call, tn_stream *stream);
#include "forms/forms.def"
/* clang-format on */

#endif
