/* What forms of graphs share: the steps as device functions, and their digest for a key. */
#ifndef TNI_CUDA_FORMS_EXPRESSION_H
#define TNI_CUDA_FORMS_EXPRESSION_H

#include "backend/cuda/forms/step.h"
#include "forms/expression.h"

void tni_graph_digest(uint64_t digests[2], const void *bytes, size_t count);
/* Of all that the graph's text depends on but its arguments. */
void tni_graph_digest_steps(uint64_t digests[2], const tni_expression *graph);

/* r3(a, b, ...): what step 3 makes of stored values; s3: its second value. Folds have none. */
void tni_graph_write_functions(tni_source *source, const tni_expression *graph);

#endif
