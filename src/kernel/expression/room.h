/* How much memory what is made between the passes of a schedule takes. */
#ifndef TNI_KERNEL_EXPRESSION_ROOM_H
#define TNI_KERNEL_EXPRESSION_ROOM_H

#include "kernel/expression/places.h"

/* Whether it is `bytes` at most, at any time. */
bool tni_room_is_enough(const tni_schedule *s, int64_t bytes);

#endif
