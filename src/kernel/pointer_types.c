/* Decides: a type is certain where it is written as plain words of C++ (`unsigned int`, `double`),
 * a standard name that the text does not declare itself (`int64_t`, `half`), or complex<> of these,
 * before one `*`. Any other word may be anything: a parameter of a template, a typedef, a macro.
 * Where a macro may stand for several parameters, or be a plain word, nothing is known.
 *
 * Decides of arrays: bytes (char, unsigned char, void) take any array, and pointers to unsigned
 * integers what is as wide, since they are how bits are read; complex numbers are pairs. */
#include "kernel/pointer_types.h"

#include "core/base/alloc.h"
#include "kernel/tokens.h"

#include <stdio.h>
#include <string.h>

enum { PARAMETERS_MAX = 256 };

static const char *const plain_words[] = {"float", "double", "int",  "unsigned", "signed",
                                          "long",  "short",  "char", "bool",     NULL};
static const char *const qualifiers[] = {
    "const", "volatile", "restrict", "__restrict", "__restrict__", "__grid_constant__", NULL};
static const struct {
    const char *name;
    char kind;
    unsigned char bytes;
} named[] = {
    {"int16_t", 'i', 2},  {"int32_t", 'i', 4},  {"int64_t", 'i', 8}, {"uint16_t", 'u', 2},
    {"uint32_t", 'u', 4}, {"uint64_t", 'u', 8}, {"size_t", 'u', 8},  {"ptrdiff_t", 'i', 8},
    {"half", 'f', 2},     {"__half", 'f', 2},   {"float16", 'f', 2},
};

/* --- What a text may have changed --- */

/* Whether an option makes a macro of a word. */
static bool defines(const char *option, const char *word) {
    const size_t length = strlen(word);
    return strncmp(option, "-D", 2) == 0 && strncmp(option + 2, word, length) == 0 &&
           (option[2 + length] == '=' || option[2 + length] == '\0');
}

/* Whether the text or an option makes a macro of a word that types are read by. */
static bool redefines(const tni_tokens *tokens, int option_count, const char *const *options) {
    for (int k = 0; k < tokens->count; k++) {
        tni_token_reader rest;
        tni_token name;
        if (tni_token_directs(&tokens->list[k], "define", &rest) && tni_token_next(&name, &rest) &&
            (tni_token_is_one_of(&name, plain_words) || tni_token_is_one_of(&name, qualifiers)))
            return true;
    }
    for (int k = 0; k < option_count; k++) {
        for (const char *const *word = plain_words; *word; word++)
            if (defines(options[k], *word)) return true;
        for (size_t j = 0; j < sizeof named / sizeof *named; j++)
            if (defines(options[k], named[j].name)) return true;
    }
    return false;
}

/* Whether the text may give a name another meaning: `struct half`, `using half =`,
 * `typedef ... half;`, or a macro of that name. */
static bool declares(const tni_tokens *tokens, const tni_token *word) {
    static const char *const before[] = {"struct", "class", "using", "enum", "union", NULL};
    for (int k = 0; k < tokens->count; k++) {
        const tni_token *token = &tokens->list[k];
        tni_token_reader rest;
        tni_token name;
        if (tni_token_directs(token, "define", &rest) && tni_token_next(&name, &rest) &&
            tni_token_equals(&name, word))
            return true;
        if (token->kind != TNI_WORD || !tni_token_equals(token, word)) continue;
        if (k > 0 && tni_token_is_one_of(token - 1, before)) return true;
        if (k + 1 < tokens->count && tni_token_is(token + 1, ";")) return true;
    }
    return false;
}

/* --- Types --- */

static bool read_plain(tni_pointer_type *type, const tni_token *at, const tni_token *end) {
    int longs = 0;
    bool is_unsigned = false, is_short = false, is_char = false, is_bool = false;
    const char *real = NULL;
    for (; at < end; at++) {
        if (!tni_token_is_one_of(at, plain_words)) return false;
        longs += tni_token_is(at, "long");
        is_unsigned |= tni_token_is(at, "unsigned");
        is_short |= tni_token_is(at, "short");
        is_char |= tni_token_is(at, "char");
        is_bool |= tni_token_is(at, "bool");
        if (tni_token_is(at, "float") || tni_token_is(at, "double")) real = at->text;
    }
    if (is_char || (real && longs)) return true; /* bytes, or a long double: any */
    type->kind = real ? 'f' : is_bool ? 'b' : is_unsigned ? 'u' : 'i';
    type->bytes = real ? (*real == 'f' ? 4 : 8) : is_bool ? 1 : is_short ? 2 : longs ? 8 : 4;
    return true;
}

static void read_named(tni_pointer_type *type, const tni_token *word, const tni_tokens *tokens) {
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        if (tni_token_is(word, named[k].name) && !declares(tokens, word)) {
            type->kind = named[k].kind;
            type->bytes = named[k].bytes;
        }
}

