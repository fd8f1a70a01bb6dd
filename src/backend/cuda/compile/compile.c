/* NVRTC, without a header from outside: the device text that the build embeds is handed over by
 * name.
 *
 * The options make results equal to the host's: no contraction, IEEE division and square root (the
 * default). An architecture that this NVRTC is too old for gets PTX of the newest one it knows,
 * which the driver translates. Programs compile in parallel: nothing here is locked. */
#include "backend/cuda/compile/compile.h"

#include "backend/cuda/compile/device_text.h"
#include "backend/cuda/driver/library.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/threadkeep.h"
#include "core/trace/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADERS_MAX = 512, ARCHS_MAX = 64 };

static const char *const options[] = {"--fmad=false", "-std=c++17", "--device-int128",
                                      "--no-source-include"};
enum { OPTIONS = sizeof options / sizeof *options };

static atomic_llong compile_ns, compile_count;
static atomic_bool is_prepared;

/* --- The log --- */

static _Thread_local char *last_log;

static void drop_log(void) {
    tni_free(last_log);
    last_log = NULL;
}

const char *tni_cuda_compile_log(void) {
    return last_log ? last_log : "";
}

static void keep_log(nvrtcProgram program) {
    size_t bytes = 0;
    drop_log();
    if (tni_nvrtc.nvrtcGetProgramLogSize(program, &bytes) != 0 || bytes < 2) return;
    if (!tni_thread_keeps(drop_log) || !(last_log = tni_malloc(bytes))) return;
    if (tni_nvrtc.nvrtcGetProgramLog(program, last_log) != 0) drop_log();
}

/* --- What an image depends on --- */

static tni_key headers_key;

static void digest_headers(void) {
    tni_digest digest;
    tni_digest_init(&digest);
    for (size_t k = 0; k < tni_device_text_count; k++) {
        const tni_text *text = &tni_device_texts[k];
        tni_digest_add_text(&digest, text->name, strlen(text->name));
        tni_digest_add_text(&digest, text->text, text->length);
    }
    headers_key = tni_digest_key(&digest);
}

void tni_cuda_compile_digest(tni_digest *digest, int arch) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, digest_headers);
    tni_digest_add(digest, &headers_key, sizeof headers_key);
    for (int k = 0; k < OPTIONS; k++)
        tni_digest_add_text(digest, options[k], strlen(options[k]));
    tni_digest_add(digest, &arch, sizeof arch);
}

void tni_cuda_compile_statistics(double *seconds, int64_t *programs) {
    *seconds = (double)atomic_load(&compile_ns) * 1e-9;
    *programs = atomic_load(&compile_count);
}

bool tni_cuda_has_compiled(void) {
    return atomic_load(&compile_count) > 0 || atomic_load(&is_prepared);
}

void tni_image_deinit(tni_image *image) {
    tni_free(image->owned);
    *image = (tni_image){0};
}

/* --- Compiling --- */

static tn_status check(nvrtcResult result, const char *function) {
    if (result == 0) return TN_OK;
    return tni_fail(TN_ERROR_RUNTIME, "NVRTC failed: %s (%s)",
                    tni_nvrtc.nvrtcGetErrorString(result), function);
}

/* The option for an architecture; *is_ptx: NVRTC does not know it, and makes PTX of an older
 * one. */
