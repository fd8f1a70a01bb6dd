/* What panels.c gives to other files. */
#ifndef TNI_HOST_FORMS_PANELS_H
#define TNI_HOST_FORMS_PANELS_H

#include "backend/host/product.h"

#include <tenorite/linalg.h>

/* A product of matrices over packed panels, of any size and strides. panels.c. */
tn_status tni_product_run_panels(const tni_product *w);
/* Whether b is a transposed, so that the result is symmetric; puts below the diagonal of a square matrix
 * of elements of `size` bytes what is above it. panels.c. */
bool tni_matmul_is_symmetric(tni_matmul_view a, tni_matmul_view b);
void tni_matmul_mirror(tni_matmul_view out, int64_t side, int64_t size);

#endif
