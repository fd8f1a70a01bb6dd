/* What take and put share on CUDA. */
#ifndef TNI_CUDA_FORMS_INDEXING_H
#define TNI_CUDA_FORMS_INDEXING_H

#include "backend/cuda/forms/step.h"
#include "forms/indexing.h"

/* What the writer does with the elements. */
typedef struct tni_move {
    bool is_put, is_checked, has_value;
    int owners;             /* OWNERS of take.cu */
    const char *owner_data; /* and where they lie, in scratch memory */
    int64_t owner_mask;
    unsigned char value[16];
} tni_move;

#endif