/* The type between the tokens, without its qualifiers and its `*`. */
static void read_type(tni_pointer_type *type, const tni_token *at, const tni_token *end,
                      const tni_tokens *tokens) {
    while (end - at >= 3 && tni_token_is(at + 1, "::"))
        at += 2; /* std::, thrust::, cuda::std:: */
    if (end - at == 4 && tni_token_is(at, "complex") && tni_token_is(at + 1, "<") &&
        tni_token_is(at + 3, ">") && !declares(tokens, at)) {
        if (read_plain(type, at + 2, at + 3) && type->kind == 'f') {
            type->kind = 'c';
            type->bytes = (unsigned char)(2 * type->bytes);
        } else
            type->kind = 0;
    } else if (end > at && !read_plain(type, at, end) && end - at == 1) {
        read_named(type, at, tokens);
    }
}

static void copy_text(char *to, size_t room, const char *begin, const char *end) {
    size_t bytes = (size_t)(end - begin) < room - 1 ? (size_t)(end - begin) : room - 1;
    memcpy(to, begin, bytes);
    to[bytes] = '\0';
}

/* --- Parameters --- */

/* One parameter, [begin, end). False: it may be several. */
static bool read_parameter(tni_pointer_type *type, const tni_token *begin, const tni_token *end,
                           const tni_tokens *tokens) {
    enum { WORDS_MAX = 16 };
    tni_token words[WORDS_MAX];
    int count = 0, stars = 0;
    bool is_array = false;
    for (const tni_token *at = begin; at < end && !tni_token_is(at, "="); at++) {
        if (at->kind == TNI_DIRECTIVE || tni_token_is(at, "(") || tni_token_is(at, "..."))
            return false;
        if (tni_token_is(at, "[")) {
            if (is_array) return true;
            is_array = true;
            at = &tokens->list[at->match];
        } else if (tni_token_is(at, "*")) {
            stars++;
        } else if (tni_token_is(at, "&")) {
            stars = 2; /* no pointer */
        } else if (!tni_token_is_one_of(at, qualifiers)) {
            if (count == WORDS_MAX) return true;
            words[count++] = *at;
        }
    }
    const tni_token *name = &words[count - 1];
    if (count < 2) /* `int` alone is a parameter without a name, another word may be a macro */
        return count == 1 && (stars || tni_token_is_one_of(name, plain_words));
    if (name->kind != TNI_WORD || tni_token_is_one_of(name, plain_words)) return true;
    copy_text(type->name, sizeof type->name, name->text, tni_token_end(name));
    if (stars + is_array != 1) return true;
    read_type(type, words, name, tokens);
    /* As it is written, up to the name. */
    const tni_token *last = end - 1;
    while (last > begin && last->text != name->text)
        last--;
    const char *stop = last->text;
    while (stop > begin->text && (stop[-1] == ' ' || stop[-1] == '\n' || stop[-1] == '\t'))
        stop--;
    copy_text(type->type, sizeof type->type, begin->text, stop);
    return true;
}

/* The parameters between two brackets. False: it is not clear which there are. */
static bool read_parameters(tni_pointer_types *types, const tni_token *open,
                            const tni_tokens *tokens) {
    const tni_token *close = &tokens->list[open->match], *begin = open + 1;
    int depth = 0;
    types->count = 0;
    for (const tni_token *at = begin; at <= close; at++) {
        if (tni_token_is(at, "<")) depth++;
        if (tni_token_is(at, ">")) depth--;
        if (tni_token_is(at, ">>")) depth -= 2;
        bool is_end = at == close || (depth == 0 && tni_token_is(at, ","));
        if (!is_end) {
            if (at->match > at - tokens->list) at = &tokens->list[at->match];
            continue;
        }
        if (at == begin) return at == close && types->count == 0; /* () */
        if (types->count == PARAMETERS_MAX) return false;
        tni_pointer_type *type = &types->list[types->count++];
        memset(type, 0, sizeof *type);
        if (!read_parameter(type, begin, at, tokens)) return false;
        begin = at + 1;
    }
    return true;
}

/* The bracket of the parameters of a __global__ function of that name, from token `at` on. */
static const tni_token *find_function(const tni_tokens *tokens, int at, const char *name,
                                      size_t length) {
    for (at++; at + 1 < tokens->count; at++) {
        const tni_token *token = &tokens->list[at], *after = token + 1;
        if (tni_token_is(token, ";") || tni_token_is(token, "{")) return NULL;
        if (token->kind == TNI_WORD && (size_t)token->length == length &&
            memcmp(token->text, name, length) == 0 && tni_token_is(after, "("))
            return after;
        if (tni_token_is(token, "(")) at = token->match; /* of __launch_bounds__ */
    }
    return NULL;
}

