/* Elements that a form of several launches moves between them. */
#ifndef TNI_CUDA_FORMS_MOVE_H
#define TNI_CUDA_FORMS_MOVE_H

#include <tenorite/elementwise.h>

/* Elements of one place; strides in bytes. */
typedef struct tni_place {
    char *data;
    tn_dtype dtype;
    int64_t strides[TN_MAX_NDIM];
} tni_place;

/* to = from, converted; complex numbers that stay complex are conjugated if the flag says so. */
tn_status tni_cuda_move(const tni_place *to, const tni_place *from, int ndim, const int64_t *shape,
                        bool conjugates, tn_stream *stream);
/* to = zeros. */
tn_status tni_cuda_clear(const tni_place *to, int ndim, const int64_t *shape, tn_stream *stream);
/* to = from times a real factor, both of one dtype; complex numbers as pairs of real ones. Both may
 * be one place. */
tn_status tni_cuda_scale(const tni_place *to, const tni_place *from, int ndim, const int64_t *shape,
                         double factor, tn_stream *stream);

#endif
