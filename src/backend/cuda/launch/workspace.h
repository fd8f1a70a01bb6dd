/* What workspace.c gives to other files. */
#ifndef TNI_CUDA_LAUNCH_WORKSPACE_H
#define TNI_CUDA_LAUNCH_WORKSPACE_H

#include "backend/cuda/forms/program.h"

tn_status tni_workspace_get(tni_workspace *workspace, tn_stream *stream);
tn_status tni_bounds_begin(tni_bounds *bounds, tn_stream *stream);
/* After anything of the device was waited for: TN_ERROR_INDEX if a kernel, on whatever stream, met an index
 * out of bounds of which nobody has heard. */
tn_status tni_bounds_check(int number);
/* Forgets a stream that ends; `is_done`: it has no work left. A graph ends with nothing running. */
void tni_workspace_drop_stream(const tn_stream *stream, bool is_done);
void tni_workspace_drop_graph(const struct tn_graph *graph);

#endif
