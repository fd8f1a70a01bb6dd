/* The libraries of CUDA (libraries.def), loaded when they are first needed. */
#ifndef TNI_CUDA_LIBRARY_H
#define TNI_CUDA_LIBRARY_H

#include "backend/cuda/driver/driver_types.h"
#include "core/base/error.h"
#include "core/base/library.h"

enum { TNI_CUDA_LIBRARIES = TNI_LIBRARY_OPENBLAS }; /* the first ones of the list */

/* Opens a library and fills `table`; does nothing after the first success. Thread-safe. On failure
 * (TN_ERROR_DEVICE) the text says what was looked for and what to install. */
tn_status tni_cuda_library_load(tni_library which, const tni_symbol *symbols, size_t count,
                                void *table);

/* The file that a library would be taken from, without opening it; false when only the system's
 * loader could tell, or there is none. `bytes` includes the NUL. */
bool tni_cuda_library_locate(tni_library which, char *path, size_t bytes);

/* What is known of a library: the file it was taken from (NULL: not loaded), and how to install
 * it. */
const char *tni_cuda_library_loaded_path(tni_library which);
const char *tni_cuda_library_advice(tni_library which);

/* --- The driver and NVRTC --- */

typedef struct tni_driver_functions {
#define FN(name, params, args) CUresult(*name) params;
#include "backend/cuda/driver/driver.fn"
} tni_driver_functions;
extern tni_driver_functions tni_driver;
/* Loads libcuda, without a call to it. */
tn_status tni_driver_load(void);

typedef struct tni_nvrtc_functions {
#define FN(result, name, params) result(*name) params;
#include "backend/cuda/driver/nvrtc.fn"
} tni_nvrtc_functions;
extern tni_nvrtc_functions tni_nvrtc;
tn_status tni_nvrtc_load(void);
/* NVRTC's version as 1000 x major + 10 x minor, read from the names of its files where that is
 * possible, so that a cached kernel needs no compiler in memory. */
tn_status tni_nvrtc_version(int *version);

typedef struct tni_nvtx_functions {
#define FN(result, name, params) result(*name) params;
#include "backend/cuda/driver/nvtx.fn"
} tni_nvtx_functions;
extern tni_nvtx_functions tni_nvtx;
tn_status tni_nvtx_load(void);

#endif
