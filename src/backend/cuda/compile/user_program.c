/* The user's text goes to NVRTC as it is, with the user's options; of ours are the language
 * (C++17), the architecture, and that functions without a qualifier are the device's, unless the
 * user says otherwise. The headers that programs for CuPy include are handed over by name, which
 * NVRTC prefers to a folder's; CUDA's own are found beside NVRTC.
 *
 * A record of the cache is the number of bytes of the names, the names as the image has them, the
 * image. */
#include "backend/cuda/compile/user_program.h"

#include "backend/cuda/compile/compile.h"
#include "backend/cuda/compile/device_text.h"
#include "backend/cuda/driver/library.h"
#include "core/base/alloc.h"
#include "core/trace/trace.h"
#include "kernel/cache/cache_files.h"
#include "kernel/headers.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS_MAX = 256, PATH_BYTES = 1024 };

enum {
    TEXTS_MAX = 512
#define SHARED(name, text) +1
#define TYPES(name, text) +1
#define DEVICE(name, text) +1
#include "kernel/headers.def"
};

typedef struct options {
    const char *list[OPTIONS_MAX + 8];
    int count;
    char arch[64], include[PATH_BYTES + 16], libraries[PATH_BYTES + 32];
    bool is_ptx;
} options;

static tn_status check(nvrtcResult result, const char *function) {
    if (result == 0) return TN_OK;
    return tni_fail(TN_ERROR_COMPILE, "NVRTC failed: %s (%s)",
                    tni_nvrtc.nvrtcGetErrorString(result), function);
}

/* --- Options --- */

static bool gives(const tni_program_text *text, const char *option) {
    for (int k = 0; k < text->option_count; k++)
        if (strstr(text->options[k], option)) return true;
    return false;
}

/* The folder of CUDA's headers, by where NVRTC lies: a toolkit's, or those of packages. */
static bool find_include(char *option, size_t bytes) {
    static const char *const places[] = {"../include", "../../cuda_runtime/include",
                                         "../../../include"};
    char path[PATH_BYTES], header[PATH_BYTES + 64];
    if (!tni_cuda_library_locate(TNI_LIBRARY_NVRTC, path, sizeof path)) return false;
    char *slash = strrchr(path, '/');
    if (!slash) return false;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(header, sizeof header, "%.*s/%s/cuda_fp16.h", (int)(slash - path), path,
                 places[k]);
        if (access(header, R_OK) != 0) continue;
        int length = snprintf(option, bytes, "-I%.*s/%s", (int)(slash - path), path, places[k]);
        return length > 0 && (size_t)length < bytes;
    }
    return false;
}

static tn_status choose_options(options *options, const tni_program_text *text, int arch) {
    memset(options, 0, sizeof *options);
    if (text->option_count > OPTIONS_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "%d options are more than %d", text->option_count, OPTIONS_MAX);
    TNI_TRY(tni_cuda_compile_choose(options->arch, sizeof options->arch, arch, &options->is_ptx));
    for (int k = 0; k < text->option_count; k++)
        options->list[options->count++] = text->options[k];
    if (!gives(text, "-std=")) options->list[options->count++] = "-std=c++17";
    options->list[options->count++] = options->arch;
    options->list[options->count++] = "-default-device";
    if (find_include(options->include, sizeof options->include))
        options->list[options->count++] = options->include;
    /* CUDA's C++ libraries, in a folder of their own since CUDA 13. */
    snprintf(options->libraries, sizeof options->libraries, "%s/cccl", options->include);
    if (options->include[0] && access(options->libraries + strlen("-I"), R_OK) == 0)
        options->list[options->count++] = options->libraries;
    return TN_OK;
}

/* --- Compiling --- */

/* The folder that an option or, after a bare one, the next option names; NULL: none. */
static const char *folder_of(const char *option, const char *next) {
    static const char *const names[] = {"--include-path", "-I"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k]);
        if (strncmp(option, names[k], length) != 0) continue;
        const char *folder = option + length + strspn(option + length, "= ");
        return *folder ? folder : next;
    }
    return NULL;
}

