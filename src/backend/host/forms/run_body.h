/* Bodies on the host: elements computed by the compiled loops of their steps. */
#ifndef TNI_HOST_RUN_BODY_H
#define TNI_HOST_RUN_BODY_H

#include "forms/body.h"

/* to[i] (to_stride: bytes between them) = element first + i * step of the body, of the dtype that
 * its last step makes; 0 <= i < n. */
void tni_host_body_run(const tni_body *body, char *to, int64_t to_stride, int64_t first,
                       int64_t step, int64_t n);

#endif
