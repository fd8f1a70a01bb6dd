/* A BLAS of the machine: found at the first large product, called with the strides that arrays
 * have.
 *
 * core/base/library.c says where one is looked for; NumPy's wheel brings one that the process has
 * loaded already. A libblas without an optimised library's mark is the reference implementation,
 * which our own loops outrun by far, so it is passed over.
 *
 * Invariant: no operand is copied or touched here; what a BLAS does not take as it lies is refused,
 * and the caller's loops do it. Symbols may carry a prefix and a suffix (scipy_cblas_dgemm64_), and
 * integers may be of 32 or 64 bits; both are found out once. */
#include "backend/host/libraries/blas.h"

#include "backend/host/loops.h"
#include "backend/host/product.h"
#include "core/base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CBLAS' enums. */
enum { ROWS = 101, COLUMNS = 102, NO_TRANS = 111, TRANS = 112, UPPER = 121 };

/* An open library and how it names its functions. */
typedef struct library {
    void *handle;
    const char *prefix, *suffix;
    int bits; /* of its integers */
} library;

/* One operand: its address, whether it is stored transposed, and its leading dimension in
 * elements. */
typedef struct operand {
    void *data;
    int trans;
    int64_t step;
} operand;

typedef struct operands {
    tn_dtype dtype;
    int order;
    int64_t m, n, k;
    operand out, a, b;
} operands;

typedef struct calls {
    bool (*load)(const library *from);
    void (*gemm)(const operands *o);
    void (*syrk)(const operands *o);
} calls;

static const float one_c64[2] = {1, 0}, zero_c64[2] = {0, 0};
static const double one_c128[2] = {1, 0}, zero_c128[2] = {0, 0};

/* The address of a function, NULL: there is none; `size` is that of a function pointer. */
static bool find(const library *from, const char *name, void *pointer, size_t size) {
    void *address = tni_library_symbol(from->handle, from->prefix, name, from->suffix);
    memcpy(pointer, &address, size);
    return address != NULL;
}

#define TNI_BLAS_PASTE(name, bits) TNI_BLAS_PASTE_(name, bits)
#define TNI_BLAS_PASTE_(name, bits) name##_##bits
#define TNI_BLAS_INTEGER(bits) TNI_BLAS_INTEGER_(bits)
#define TNI_BLAS_INTEGER_(bits) int##bits##_t

#define BITS 32
#include "backend/host/libraries/blas_calls.h"
#define BITS 64
#include "backend/host/libraries/blas_calls.h"

/* --- Finding --- */

static struct {
    const calls *calls; /* NULL: there is none */
    library library;
    int bits;
    bool is_slow; /* at products of matrices, compared with our own loops */
    void (*set_threads)(int count);
    int (*get_threads)(void);
    char path[1024];
} blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Finds out how an open library names things; false: it is no CBLAS. */
static bool identify(library *l) {
    static const struct {
        const char *prefix, *suffix;
    } styles[] = {{"scipy_", "64_"}, {"", "64_"}, {"scipy_", ""}, {"", ""}};
    void *address;
    for (size_t k = 0; k < sizeof styles / sizeof styles[0]; k++) {
        l->prefix = styles[k].prefix;
        l->suffix = styles[k].suffix;
        if (!find(l, "cblas_dgemm", &address, sizeof address)) continue;
        const char *(*config)(void);
        bool wide = strcmp(l->suffix, "64_") == 0;
        if (!wide && find(l, "openblas_get_config", &config, sizeof config))
            wide = strstr(config(), "USE64BITINT") != NULL;
        l->bits = wide ? 64 : 32;
        return true;
    }
    return false;
}

/* Whether it is an optimised library. */
static bool is_optimised(const library *l) {
    static const char *const marks[] = {"openblas_get_config", "bli_info_get_version_str",
                                        "MKL_Get_Version_String", "ATL_buildinfo"};
    void *address;
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
        if (find(l, marks[k], &address, sizeof address) || dlsym(l->handle, marks[k])) return true;
    return false;
}

/* Copies older than the processor take it for a Haswell or a Zen and leave half of its speed
 * unused. One that we load ourselves can be set better; one that is in use already can't, and then
 * our own loops are faster. */
static bool is_mistaken(const library *l) {
    const char *(*core)(void);
    if (strcmp(tni_loops_isa(), "v4") != 0 || !find(l, "openblas_get_corename", &core, sizeof core))
        return false;
    return strcmp(core(), "Haswell") == 0 || strcmp(core(), "Zen") == 0;
}