/* Whether a folder of the program's own has a header. */
static bool has_own(const tni_program_text *text, const char *name) {
    char path[PATH_BYTES + 64];
    for (int k = 0; k < text->option_count; k++) {
        const char *folder =
            folder_of(text->options[k], k + 1 < text->option_count ? text->options[k + 1] : NULL);
        if (!folder) continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (access(path, R_OK) == 0) return true;
    }
    return false;
}

static const tni_text *find_text(const tni_program_text *text, const tni_header *header) {
    if (header->kind != TNI_HEADER_TYPES) return tni_header_shared(header);
    return has_own(text, header->name) ? NULL : tni_user_text_find(header->text);
}

static tn_status create(nvrtcProgram *program, const tni_program_text *text, const char *code) {
    const char *texts[TEXTS_MAX], *names[TEXTS_MAX];
    int count = 0;
    bool needs_device = tni_includes_device(text->code, text->length);
    for (size_t k = 0; k < tni_header_count; k++) {
        const tni_text *found = find_text(text, &tni_headers[k]);
        if (!found) continue;
        texts[count] = found->text;
        names[count++] = tni_headers[k].name;
    }
    for (size_t k = 0; k < tni_device_text_count && count < TEXTS_MAX && needs_device; k++) {
        texts[count] = tni_device_texts[k].text;
        names[count++] = tni_device_texts[k].name;
    }
    return check(tni_nvrtc.nvrtcCreateProgram(program, code, "kernel.cu", count, texts, names),
                 "nvrtcCreateProgram");
}

static char *read_log(nvrtcProgram program) {
    size_t bytes = 0;
    char *log = NULL;
    if (tni_nvrtc.nvrtcGetProgramLogSize(program, &bytes) == 0 && bytes > 1)
        log = tni_malloc(bytes + 1);
    if (log && tni_nvrtc.nvrtcGetProgramLog(program, log) != 0) {
        tni_free(log);
        log = NULL;
    }
    return log;
}

static tn_status run(nvrtcProgram program, char **log, const tni_program_text *text,
                     const options *options) {
    for (int k = 0; k < text->name_count; k++)
        TNI_TRY(check(tni_nvrtc.nvrtcAddNameExpression(program, text->names[k]),
                      "nvrtcAddNameExpression"));
    int64_t begun = tni_trace_begin(TNI_TRACE_ON | TNI_LOG_COMPILE | TNI_LOG_SLOW);
    nvrtcResult result = tni_nvrtc.nvrtcCompileProgram(program, options->count, options->list);
    if (begun)
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_COMPILE,
                                    .begun = begun,
                                    .text = text->name_count ? text->names[0] : "a program",
                                    .device = {TN_BACKEND_CUDA, 0}});
    *log = read_log(program);
    if (result == 0) return TN_OK;
    TNI_FAIL(TN_ERROR_COMPILE, "NVRTC could not compile it: %s\n%.700s",
             tni_nvrtc.nvrtcGetErrorString(result), *log ? *log : "");
}

/* The names and the image as one payload of the cache. */
static tn_status take(char **payload, uint64_t *bytes, nvrtcProgram program,
                      const tni_program_text *text, bool is_ptx) {
    size_t image_bytes = 0, names_bytes = 0;
    const char *lowered;
    TNI_TRY(is_ptx
                ? check(tni_nvrtc.nvrtcGetPTXSize(program, &image_bytes), "nvrtcGetPTXSize")
                : check(tni_nvrtc.nvrtcGetCUBINSize(program, &image_bytes), "nvrtcGetCUBINSize"));
    for (int k = 0; k < text->name_count; k++) {
        TNI_TRY(check(tni_nvrtc.nvrtcGetLoweredName(program, text->names[k], &lowered),
                      text->names[k]));
        names_bytes += strlen(lowered) + 1;
    }
    names_bytes = (names_bytes + 15) / 16 * 16;
    char *made = tni_calloc(1, 16 + names_bytes + image_bytes + 1);
    if (!made) return tni_fail_no_memory((int64_t)(names_bytes + image_bytes));
    uint32_t size = (uint32_t)names_bytes;
    memcpy(made, &size, sizeof size);
    char *at = made + 16;
    for (int k = 0; k < text->name_count; k++) {
        tni_nvrtc.nvrtcGetLoweredName(program, text->names[k], &lowered);
        at = stpcpy(at, lowered) + 1;
    }
    char *image = made + 16 + names_bytes;
    tn_status status = is_ptx ? check(tni_nvrtc.nvrtcGetPTX(program, image), "nvrtcGetPTX")
                              : check(tni_nvrtc.nvrtcGetCUBIN(program, image), "nvrtcGetCUBIN");
    if (status != TN_OK) {
        tni_free(made);
        return status;
    }
    *payload = made;
    *bytes = 16 + names_bytes + image_bytes;
    return TN_OK;
}

