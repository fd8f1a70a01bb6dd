/* Which kernels are rewritten as loops over their threads, and which stay for fibers. */
#include "replay.h"

#include "backend/host/compiler/split/split.h"

#include <string.h>

#define KERNEL(body) "__global__ void k(float *x, int n) { __shared__ float s[64]; " body "}\n"

static bool splits(const char *text, const char *macros) {
    tni_source out = {0};
    bool has_split = tni_host_split(&out, text, strlen(text), macros);
    int lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    for (size_t k = 0; has_split && k < out.length; k++)
        lines -= out.text[k] == '\n';
    if (has_split) assert_int_equal(lines, 0);
    assert_true(has_split || out.length == 0);
    tni_source_deinit(&out);
    return has_split;
}

static void test_split(void **state) {
    static const char *const texts[] = {
        KERNEL("s[threadIdx.x] = x[0];\n __syncthreads();\n x[threadIdx.x] = s[1];"),
        KERNEL("if (n > 3) __syncthreads(); else { x[0] = 1; }"),
        KERNEL("for (int k = blockDim.x / 2; k; k >>= 1) {\n x[threadIdx.x] += k;"
               " __syncthreads(); }"),
        KERNEL("if (threadIdx.x > n) return;\n __syncthreads(); x[threadIdx.x] = 1;"),
        "#define SIZE (4 * 2)\n" KERNEL("for (int k = 0; k < SIZE; k++) __syncthreads();"),
        KERNEL("const char *t = R\"(; { /* )\"; __syncthreads(); x[0] = t[0] + 1'000;"),
        "#include <cuda_fp16.h>\ntemplate <int N>\n" KERNEL(
            "for (int k = 0; k < N; k++) {\n // comment\n __syncthreads(); }"),
    };
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_true(splits(texts[k], NULL));
    assert_true(splits(KERNEL("for (int k = 0; k < M; k++) __syncthreads();"), "#define M 3\n"));
}

static void test_kept(void **state) {
    static const char *const texts[] = {
        KERNEL("x[threadIdx.x] = n;"),
        KERNEL("if (threadIdx.x > 3) __syncthreads();"),
        KERNEL("for (int k = threadIdx.x; k < n; k++) __syncthreads();"),
        KERNEL("for (int k = 0; k < n; k++) { if (x[threadIdx.x]) break; __syncthreads(); }"),
        KERNEL("int k = threadIdx.x; k = 3; while (k-- > 0) __syncthreads();"),
        KERNEL("again: __syncthreads(); if (x[0]) goto again;"),
        KERNEL("__syncthreads(); __syncwarp();"),
        KERNEL("__syncthreads(); atomicCAS((int *)x, 0, 1);"),
        KERNEL("auto f = [&] { __syncthreads(); }; f();"),
        KERNEL("__syncthreads();\n#if 1\n x[0] = 1;\n#endif\n"),
        KERNEL("float &r = x[threadIdx.x]; __syncthreads(); r = 1;"),
        KERNEL("for (int k = 0; k < M; k++) __syncthreads();"),
        KERNEL("int c = atomicAdd((int *)x, 1); if (c) __syncthreads();"),
        "#define SYNC __syncthreads()\n" KERNEL("__syncthreads(); SYNC;"),
        "#define SET(v) v = threadIdx.x\n" KERNEL("int c = 0; SET(c); if (c) __syncthreads();"),
        "__device__ void f() { __syncthreads(); }\n" KERNEL("__syncthreads(); f();"),
        "__device__ void f(int &c) { c = threadIdx.x; }\n" KERNEL(
            "int c = 0; f(c); if (c) __syncthreads();"),
        "struct f { __device__ void operator()() { __syncthreads(); } };\n" KERNEL(
            "__syncthreads(); f()();"),
        "#include <somewhere.h>\n" KERNEL("__syncthreads();"),
        KERNEL("__syncthreads(); ((x[0] = 1);"),
        "__global__ void k( { __syncthreads();",
        "__syncthreads",
        "\"__syncthreads",
        "/* __syncthreads",
    };
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (splits(texts[k], NULL)) fail_msg("it was split: %s", texts[k]);
}

/* Any beginning of a text is read to its end. */
static void test_cut_texts(void **state) {
    static const char text[] = "#define A(x) (x)\ntemplate <typename T, int N>\n" KERNEL(
        "float v[2] = {1, 2}, *p = x; for (int k = 0; k < n; k++) { v[0] += A(k); p++;"
        " __syncthreads(); if (v[0] > 1) return; } do { n--; } while (n > 3);"
        " __syncthreads(); *p = v[1];");
    (void)state;
    char cut[sizeof text];
    for (size_t length = 0; length < sizeof text; length++) {
        memcpy(cut, text, length);
        cut[length] = '\0';
        tni_source out = {0};
        tni_host_split(&out, cut, length, NULL);
        tni_source_deinit(&out);
    }
    assert_true(splits(text, NULL));
}

/* Without memory a kernel stays as it is. */
static void test_memory(void **state) {
    static const char text[] = "#define A 1\n" KERNEL(
        "float v = A; for (int k = 0; k < n; k++) { v += k; __syncthreads(); } x[0] = v;");
    (void)state;
    tni_source out = {0};
    bool has_split = tni_host_split(&out, text, strlen(text), "#define B 2\n");
    assert_int_equal(has_split, out.length > 0);
    REQUIRE_POINTER(has_split ? &out : NULL);
cleanup:
    tni_source_deinit(&out);
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_split), REPLAY_NOT(test_kept),
                                        REPLAY_NOT(test_cut_texts), REPLAY(test_memory)};
    return REPLAY_RUN("split", tests);
}
