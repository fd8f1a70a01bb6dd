/* What forms of graphs share: the steps as device functions, and their digest for a key. */
#ifndef TNI_CUDA_FORMS_EXPRESSION_H
#define TNI_CUDA_FORMS_EXPRESSION_H

#include "backend/cuda/forms/step.h"
#include "forms/expression.h"

void tni_graph_digest(uint64_t digests[2], const void *bytes, size_t count);
/* Of all that the text of steps depends on. */
void tni_graph_digest_steps(uint64_t digests[2], const tni_steps *steps);

/* Constants of a graph (tni_expression.constants): for a key, and as text in their stored form.
 * False: they come with the parameters. */
void tni_graph_digest_constants(uint64_t digests[2], const tni_expression *call);
bool tni_graph_write_constant(tni_source *source, const tni_expression *call, int input);

/* r3(a, b, ...): what step 3 makes of stored values; s3: its second value. Folds have none. */
void tni_graph_write_functions(tni_source *source, const tni_steps *steps);

/* The steps in turn, as values v<number> of values v0, v1, ... */
void tni_graph_write_steps(tni_source *source, const tni_steps *steps);

#endif
