/* The operands of one call to a backend.
 *
 * Backends get elements that lie at multiples of their size, every address and every stride. An
 * array whose elements do not is described by an aligned stand-in: a copy in order C, which for an
 * output is copied back when the call has succeeded. In order C, so that any axes which the array
 * walks by one stride are walked by one in the stand-in too. A call that only moves elements needs
 * none where the backend moves them from and to any address; nor does an element-wise call, or an
 * input of a reduction, where the backend computes on such.
 *
 *     tni_operands_init(&operands, stream);
 *     TNI_TRY_OWNING(tni_operand_open(&address, &array, TNI_READ, &operands));
 *     (describe the call by `array` and `address`, hand it over)
 *  cleanup:
 *     return tni_operands_close(&operands, status);
 * */
#ifndef TNI_OPERANDS_H
#define TNI_OPERANDS_H

#include "core/array/array.h"

enum { TNI_MAX_STAND_INS = 64 }; /* as many as a kernel has parameters */

typedef struct tni_operands {
    tn_stream *stream;
    /* What the call does, false unless set after init: elements keep their dtype and are not
     * computed on; its description says where they are not aligned. */
    bool only_moves, reports_unaligned;
    bool is_unaligned; /* set when one that is not aligned has no stand-in */
    int stand_in_count;
    struct {
        tn_array *array; /* the stand-in */
        const tn_array *given;
        bool is_written;
    } stand_ins[TNI_MAX_STAND_INS];
} tni_operands;

/* `stream` is not NULL. */
static inline void tni_operands_init(tni_operands *operands, tn_stream *stream) {
    operands->stream = stream;
    operands->only_moves = operands->reports_unaligned = operands->is_unaligned = false;
    operands->stand_in_count = 0;
}

/* Puts a stand-in, owned by `operands`, in the place of an array that is not aligned, unless the
 * call does without. */
tn_status tni_operands_replace(const tn_array **array, tni_access access, tni_operands *operands)
    __attribute__((cold));

/* The same for any array: one that is overwritten while it is read needs a stand-in, too. */
tn_status tni_operands_stand_in(const tn_array **array, tni_access access, tni_operands *operands)
    __attribute__((cold));

/* The door (tni_array_access) for kernels. `array` may become a stand-in, valid until the operands
 * are closed. TNI_WRITE promises that every element will be written, TNI_READ_WRITE keeps the
 * others. */
static inline tn_status tni_operand_open(void **address, const tn_array **array, tni_access access,
                                         tni_operands *operands) {
    if (__builtin_expect(!((*array)->flags & TNI_ALIGNED), 0))
        TNI_TRY(tni_operands_replace(array, access, operands));
    return tni_array_access(address, *array, access, operands->stream);
}

/* Copies written stand-ins back, unless `status` says that the call failed, and drops all. Returns
 * that status, or that of a copy that failed. */
tn_status tni_operands_settle(tni_operands *operands, tn_status status) __attribute__((cold));

static inline tn_status tni_operands_close(tni_operands *operands, tn_status status) {
    if (__builtin_expect(operands->stand_in_count == 0, 1)) return status;
    return tni_operands_settle(operands, status);
}

#endif
