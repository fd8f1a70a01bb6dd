/* Bodies on the host: elements computed by the compiled loops of their steps. */
#ifndef TNI_HOST_RUN_BODY_H
#define TNI_HOST_RUN_BODY_H

#include "backend/host/forms/operations.h"
#include "forms/body.h"

/* A body as operations over pieces of its elements. */
typedef struct tni_body_program {
    const tni_body *body;
    tni_operations operations;
    tni_loop scatter; /* copies elements of the last value's dtype */
    int value_count, slot_count;
    tni_value last; /* the value that is the element */
    bool is_joined; /* a chain wants its inputs contiguous */
    bool folds;     /* the last chain can fold what it makes */
    int64_t piece;  /* elements */
    int64_t slot_bytes;
    uint16_t slots[TNI_BODY_VALUES]; /* of values that have one, else TNI_NO_SLOT */
} tni_body_program;

/* `fold`: what a chain may do with the elements that it makes (tni_operation_fold); 0: nothing. */
void tni_host_body_prepare(tni_body_program *program, const tni_body *body, uint8_t fold);

/* to[i] (to_stride: bytes between them) = element first + i * step of the body, of the dtype that
 * its last step makes; 0 <= i < n. */
void tni_host_body_run(const tni_body_program *program, char *to, int64_t to_stride, int64_t first,
                       int64_t step, int64_t n);

/* Of a program that folds: `lanes`, which has nothing yet, takes in n elements, from number `first`
 * on. False: they do not lie so, and nothing was done. */
bool tni_host_body_fold(const tni_body_program *program, tni_lanes *lanes, int64_t first,
                        int64_t n);

#endif