/* Opens and takes one library. */
static bool take(const char *path, bool is_file, void *context) {
    (void)is_file, (void)context;
    bool fresh = !tni_library_is_loaded(path);
    library l = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!l.handle) return false;
    if (identify(&l) && fresh && !getenv("OPENBLAS_CORETYPE") && is_mistaken(&l)) {
        dlclose(l.handle);
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
        l.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        unsetenv("OPENBLAS_CORETYPE");
        if (!l.handle) return false;
    }
    const calls *found = NULL;
    if (identify(&l) && is_optimised(&l)) found = l.bits == 64 ? &calls_64 : &calls_32;
    if (!found || !found->load(&l)) {
        dlclose(l.handle);
        return false;
    }
    snprintf(blas.path, sizeof blas.path, "%s", tni_library_origin(l.handle, path));
    find(&l, "openblas_set_num_threads", &blas.set_threads, sizeof blas.set_threads);
    find(&l, "openblas_get_num_threads", &blas.get_threads, sizeof blas.get_threads);
    tni_library_found(TNI_LIBRARY_OPENBLAS, blas.path);
    blas.is_slow = is_mistaken(&l);
    blas.library = l;
    blas.bits = l.bits;
    blas.calls = found;
    return true;
}

static void load(void) {
    tni_library_visit(TNI_LIBRARY_OPENBLAS, take, NULL);
}

static const calls *get(void) {
    pthread_once(&once, load);
    return blas.calls;
}

const char *tni_blas_path(void) {
    return get() ? blas.path : NULL;
}

void *tni_blas_symbol(const char *name) {
    const library *l = &blas.library;
    return get() ? tni_library_symbol(l->handle, l->prefix, name, l->suffix) : NULL;
}

int tni_blas_integer_bits(void) {
    return get() ? blas.bits : 0;
}

/* --- Threads --- */

/* The library's number of threads is its process's, so the first of us to want one thread keeps the
 * number and the last to leave restores it. */
static pthread_mutex_t singles_lock = PTHREAD_MUTEX_INITIALIZER;
static int singles, kept_threads;

void tni_blas_begin_single(void) {
    if (!get() || !blas.set_threads || !blas.get_threads) return;
    pthread_mutex_lock(&singles_lock);
    if (singles++ == 0 && (kept_threads = blas.get_threads()) > 1) blas.set_threads(1);
    pthread_mutex_unlock(&singles_lock);
}

void tni_blas_end_single(void) {
    if (!get() || !blas.set_threads || !blas.get_threads) return;
    pthread_mutex_lock(&singles_lock);
    if (--singles == 0 && kept_threads > 1) blas.set_threads(kept_threads);
    pthread_mutex_unlock(&singles_lock);
}

/* --- Operands --- */

static bool fits(int64_t value) {
    return blas.bits == 64 || (value >= INT32_MIN && value <= INT32_MAX);
}

/* A leading dimension in elements. */
static bool leading(int64_t *step, int64_t stride, int64_t size, int64_t least) {
    *step = stride / size;
    return stride % size == 0 && *step >= least && fits(*step);
}

/* A matrix as CBLAS sees it in row-major order: rows one after the other, or (TRANS) columns. */
static bool matrix_of(operand *o, tni_matmul_view view, int64_t rows, int64_t columns,
                      int64_t size) {
    o->data = view.data;
    if (columns == 1 || view.column_stride == size) {
        o->trans = NO_TRANS;
        if (rows == 1) view.row_stride = columns * size;
        if (leading(&o->step, view.row_stride, size, columns)) return true;
    }
    if (rows == 1 || view.row_stride == size) {
        o->trans = TRANS;
        if (columns == 1) view.column_stride = rows * size;
        if (leading(&o->step, view.column_stride, size, rows)) return true;
    }
    return false;
}

bool tni_blas_multiply(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tni_matmul_view out,
                       tni_matmul_view a, tni_matmul_view b) {
    if (dtype < TN_F32 || dtype > TN_C128 || !get() || blas.is_slow) return false;
    operands given = {.dtype = dtype, .m = m, .n = n, .k = k}, *o = &given;
    int64_t size = tn_dtype_size(dtype);
    if (!fits(m) || !fits(n) || !fits(k) || !matrix_of(&o->out, out, m, n, size) ||
        !matrix_of(&o->a, a, m, k, size) || !matrix_of(&o->b, b, k, n, size))
        return false;
    o->order = ROWS;
    if (o->out.trans == TRANS) { /* its columns lie along memory: say everything by columns */
        o->order = COLUMNS;
        o->a.trans = o->a.trans == TRANS ? NO_TRANS : TRANS;
        o->b.trans = o->b.trans == TRANS ? NO_TRANS : TRANS;
    }
    if (m == n && tni_matmul_is_symmetric(a, b)) {
        blas.calls->syrk(o);
        tni_matmul_mirror(out, m, size);
    } else {
        blas.calls->gemm(o);
    }
    return true;
}
