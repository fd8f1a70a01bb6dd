/* What reductions, argument reductions, scans and reduceat share on CUDA: the body of a fold. */
#ifndef TNI_CUDA_FORMS_FOLD_H
#define TNI_CUDA_FORMS_FOLD_H

#include "backend/cuda/forms/step.h"
#include "core/rules/reduce_table.h"
#include "forms/body.h"

/* In the key's `extra`; dtypes[] of the key are input, accumulator, output. */
typedef struct tni_fold_key {
    uint8_t kind; /* FOLD_IS_... of fold.cuh */
    uint8_t skips_nan, masked, exits, counts, root;
    /* Of a body; without inputs the element is the input. Inputs by bits: those that are one
     * scalar, those that lie aligned as their vectors are loaded, and those that lie otherwise than
     * the array that is never made. */
    uint8_t input_count;
    uint8_t axes; /* where inputs are strided: of the array that is never made */
    uint32_t scalars, aligned, strided;
    uint64_t digests[2]; /* of its steps */
} tni_fold_key;
enum {
    TNI_FOLD_VALUE,
    TNI_FOLD_MEAN,
    TNI_FOLD_VAR,
    TNI_FOLD_STD,
    TNI_FOLD_ARG,
    TNI_FOLD_FIRST,
    TNI_FOLD_USER
};

/* The kind of a plain fold: FIRST for extremes of complex numbers. Each NaN among them differs, and
 * the first in the array's order wins, so a fold in any grouping has to know positions. */
int tni_fold_kind(tn_op op, tn_dtype accumulator);

/* Writes the types, functions and FOLD_ macros that fold.cuh and scan.cuh ask for. Forms in strict
 * order, whose operation may lack a neutral value, begin with the first element. */
void tni_fold_write(tni_source *source, const tni_form_key *key);

/* How many words tell where strided inputs lie: sizes of axes, then each input's strides. An even
 * number, since other parameters follow. */
enum { TNI_FOLD_AXES = 4, TNI_FOLD_WORDS = TNI_FOLD_AXES * (TNI_BODY_INPUTS + 1) };
int tni_fold_words(const tni_fold_key *fold);

void tni_fold_set_body(tni_fold_key *fold, const tni_body *body);
/* The functions of a tni_body, for which the key has the digests. */
void tni_fold_write_body(tni_source *source, const tni_form_key *key, const void *body);
void tni_fold_set(tni_form_key *key, const tni_fold_key *fold, tn_op op, tn_dtype input,
                  tn_dtype accumulator, tn_dtype output);

enum { TNI_FOLD_STATE_BYTES = 32 }; /* room for any State */

#endif
