/* Texts in C++ as tokens. */
#include "replay.h"

#include "backend/host/compiler/host_text.h"
#include "kernel/headers.h"
#include "kernel/pointer_types.h"
#include "kernel/user_words.h"

#include <tenorite/kernel.h>

#include <stdlib.h>
#include <string.h>

/* The tokens with a letter for each kind before them, and a ! after one that is open. */
static void write_tokens(char *to, const char *text, size_t length) {
    tni_token_reader reader = tni_token_reader_of(text, length);
    *to = '\0';
    for (tni_token token; tni_token_next(&token, &reader);)
        to += sprintf(to, "%c%.*s%s ", "wnqmdc"[token.kind], token.length, token.text,
                      token.is_open ? "!" : "");
}

static void check_tokens(const char *text, const char *wanted) {
    char found[512];
    write_tokens(found, text, strlen(text));
    assert_string_equal(found, wanted);
}

static void test_kinds(void **state) {
    (void)state;
    check_tokens("a_1 $b \xc3\xa9", "wa_1 w$b w\xc3\xa9 ");
    check_tokens("1'000/2 .5e-3f 0x1p+2 1e+5+6 1'",
                 "n1'000 m/ n2 n.5e-3f n0x1p+2 n1e+5 m+ n6 n1 q'! ");
    check_tokens("\"a\\\"b\" 'c' L'\\'' u8\"d\"", "q\"a\\\"b\" q'c' wL q'\\'' wu8 q\"d\" ");
    check_tokens("R\"(\")\" R\"x()\")x\"y u8R\"(\n)\"",
                 "qR\"(\")\" qR\"x()\")x\" wy qu8R\"(\n)\" ");
    check_tokens("XR\"(\"", "wXR q\"(\" ");
    check_tokens("a/=b<<<c>>>d->e", "wa m/= wb m<<< wc m>> m> wd m-> we ");
    check_tokens("a/b//c\nd/*e\n*/f", "wa m/ wb wd wf ");
}

static void test_ends(void **state) {
    (void)state;
    check_tokens("a // b\\\nc\nd // e\\\r\nf\ng", "wa wd wg ");
    check_tokens("a \\\n b \"c\\\nd\"", "wa wb q\"c\\\nd\" ");
    check_tokens("a /* b", "wa c/* b! ");
    check_tokens("'a\nb \"c", "q'a! wb q\"c! ");
    check_tokens("R\"(a", "qR\"(a! ");
    check_tokens("", "");
}

static void test_directives(void **state) {
    (void)state;
    check_tokens(" #a b\\\n#c\nd #e\n/**/ # f /*\n*/ g\nh",
                 "d#a b\\\n#c wd m# we d# f /*\n*/ g wh ");
    static const char *const texts[] = {"#include <a/b.h>", "# include \\\n \"a/b.h\" // <c>",
                                        "#include/**/<a/b.h>x"};
    tni_include include;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        tni_token_reader reader = tni_token_reader_of(texts[k], strlen(texts[k]));
        assert_true(tni_include_next(&include, &reader));
        assert_int_equal(include.length, 5);
        assert_memory_equal(include.name, "a/b.h", 5);
        assert_null(include.header);
        assert_false(tni_include_next(&include, &reader));
    }
    static const char none[] = "#include A\n#includes <a>\n// #include <a>\n\"\\\n#include <a>\"\n"
                               "R\"(\n#include <a>\n)\"\na #include <a>\n#include";
    tni_token_reader reader = tni_token_reader_of(none, strlen(none));
    assert_false(tni_include_next(&include, &reader));
}

/* Each header is once in the list, and the texts that it names are there. */
static void test_headers(void **state) {
    (void)state;
    for (size_t k = 0; k < tni_header_count; k++) {
        const tni_header *header = &tni_headers[k];
        for (size_t j = 0; j < k; j++)
            assert_string_not_equal(header->name, tni_headers[j].name);
        if (header->kind == TNI_HEADER_SHARED) assert_non_null(tni_header_shared(header));
        if (header->kind == TNI_HEADER_TYPES) assert_non_null(tni_user_text_find(header->text));
        bool is_there = header->kind != TNI_HEADER_HOSTED;
        for (size_t j = 0; j < tni_host_text_count && !is_there; j++)
            is_there = strcmp(tni_host_texts[j].name, header->text) == 0;
        assert_true(is_there);
    }
}