static tn_status compile(char **payload, uint64_t *bytes, char **log, const tni_program_text *text,
                         const options *options) {
    nvrtcProgram program = NULL;
    char *translated = NULL;
    if (text->translates_cucomplex) {
        translated = tni_malloc(strlen(tni_user_translation) + text->length + 1);
        if (!translated) return tni_fail_no_memory((int64_t)text->length);
        memcpy(stpcpy(translated, tni_user_translation), text->code, text->length + 1);
    }
    tn_status status = create(&program, text, translated ? translated : text->code);
    if (status == TN_OK) status = run(program, log, text, options);
    if (status == TN_OK) status = take(payload, bytes, program, text, options->is_ptx);
    if (program) tni_nvrtc.nvrtcDestroyProgram(&program);
    tni_free(translated);
    return status;
}

/* --- The cache --- */

static tni_key texts_key; /* of all that programs may include */

static void digest_texts(void) {
    tni_digest digest;
    tni_digest_init(&digest);
    for (size_t k = 0; k < tni_user_text_count; k++)
        tni_digest_add_text(&digest, tni_user_texts[k].text, tni_user_texts[k].length);
    texts_key = tni_digest_key(&digest);
}

static tni_key key_of(const tni_program_text *text, const options *options, int version, int arch) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    tni_digest digest;
    pthread_once(&once, digest_texts);
    tni_digest_init(&digest);
    tni_digest_add(&digest, &texts_key, sizeof texts_key);
    tni_digest_add_text(&digest, text->code, text->length);
    tni_digest_add(&digest, &text->translates_cucomplex, sizeof text->translates_cucomplex);
    tni_digest_add(&digest, &version, sizeof version);
    tni_digest_add(&digest, &text->name_count, sizeof text->name_count);
    for (int k = 0; k < text->name_count; k++)
        tni_digest_add_text(&digest, text->names[k], strlen(text->names[k]));
    for (int k = 0; k < options->count; k++)
        tni_digest_add_text(&digest, options->list[k], strlen(options->list[k]));
    if (tni_includes_device(text->code, text->length)) tni_cuda_compile_digest(&digest, arch);
    return tni_digest_key(&digest);
}

/* What is in a payload; false: it is none. */
static bool open_payload(tni_user_image *result, char *payload, uint64_t bytes) {
    uint32_t size;
    if (bytes < 16) return false;
    memcpy(&size, payload, sizeof size);
    if (size > bytes - 16) return false;
    *result = (tni_user_image){payload, payload + 16, payload + 16 + size};
    return true;
}

static bool read_cached(tni_user_image *result, const tni_key *key) {
    tni_record record;
    char *payload = NULL;
    if (!tni_cache_files_read(&record, &payload, key)) return false;
    if (record.kind == TNI_RECORD_USER && open_payload(result, payload, record.bytes)) return true;
    tni_free(payload);
    return false;
}

tn_status tni_user_program_get(tni_user_image *result, char **log, const tni_program_text *text,
                               int arch) {
    options options;
    int version;
    TNI_TRY(tni_nvrtc_version(&version));
    TNI_TRY(tni_nvrtc_load());
    TNI_TRY(choose_options(&options, text, arch));
    tni_record record = {
        .kind = TNI_RECORD_USER, .arch = (uint32_t)arch, .version = (uint32_t)version};
    record.base = record.key = key_of(text, &options, version, arch);
    if (read_cached(result, &record.key)) return TN_OK;
    char *payload = NULL;
    TNI_TRY(compile(&payload, &record.bytes, log, text, &options));
    tni_cache_files_write(&record, payload);
    open_payload(result, payload, record.bytes);
    return TN_OK;
}
