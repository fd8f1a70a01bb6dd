/* What graph.c gives to other files. */
#ifndef TNI_CUDA_LAUNCH_GRAPH_H
#define TNI_CUDA_LAUNCH_GRAPH_H

#include "backend/cuda/driver/device.h"
#include "backend/cuda/table.h"

struct tn_graph;

/* Captures during which the driver refuses what might spoil them, unless a thread says that it knows what
 * it does: the two below. */
extern atomic_int tni_cuda_strict_captures;
void tni_cuda_relax(tni_cuda_scope *scope);
void tni_cuda_unrelax(tni_cuda_scope *scope);

#endif
