/* A group whose program could not be made: its operations one by one. */
#ifndef TNI_KERNEL_EXPRESSION_SINGLE_H
#define TNI_KERNEL_EXPRESSION_SINGLE_H

#include "kernel/expression/places.h"

/* What a call of the form "expression" that was refused would have computed. `arrays` are those of
 * its inputs (NULL: a scalar) and outputs, `members` the nodes that its steps are. `why`: what the
 * refusal said; NULL: nothing was refused, and the call is noted already. */
tn_status tni_single_run(tni_schedule *s, const tni_expression *call, const tn_array *const *arrays,
                         const int16_t *members, int count, const char *why);

#endif