static void test_words(void **state) {
    static const char *const words[] = {"i", NULL};
    (void)state;
    assert_true(tni_words_have("#define A i\n", words) && tni_words_have("x[i]", words));
    assert_true(tni_words_have("/* what is here may be a word", words));
    assert_false(tni_words_have("/* i */ ii 'i' \"i\" R\"(\" i)\" 1i i_ // i", words));
    assert_true(tni_words_begin("a __vadd2(b)", "__v") && !tni_words_begin("a__v \"__v\"", "__v"));
    assert_true(tni_words_are_open("#define A(x) x##i") && tni_words_are_open("#include <a>"));
    assert_false(tni_words_are_open("// #include <a>\nint includes; // ##"));
    assert_false(tni_words_are_open("#include <tenorite/operations.cuh>\n"));
}

/* Any piece of a text is read to its end. */
static void test_cut_texts(void **state) {
    static const char text[] =
        "#include <a> // \\\n\n#define A(x) x##1'0e+ /*\n*/ R\"x(a)\" )x\" 'b\\'' "
        "\"c\\\n\" .5e-3 <<<a>>> \\\r\n # u8R\"0123456789abcdefg(";
    (void)state;
    for (size_t first = 0; first < sizeof text; first++)
        for (size_t end = first; end < sizeof text; end++) {
            char *cut = malloc(end - first + 1), found[512];
            memcpy(cut, text + first, end - first);
            write_tokens(found, cut, end - first);
            cut[end - first] = '\0';
            tn_code_includes_cccl(cut, false);
            free(cut);
        }
}

static tni_pointer_types *read_types(const char *text, const char *kernel) {
    return tni_pointer_types_read(text, kernel, 0, NULL, NULL);
}

/* The letter and the digit of each parameter, and its name. */
static void check_types(const char *text, const char *kernel, const char *wanted) {
    char found[256] = "";
    tni_pointer_types *types = read_types(text, kernel);
    for (int k = 0; k < types->count; k++) {
        tni_pointer_type *type = &types->list[k];
        sprintf(found + strlen(found), "%c%d%s ", type->kind ? type->kind : '?', type->bytes,
                type->name);
    }
    assert_string_equal(found, wanted);
    tni_free(types);
}

static void test_pointer_types(void **state) {
    (void)state;
    check_types("__global__ void k(const float *a, int n, T* t, unsigned long b[], char *c) {}",
                "k", "f4a ?0n ?0t u8b ?0c ");
    check_types("__global__ void __launch_bounds__(4, (2)) a::k(complex<double>* __restrict__ z)",
                "a::k<3>", "c16z ");
    check_types("__global__ void k(int*, map<int, 3>* m, double **d, float &r, bool *b = 0);", "k",
                "?0 ?0m ?0d ?0r b1b ");
    check_types("__global__ void j(int *a); __global__ void k(short *b);", "k", "i2b ");
    check_types("__global__ void k(int *a); __global__ void k(float *a) {}", "k", "?4a ");
    check_types("__global__ void k(ALL, int *a)", "k", "");
    check_types("__global__ void k(\n#if A\nint *a\n#endif\n)", "k", "");
    check_types("#define int long\n__global__ void k(int *a)", "k", "");
    check_types("struct half {}; __global__ void k(half *a)", "k", "?0a ");
    check_types("__global__ void k()", "k", "");
    check_types("void k(int *a)", "k", "");
}

/* Any piece of a kernel is read to its end. */
static void test_cut_types(void **state) {
    static const char text[] = "template<class T>__global__ void __launch_bounds__(4) k(T*,int x[]"
                               "={1,2}, complex<float >>*const z, a<b,c>* d[3]) {}";
    (void)state;
    for (size_t first = 0; first < sizeof text - 1; first++)
        for (size_t end = first; end < sizeof text; end++) {
            char *cut = calloc(end - first + 1, 1);
            memcpy(cut, text + first, end - first);
            tni_free(read_types(cut, "k"));
            free(cut);
        }
}

static void test_types_memory(void **state) {
    tni_pointer_types *types = NULL;
    (void)state;
    REQUIRE_POINTER(types = read_types("__global__ void k(int *a) {}", "k"));
cleanup:
    tni_free(types);
}

static void test_memory(void **state) {
    tni_tokens tokens = {0};
    (void)state;
    REQUIRE_POINTER(tni_tokens_read(&tokens, "f(a[1], {b})", 12) ? &tokens : NULL);
    assert_int_equal(tokens.list[1].match, tokens.count - 1);
    assert_int_equal(tokens.list[3].match, 5);
cleanup:
    tni_tokens_deinit(&tokens);
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_kinds),         REPLAY_NOT(test_ends),      REPLAY_NOT(test_directives),
        REPLAY_NOT(test_words),         REPLAY_NOT(test_cut_texts), REPLAY_NOT(test_headers),
        REPLAY_NOT(test_pointer_types), REPLAY_NOT(test_cut_types), REPLAY(test_memory),
        REPLAY(test_types_memory)};
    return REPLAY_RUN("tokens", tests);
}
