/* Products of matrices over packed panels. */
#ifndef TNI_HOST_FORMS_PANELS_H
#define TNI_HOST_FORMS_PANELS_H

#include "backend/host/product.h"

/* A product of any size and strides. */
tn_status tni_product_run_panels(const tni_product *w);

#endif
