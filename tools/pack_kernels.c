/* Packs the kernels that programs use most into one archive, which the package carries:
 *
 *     pack_kernels ARCHIVE MEBIBYTES_MAX FOLDER ARCHITECTURE...
 *
 * They are compiled into an empty cache beside the archive, which is removed. NVRTC is looked for
 * below FOLDER (site-packages) and wherever the library finds it; no GPU is needed. An architecture
 * is sm_90, 90 or 9.0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

enum { ARCHS_MAX = 16 };

static int fail(const char *what, const char *text) {
    fprintf(stderr, "pack_kernels: %s%s\n", what, text);
    return 1;
}

/* 90 for sm_90 and 9.0; 0 if it is neither. */
static int read_arch(const char *text) {
    int major, minor, end = 0;
    if (strncmp(text, "sm_", 3) == 0) text += 3;
    if (sscanf(text, "%d.%d%n", &major, &minor, &end) == 2 && text[end] == '\0')
        return 10 * major + minor;
    if (sscanf(text, "%d%n", &major, &end) == 1 && text[end] == '\0' && major >= 50) return major;
    return 0;
}

static bool tell(void *context, int done, int total) {
    int *printed = context, percent = (int)(100LL * done / (total ? total : 1));
    if (percent / 10 > *printed) {
        *printed = percent / 10;
        fprintf(stderr, "pack_kernels: %d of %d kernels\n", done, total);
    }
    return true;
}

static int pack(const char *path, long long limit_bytes, int count, const int *archs) {
    int printed = 0;
    if (tn_cuda_cache_warm(count, archs, tell, &printed) != TN_OK ||
        tn_cuda_cache_pack(path, count, archs, limit_bytes) != TN_OK)
        return fail("", tn_error_message());
    return 0;
}

int main(int argc, char **argv) {
    int archs[ARCHS_MAX], count = argc - 4;
    char folder[1024];
    if (count < 1 || count > ARCHS_MAX)
        return fail("usage: pack_kernels ARCHIVE MEBIBYTES_MAX FOLDER ARCHITECTURE...", "");
    for (int k = 0; k < count; k++)
        if (!(archs[k] = read_arch(argv[4 + k])))
            return fail("an architecture is written sm_90, not ", argv[4 + k]);
    snprintf(folder, sizeof folder, "%s.XXXXXX", argv[1]);
    if (!mkdtemp(folder)) return fail("cannot make a folder beside ", argv[1]);
    /* Before the library first looks at them. */
    setenv("TENORITE_CACHE_DIR", folder, 1);
    setenv("TENORITE_CACHE_SIZE", "8589934592", 1);
    setenv("TENORITE_KERNEL_ARCHIVE", "", 1);
    int failed = tn_cuda_add_library_root(argv[3]) != TN_OK ||
                 pack(argv[1], atoll(argv[2]) << 20, count, archs);
    tn_cuda_cache_clear();
    rmdir(folder);
    return failed;
}