tn_status tni_cuda_compile_choose(char *option, size_t size, int arch, bool *is_ptx) {
    int count = 0, archs[ARCHS_MAX], best = 0;
    TNI_TRY(check(tni_nvrtc.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs"));
    if (count > ARCHS_MAX) TNI_FAIL(TN_ERROR_RUNTIME, "NVRTC knows %d architectures", count);
    TNI_TRY(check(tni_nvrtc.nvrtcGetSupportedArchs(archs), "nvrtcGetSupportedArchs"));
    for (int k = 0; k < count; k++)
        if (archs[k] <= arch && archs[k] > best) best = archs[k];
    if (best == 0)
        TNI_FAIL(TN_ERROR_DEVICE,
                 "cudaErrorNoKernelImageForDevice: this NVRTC compiles for compute capability "
                 "%d.%d and newer, the device has %d.%d; install an older CUDA",
                 archs[0] / 10, archs[0] % 10, arch / 10, arch % 10);
    *is_ptx = best != arch;
    snprintf(option, size, "--gpu-architecture=%s_%d", *is_ptx ? "compute" : "sm", best);
    return TN_OK;
}

static tn_status create(nvrtcProgram *program, const tni_source *source) {
    const char *texts[HEADERS_MAX], *names[HEADERS_MAX];
    char name[sizeof source->name + 8];
    if (tni_device_text_count > HEADERS_MAX)
        TNI_FAIL(TN_ERROR_RUNTIME, "too many device texts: %zu", tni_device_text_count);
    for (size_t k = 0; k < tni_device_text_count; k++) {
        texts[k] = tni_device_texts[k].text;
        names[k] = tni_device_texts[k].name;
    }
    /* Never the name of a header. */
    snprintf(name, sizeof name, "%s.program", source->name);
    return check(tni_nvrtc.nvrtcCreateProgram(program, source->text, name,
                                              (int)tni_device_text_count, texts, names),
                 "nvrtcCreateProgram");
}

/* Options that change the time alone. NVRTC would declare what only programs with textures and
 * their own launches need, and keep what it compiles in the driver's cache, too, which is never
 * asked, since ours comes first. Older versions know the first alone, or none. */
static const char *const quick[] = {"--minimal", "--no-cache"};
enum { QUICK = sizeof quick / sizeof *quick };

static nvrtcResult compile_quickly(nvrtcProgram program, int count, const char **all) {
    static atomic_int known = QUICK;
    for (int added = atomic_load(&known);; added--) {
        for (int k = 0; k < added; k++)
            all[count + k] = quick[k];
        nvrtcResult result = tni_nvrtc.nvrtcCompileProgram(program, count + added, all);
        if (result != NVRTC_ERROR_INVALID_OPTION || added == 0) return result;
        atomic_store(&known, added - 1);
    }
}

static tn_status run(nvrtcProgram program, const char *arch_option, const tni_source *source) {
    const char *all[OPTIONS + 1 + QUICK] = {arch_option};
    for (int k = 0; k < OPTIONS; k++)
        all[k + 1] = options[k];
    int64_t start = tni_now_ns();
    nvrtcResult result = compile_quickly(program, OPTIONS + 1, all);
    atomic_fetch_add(&compile_ns, tni_now_ns() - start);
    if (tni_trace_begin(TNI_TRACE_ON | TNI_LOG_COMPILE | TNI_LOG_SLOW))
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_COMPILE,
                                    .begun = start,
                                    .text = source->name,
                                    .device = {TN_BACKEND_CUDA, 0}});
    atomic_fetch_add(&compile_count, 1);
    keep_log(program);
    if (result == 0) return TN_OK;
    return tni_fail(TN_ERROR_RUNTIME, "NVRTC could not compile kernel %s (%s): %s\n%.700s",
                    source->name, arch_option + strlen("--gpu-architecture="),
                    tni_nvrtc.nvrtcGetErrorString(result), tni_cuda_compile_log());
}

static tn_status take(tni_image *image, nvrtcProgram program, bool is_ptx) {
    size_t bytes = 0;
    TNI_TRY(is_ptx ? check(tni_nvrtc.nvrtcGetPTXSize(program, &bytes), "nvrtcGetPTXSize")
                   : check(tni_nvrtc.nvrtcGetCUBINSize(program, &bytes), "nvrtcGetCUBINSize"));
    char *data = tni_malloc(bytes);
    if (!data) return tni_fail_no_memory((int64_t)bytes);
    tn_status status = is_ptx ? check(tni_nvrtc.nvrtcGetPTX(program, data), "nvrtcGetPTX")
                              : check(tni_nvrtc.nvrtcGetCUBIN(program, data), "nvrtcGetCUBIN");
    if (status != TN_OK) {
        tni_free(data);
        return status;
    }
    image->data = image->owned = data;
    image->bytes = bytes;
    return TN_OK;
}

tn_status tni_cuda_compile(tni_image *image, const tni_source *source, int arch) {
    char option[64];
    bool is_ptx;
    nvrtcProgram program = NULL;
    if (source->has_failed || !source->text) return tni_fail_no_memory((int64_t)source->length);
    TNI_TRY(tni_nvrtc_load());
    TNI_TRY(tni_cuda_compile_choose(option, sizeof option, arch, &is_ptx));
    TNI_TRY(create(&program, source));
    tn_status status = run(program, option, source);
    if (status == TN_OK) status = take(image, program, is_ptx);
    tni_nvrtc.nvrtcDestroyProgram(&program);
    return status;
}

void tni_cuda_compile_prepare(void) {
    static const char text[] =
        "extern \"C\" __global__ void nothing(float *a) { a[threadIdx.x] += 1; }";
    const char *all[1 + QUICK] = {"-std=c++17"};
    nvrtcProgram program = NULL;
    if (tni_nvrtc_load() != TN_OK ||
        tni_nvrtc.nvrtcCreateProgram(&program, text, "nothing.program", 0, NULL, NULL) != 0)
        return;
    atomic_store(&is_prepared, compile_quickly(program, 1, all) == 0);
    tni_nvrtc.nvrtcDestroyProgram(&program);
}