/* Of several functions of that name (overloads, branches of #if) what they agree in. */
static void agree(tni_pointer_types *types, const tni_pointer_types *other) {
    if (types->count != other->count) types->count = 0;
    for (int k = 0; k < types->count; k++) {
        tni_pointer_type *type = &types->list[k];
        if (type->kind != other->list[k].kind || type->bytes != other->list[k].bytes)
            type->kind = 0;
        if (!*type->name) memcpy(type->name, other->list[k].name, sizeof type->name);
    }
}

static bool read(tni_pointer_types *types, tni_pointer_types *other, const tni_tokens *tokens,
                 const char *kernel) {
    const char *name = kernel, *end = strchr(kernel, '<');
    if (!end) end = kernel + strlen(kernel);
    for (const char *at = kernel; at < end; at++)
        if (*at == ':') name = at + 1;
    bool is_found = false;
    for (int k = 0; k < tokens->count; k++) {
        if (!tni_token_is(&tokens->list[k], "__global__")) continue;
        const tni_token *open = find_function(tokens, k, name, (size_t)(end - name));
        if (!open) continue;
        if (!read_parameters(is_found ? other : types, open, tokens)) return false;
        if (is_found) agree(types, other);
        is_found = true;
    }
    return is_found;
}

/* What the compiler knows, where the text does not tell it. */
static void add_elements(tni_pointer_types *types, const char *elements) {
    int count = (int)strlen(elements) / 2;
    if (count > PARAMETERS_MAX) return;
    if (types->count != count) memset(types->list, 0, (size_t)count * sizeof *types->list);
    types->count = count;
    for (int k = 0; k < count; k++) {
        tni_pointer_type *type = &types->list[k];
        if (type->kind || elements[k] == 's') continue;
        type->kind = elements[k];
        type->bytes = (unsigned char)(elements[count + k] - '0');
    }
}

tni_pointer_types *tni_pointer_types_read(const char *text, const char *kernel, int option_count,
                                          const char *const *options, const char *elements) {
    size_t bytes = sizeof(tni_pointer_types) + PARAMETERS_MAX * sizeof(tni_pointer_type);
    tni_pointer_types *types = tni_calloc(1, 2 * bytes), *kept = NULL;
    tni_tokens tokens = {0};
    if (!types) return NULL;
    if (!text || !tni_tokens_read(&tokens, text, strlen(text)) ||
        redefines(&tokens, option_count, options) ||
        !read(types, (tni_pointer_types *)(void *)((char *)types + bytes), &tokens, kernel))
        types->count = 0;
    tni_tokens_deinit(&tokens);
    if (elements) add_elements(types, elements);
    kept = tni_realloc(types, sizeof *types + (size_t)types->count * sizeof *types->list);
    return kept ? kept : types;
}

/* --- Arrays --- */

static bool takes(const tni_pointer_type *type, const tn_array *array) {
    tn_dtype dtype = tn_array_dtype(array);
    if (!type->kind || tn_dtype_is_stored(dtype)) return true;
    tn_kind kind = tn_dtype_kind(dtype);
    int64_t bytes = tn_dtype_size(dtype);
    bool is_same = bytes == type->bytes,
         is_integer = kind == TN_KIND_SIGNED || kind == TN_KIND_UNSIGNED;
    int ndim = tn_array_ndim(array);
    switch (type->kind) {
    case 'b': return bytes == 1;
    case 'i': return is_same && is_integer;
    case 'u': return is_same || (bytes == 1 && kind != TN_KIND_BOOL);
    case 'f':
        if (kind == TN_KIND_COMPLEX) return bytes == 2 * type->bytes;
        return is_same && (kind == TN_KIND_FLOAT || (bytes == 2 && kind == TN_KIND_UNSIGNED));
    default: /* complex */
        if (kind == TN_KIND_FLOAT)
            return 2 * bytes == type->bytes && ndim > 0 && tni_shape(array)[ndim - 1] % 2 == 0;
        return is_same && kind == TN_KIND_COMPLEX;
    }
}

tn_status tni_pointer_types_check(const tni_pointer_types *types, const char *kernel, int k,
                                  const tn_array *array) {
    if (k >= types->count || takes(&types->list[k], array)) return TN_OK;
    static const char *const kinds[] = {['b'] = "bool",
                                        ['i'] = "integers",
                                        ['u'] = "unsigned integers",
                                        ['f'] = "floats",
                                        ['c'] = "complex numbers"};
    const tni_pointer_type *type = &types->list[k];
    char wanted[80];
    snprintf(wanted, sizeof wanted, "%s (%s of %d bytes)", *type->type ? type->type : "a pointer",
             kinds[(int)type->kind], type->bytes);
    TNI_FAIL(TN_ERROR_TYPE,
             "argument %d%s%s%s of kernel %s: an array of %s was given, the kernel takes %s; "
             "x.astype() converts elements, x.view() takes their bytes as they are, and with "
             "TENORITE_KERNEL_TYPES=0 types are not compared",
             k, *type->name ? " (" : "", type->name, *type->name ? ")" : "", kernel,
             tn_dtype_name(tn_array_dtype(array)), wanted);
}
