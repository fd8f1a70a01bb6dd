/* The public C API of Tenorite. */
#ifndef TENORITE_TENORITE_H
#define TENORITE_TENORITE_H

#include <tenorite/array.h>
#include <tenorite/backlog.h>
#include <tenorite/collective.h>
#include <tenorite/create.h>
#include <tenorite/csgraph.h>
#include <tenorite/cuda.h>
#include <tenorite/cudnn.h>
#include <tenorite/device.h>
#include <tenorite/dtype.h>
#include <tenorite/elementwise.h>
#include <tenorite/explain.h>
#include <tenorite/expression.h>
#include <tenorite/fft.h>
#include <tenorite/graph.h>
#include <tenorite/image.h>
#include <tenorite/image_map.h>
#include <tenorite/index.h>
#include <tenorite/join.h>
#include <tenorite/kernel.h>
#include <tenorite/library.h>
#include <tenorite/linalg.h>
#include <tenorite/measure.h>
#include <tenorite/memory.h>
#include <tenorite/neural.h>
#include <tenorite/operations.h>
#include <tenorite/random.h>
#include <tenorite/reduce.h>
#include <tenorite/samples.h>
#include <tenorite/signal.h>
#include <tenorite/sort.h>
#include <tenorite/sparse.h>
#include <tenorite/spatial.h>
#include <tenorite/spline.h>
#include <tenorite/statistics.h>
#include <tenorite/status.h>
#include <tenorite/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TN_VERSION_MAJOR 0
#define TN_VERSION_MINOR 2
#define TN_VERSION_PATCH 0

/* The library's version, "0.2.0". */
TN_API const char *tn_version(void);

#ifdef __cplusplus
}
#endif
#endif
