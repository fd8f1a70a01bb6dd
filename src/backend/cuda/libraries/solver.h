/* Decompositions through cuSOLVER, on the device's addresses of a call of a form.
 *
 * infos[count], on the device, receive what each matrix's decomposition says: 0 where it went well.
 * Matrices of a stack are decomposed one after the other. */
#ifndef TNI_CUDA_SOLVER_H
#define TNI_CUDA_SOLVER_H

#include "forms/linalg.h"

#include <tenorite/device.h>
#include <tenorite/status.h>

tn_status tni_cusolver_cholesky(const tni_cholesky *call, int *infos, tn_stream *stream);
tn_status tni_cusolver_lu(const tni_lu *call, int *infos, tn_stream *stream);
tn_status tni_cusolver_lu_solve(const tni_lu_solve *call, int *infos, tn_stream *stream);
tn_status tni_cusolver_cholesky_solve(const tni_cholesky_solve *call, int *infos,
                                      tn_stream *stream);
/* a and tau only. */
tn_status tni_cusolver_qr(const tni_qr *call, int *infos, tn_stream *stream);
/* The columns of q, which begin with those of the factored a. */
tn_status tni_cusolver_q(const tni_qr *call, int *infos, tn_stream *stream);
tn_status tni_cusolver_eigh(const tni_eigh *call, int *infos, tn_stream *stream);
/* Of real matrices v is real, too: the real and the imaginary part of the first of two conjugate
 * vectors lie side by side. TN_ERROR_NOT_IMPLEMENTED before CUDA 12.6. */
tn_status tni_cusolver_eig(const tni_eig *call, int *infos, tn_stream *stream);
/* For m >= n. */
tn_status tni_cusolver_svd(const tni_svd *call, int *infos, tn_stream *stream);
/* The same with vectors by a polar decomposition: many times faster, with V (not its adjoint) in
 * vh. Not done where singular values are next to 0 or where cuSOLVER lacks it; a is lost. */
tn_status tni_cusolver_polar_svd(const tni_svd *call, bool *is_done, int *infos, tn_stream *stream);

#endif
