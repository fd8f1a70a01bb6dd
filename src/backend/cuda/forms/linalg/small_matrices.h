/* Many small real matrices, a group of lanes each (kernels/linalg/group_matrices.cu). */
#ifndef TNI_CUDA_SMALL_MATRICES_H
#define TNI_CUDA_SMALL_MATRICES_H

#include "backend/cuda/launch/launch.h"
#include "forms/linalg.h"
#include "kernel/source.h"

struct tni_form_key;

/* The program's type Real. */
void tni_write_real(tni_source *source, const struct tni_form_key *key);

/* Each does a call of a form, if such matrices are done faster beside one another than one by one
 * in a library; else `*is_done` is false. */
tn_status tni_small_cholesky(const tni_cholesky *call, bool *is_done, tn_stream *stream);
tn_status tni_small_lu(const tni_lu *call, bool *is_done, tn_stream *stream);
tn_status tni_small_lu_solve(const tni_lu_solve *call, bool *is_done, tn_stream *stream);
tn_status tni_small_qr(const tni_qr *call, bool *is_done, tn_stream *stream);
tn_status tni_small_eigh(const tni_eigh *call, bool *is_done, tn_stream *stream);
tn_status tni_small_svd(const tni_svd *call, bool *is_done, tn_stream *stream);

#endif
