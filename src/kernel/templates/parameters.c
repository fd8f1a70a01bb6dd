/* Grammar: a list is empty, or parameters with commas between; a parameter is the words `raw` and
 * `_non_const` in any order, a type, a name. A type is a dtype by NumPy's name, or one letter that
 * stands for a dtype. The text is copied once and cut into words in place. */
#include "kernel/templates/parameters.h"

#include "core/base/alloc.h"

#include <ctype.h>
#include <string.h>

static const char *const keywords[] = {
    "alignas",     "alignof",   "and",          "asm",         "auto",          "bool",
    "break",       "case",      "catch",        "char",        "class",         "compl",
    "const",       "constexpr", "const_cast",   "continue",    "decltype",      "default",
    "delete",      "do",        "double",       "else",        "enum",          "explicit",
    "export",      "extern",    "false",        "float",       "for",           "friend",
    "goto",        "if",        "inline",       "int",         "long",          "mutable",
    "namespace",   "new",       "noexcept",     "not",         "nullptr",       "operator",
    "or",          "private",   "protected",    "public",      "register",      "return",
    "short",       "signed",    "sizeof",       "static",      "static_assert", "struct",
    "switch",      "template",  "this",         "throw",       "true",          "try",
    "typedef",     "typeid",    "typename",     "union",       "unsigned",      "using",
    "virtual",     "void",      "volatile",     "wchar_t",     "while",         "xor",
    "static_cast", "complex",   "dynamic_cast", "char16_t",    "char32_t",      "reinterpret_cast",
    "bitand",      "bitor",     "and_eq",       "or_eq",       "xor_eq",        "not_eq",
    "float16",     "bfloat16",  "threadIdx",    "blockIdx",    "blockDim",      "gridDim",
    "CArray",      "CIndexer",  "warpSize",     "thread_local"};

bool tni_is_name(const char *text) {
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') return false;
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
        if (strcmp(text, keywords[k]) == 0) return false;
    return true;
}

typedef struct reader {
    const char *list; /* what it is a list of, for messages */
    const char *text; /* as given */
    char *copy;       /* where the words are cut */
    tni_parameters *out;
} reader;

/* The line of the text that holds the place, with a mark below it. */
static tn_status fail_at(const reader *reader, const char *at, const char *reason,
                         const char *word) {
    enum { BEFORE = 50, AFTER = 40 };
    size_t place = (size_t)(at - reader->copy), length = strlen(reader->text);
    size_t from = place > BEFORE ? place - BEFORE : 0;
    size_t shown = length - from < BEFORE + AFTER ? length - from : BEFORE + AFTER;
    char line[BEFORE + AFTER + 1];
    memcpy(line, reader->text + from, shown);
    line[shown] = '\0';
    for (size_t k = 0; k < shown; k++)
        if (isspace((unsigned char)line[k])) line[k] = ' ';
    return tni_fail(TN_ERROR_VALUE, "%s, character %zu: %s%s%.60s%s\n  %s\n  %*s^", reader->list,
                    place + 1, reason, *word ? " '" : "", word, *word ? "'" : "", line,
                    (int)(place - from), "");
}

static tn_status check_name(const reader *reader, const tn_parameter *made) {
    const tni_parameters *out = reader->out;
    const char *name = made->name;
    if (!tni_is_name(name)) return fail_at(reader, name, "a parameter can't have the name", name);
    if (strcmp(name, "i") == 0 || *name == '_')
        return fail_at(reader, name, "i and names that begin with _ are reserved:", name);
    for (int k = 0; k < out->count; k++)
        if (strcmp(out->list[k].name, name) == 0)
            return fail_at(reader, name, "two parameters have the name", name);
    return TN_OK;
}

static tn_status read_type(const reader *reader, tn_parameter *made) {
    const char *type = made->type;
    made->dtype = TN_DTYPE_NONE;
    if (!type[1] && isalpha((unsigned char)type[0])) return TN_OK;
    made->dtype = tn_dtype_find(type);
    if (made->dtype == TN_DTYPE_NONE || strcmp(tn_dtype_name(made->dtype), type) != 0)
        return fail_at(reader, type, "a type is a dtype's name or one letter; there is no dtype",
                       type);
    return TN_OK;
}

/* One parameter: the words between two commas. */
static tn_status read_one(const reader *reader, char *at, char *end) {
    enum { WORDS = 5 };
    tni_parameters *out = reader->out;
    const char *words[WORDS];
    int count = 0;
    tn_parameter made = {.is_const = true};
    *end = '\0';
    for (char *word = at; word < end && count < WORDS;) {
        while (word < end && isspace((unsigned char)*word))
            word++;
        if (word == end) break;
        words[count++] = word;
        while (word < end && !isspace((unsigned char)*word))
            word++;
        *word++ = '\0';
    }
    if (count < 2)
        return fail_at(reader, count ? words[0] : at, "a parameter is a type and a name, not",
                       count ? words[0] : "");
    for (int k = 0; k < count - 2; k++) {
        bool is_raw = strcmp(words[k], "raw") == 0;
        bool is_free = strcmp(words[k], "_non_const") == 0;
        if ((!is_raw && !is_free) || (is_raw && made.is_raw) || (is_free && !made.is_const))
            return fail_at(reader, words[k], "before a type stand raw and _non_const alone, not",
                           words[k]);
        made.is_raw |= is_raw;
        made.is_const &= !is_free;
    }
    made.type = words[count - 2];
    made.name = words[count - 1];
    TNI_TRY(read_type(reader, &made));
    TNI_TRY(check_name(reader, &made));
    if (out->count == TNI_PARAMETERS_MAX)
        return fail_at(reader, at, "a kernel has 64 parameters at most", "");
    out->list[out->count++] = made;
    return TN_OK;
}

static bool is_blank(const char *text) {
    while (isspace((unsigned char)*text))
        text++;
    return *text == '\0';
}

static tn_status read_list(const reader *reader) {
    if (is_blank(reader->copy)) return TN_OK;
    for (char *at = reader->copy;;) {
        char *comma = strchr(at, ',');
        TNI_TRY(read_one(reader, at, comma ? comma : at + strlen(at)));
        if (!comma) return TN_OK;
        at = comma + 1;
    }
}

/* A letter that stands for a dtype can't be a parameter, too. */
static tn_status check_letters(const tni_parameters *parameters) {
    for (int k = 0; k < parameters->count; k++)
        for (int l = 0; l < parameters->count; l++)
            if (strcmp(parameters->list[k].name, parameters->list[l].type) == 0)
                TNI_FAIL(TN_ERROR_VALUE, "%s is a parameter's name and a parameter's type",
                         parameters->list[k].name);
    return TN_OK;
}

tn_status tni_parameters_read(tni_parameters *parameters, const char *inputs, const char *outputs) {
    size_t in_bytes = strlen(inputs) + 1, out_bytes = strlen(outputs) + 1;
    tn_status status;
    parameters->inputs = parameters->count = 0;
    parameters->texts = tni_malloc(in_bytes + out_bytes);
    if (!parameters->texts) return tni_fail_no_memory((int64_t)(in_bytes + out_bytes));
    memcpy(parameters->texts, inputs, in_bytes);
    memcpy(parameters->texts + in_bytes, outputs, out_bytes);
    reader in = {"in_params", inputs, parameters->texts, parameters};
    reader out = {"out_params", outputs, parameters->texts + in_bytes, parameters};
    TNI_TRY_OWNING(read_list(&in));
    parameters->inputs = parameters->count;
    TNI_TRY_OWNING(read_list(&out));
    TNI_TRY_OWNING(check_letters(parameters));
    for (int k = parameters->inputs; k < parameters->count; k++)
        parameters->list[k].is_const = false;
cleanup:
    if (status != TN_OK) tni_parameters_deinit(parameters);
    return status;
}

void tni_parameters_deinit(tni_parameters *parameters) {
    tni_free(parameters->texts);
    parameters->texts = NULL;
}
