/* Which variables have one value for all threads of a block, which each thread can compute anew
 * wherever it needs them, and which it must keep.
 *
 * All variables begin as equal for all threads; an assignment of something that differs, or at a
 * place that not all threads reach together, makes one private, until nothing changes. A value that
 * is read from memory by all threads at one place is one value: between two barriers no thread may
 * write what another reads. */
#include "backend/host/compiler/split/judge.h"

#include "backend/host/compiler/split/program.h"

#include <string.h>

static const tni_token *token_at(const tni_split_kernel *kernel, int at) {
    return &kernel->tokens[at];
}

static bool is(const tni_split_kernel *kernel, int at, const char *text) {
    return tni_token_is(&kernel->tokens[at], text);
}

/* --- Expressions --- */

static bool is_type_or_constant(const tni_token *token) {
    static const char *const words[] = {"int",
                                        "long",
                                        "short",
                                        "char",
                                        "float",
                                        "double",
                                        "bool",
                                        "unsigned",
                                        "signed",
                                        "const",
                                        "void",
                                        "true",
                                        "false",
                                        "nullptr",
                                        "sizeof",
                                        "volatile",
                                        "size_t",
                                        "static_cast",
                                        "reinterpret_cast",
                                        "ptrdiff_t",
                                        "int8_t",
                                        "uint8_t",
                                        "int16_t",
                                        "uint16_t",
                                        "int32_t",
                                        "uint32_t",
                                        "int64_t",
                                        "uint64_t",
                                        "half",
                                        "float16",
                                        "__half",
                                        "bfloat16",
                                        "complex",
                                        "float2",
                                        "float4",
                                        "int2",
                                        "int4",
                                        "double2",
                                        "typename",
                                        "std",
                                        NULL};
    return tni_token_is_one_of(token, words);
}

static bool is_of_block(const tni_token *token) {
    static const char *const words[] = {"blockIdx", "blockDim", "gridDim", "warpSize", NULL};
    return tni_token_is_one_of(token, words);
}

static bool is_pure_function(const tni_token *token) {
    static const char *const words[] = {"min",   "max",      "abs",     "fabs", "fabsf", "fminf",
                                        "fmaxf", "fmin",     "fmax",    "sqrt", "sqrtf", "floor",
                                        "ceil",  "floorf",   "ceilf",   "exp",  "expf",  "log",
                                        "logf",  "__umul24", "__mul24", NULL};
    return tni_token_is_one_of(token, words);
}

static bool is_member(const tni_split_kernel *kernel, int at) {
    return is(kernel, at - 1, ".") || is(kernel, at - 1, "->") || is(kernel, at - 1, "::");
}

/* A mark that stands before its operand, not between two. */
static bool is_prefix(const tni_split_kernel *kernel, int at) {
    const tni_token *before = token_at(kernel, at - 1);
    if (before->kind == TNI_WORD) return tni_token_is(before, "return");
    return before->kind == TNI_MARK && !tni_token_is(before, ")") && !tni_token_is(before, "]");
}

typedef bool judge(const tni_split_kernel *kernel, const tni_token *token, int local, int depth);

static bool judge_macro(const tni_split_kernel *kernel, const tni_macro *macro, judge *allows,
                        int depth) {
    for (int k = 0; k < macro->body.count; k++) {
        const tni_token *token = &macro->body.list[k];
        bool is_judged = token->local < 0 && !(k && tni_token_is(token - 1, "."));
        if (token->kind == TNI_WORD && is_judged && !allows(kernel, token, -1, depth + 1))
            return false;
        if (tni_token_is(token, "[") || tni_token_is(token, "->")) return false;
        if (tni_token_is(token, "*") &&
            (k == 0 || (token[-1].kind == TNI_MARK && !tni_token_is(token - 1, ")"))))
            return false;
    }
    return true;
}

/* A word in a macro names whatever has that name where the macro stands. */
static bool judge_word(const tni_split_kernel *kernel, const tni_token *token, int local, int depth,
                       judge *allows, bool constant) {
    const tni_macro *macro = local < 0 ? tni_split_macro_find(kernel->program, token) : NULL;
    if (depth > 8) return false;
    if (macro) return macro->is_plain && judge_macro(kernel, macro, allows, depth);
    if (depth)
        for (int k = 0; k < kernel->local_count; k++)
            if (tni_token_equals(token, token_at(kernel, kernel->locals[k].name))) return false;
    return is_type_or_constant(token) || is_of_block(token) || is_pure_function(token) ||
           tni_split_is_global(kernel->program, token, constant);
}

static bool judge_uniform(const tni_split_kernel *kernel, const tni_token *token, int local,
                          int depth) {
    if (local >= 0) return kernel->locals[local].class == TNI_UNIFORM;
    return judge_word(kernel, token, local, depth, judge_uniform, false);
}

static bool judge_repeated(const tni_split_kernel *kernel, const tni_token *token, int local,
                           int depth) {
    if (tni_token_is(token, "threadIdx")) return true;
    if (local >= 0) {
        const tni_local *found = &kernel->locals[local];
        return found->class == TNI_REPEATED ||
               (found->class == TNI_UNIFORM && !found->is_changed &&
                (found->is_parameter || found->is_shared || found->value >= 0));
    }
    return judge_word(kernel, token, local, depth, judge_repeated, true);
}

/* Whether a word that stands before "(" is called, and is not known to be harmless. */
static bool is_unknown_call(const tni_split_kernel *kernel, int at) {
    const tni_token *token = token_at(kernel, at);
    if (!is(kernel, at + 1, "(") || token->kind != TNI_WORD) return false;
    if (is_member(kernel, at)) return true;
    const tni_macro *macro = tni_split_macro_find(kernel->program, token);
    return !macro && !is_type_or_constant(token) && !is_pure_function(token) &&
           !(tni_split_is_global(kernel->program, token, true) && token->local < 0);
}

static bool judge_all(const tni_split_kernel *kernel, int first, int end, judge *allows) {
    for (int k = first; k < end; k++) {
        const tni_token *token = token_at(kernel, k);
        if (tni_token_assigns(token) || token->kind == TNI_DIRECTIVE) return false;
        if (token->kind != TNI_WORD) continue;
        if (is_unknown_call(kernel, k)) return false;
        if (!is_member(kernel, k) && !allows(kernel, token, token->local, 0)) return false;
    }
    return true;
}

/* Whether an expression has one value for all threads. */
static bool is_uniform(const tni_split_kernel *kernel, int first, int end) {
    return judge_all(kernel, first, end, judge_uniform);
}

/* Whether each thread can find its value again at any place, without memory. */
static bool is_repeated(const tni_split_kernel *kernel, int first, int end) {
    for (int k = first; k < end; k++) {
        if (is(kernel, k, "[") || is(kernel, k, "->")) return false;
        if ((is(kernel, k, "*") || is(kernel, k, "&")) && is_prefix(kernel, k) &&
            !is(kernel, k + 1, ")"))
            return false;
        int local = kernel->tokens[k].local; /* a variable in shared memory; an array is a place */
        if (local >= 0 && kernel->locals[local].is_shared && !kernel->locals[local].is_array)
            return false;
    }
    return judge_all(kernel, first, end, judge_repeated);
}

/* --- Assignments --- */

/* After what is chained to a name: members, indexes. `is_place`: the chain goes through memory. */
static int chain_end(const tni_split_kernel *kernel, int at, int end, const tni_local *local,
                     bool *is_place) {
    *is_place = local->is_shared;
    for (at++; at < end;) {
        if (is(kernel, at, "[")) {
            *is_place |= local->is_pointer || local->is_auto;
            at = kernel->tokens[at].match + 1;
        } else if (is(kernel, at, ".") && at + 1 < end) {
            at += 2;
        } else if (is(kernel, at, "->") && at + 1 < end) {
            *is_place = true;
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

static bool is_one_assignment(const tni_split_kernel *kernel, int first, int end) {
    if (end - first < 2) return false;
    bool is_before = is(kernel, first, "++") || is(kernel, first, "--");
    int name = first + is_before, mark = first + 1;
    int local = kernel->tokens[name].local;
    if (local < 0 || kernel->locals[local].class != TNI_UNIFORM ||
        kernel->locals[local].is_shared || kernel->locals[local].is_reference)
        return false;
    if (is_before || is(kernel, mark, "++") || is(kernel, mark, "--")) return end - first == 2;
    return tni_token_assigns(token_at(kernel, mark)) && is_uniform(kernel, mark + 1, end);
}

/* Whether the statement is an assignment to variables that are the same for all threads, and
 * nothing else. */
static bool is_assignment(const tni_split_kernel *kernel, int first, int end) {
    for (int at = first, stop; at < end; at = stop + 1) {
        for (stop = at; stop < end && !is(kernel, stop, ",");)
            stop = kernel->tokens[stop].match > stop ? kernel->tokens[stop].match + 1 : stop + 1;
        if (!is_one_assignment(kernel, at, stop)) return false;
    }
    return first < end;
}

static bool set_private(tni_split_kernel *kernel, int local) {
    bool changes = kernel->locals[local].class != TNI_PRIVATE;
    kernel->locals[local].class = TNI_PRIVATE;
    return changes;
}

/* Whether a token stands among the arguments of a function that takes references. */
static bool is_in_call(const tni_split_kernel *kernel, int first, int at) {
    for (int k = first; k < at; k++) {
        if (kernel->tokens[k].kind != TNI_WORD || !is(kernel, k + 1, "(")) continue;
        if (kernel->tokens[k + 1].match < at) continue;
        const tni_function *called = tni_split_function_find(kernel->program, token_at(kernel, k));
        if (called ? called->has_references : is_unknown_call(kernel, k) && is_member(kernel, k))
            return true;
    }
    return false;
}

/* What an expression does to variables; `is_known`: it is an assignment to one that stays equal. */
static bool judge_effects(tni_split_kernel *kernel, int first, int end, bool is_known) {
    bool has_changed = false;
    for (int k = first; k < end; k++) {
        int number = kernel->tokens[k].local;
        if (number < 0) continue;
        tni_local *local = &kernel->locals[number];
        if (local->name == k) continue;
        bool is_place, before = is(kernel, k - 1, "++") || is(kernel, k - 1, "--");
        int after = chain_end(kernel, k, end, local, &is_place);
        bool assigns = after < end && tni_token_assigns(token_at(kernel, after));
        bool is_method = after < end && is(kernel, after, "(") && after > k + 1;
        bool addressed = is(kernel, k - 1, "&") && is_prefix(kernel, k - 1);
        if ((assigns || before || is_method) && !is_place) {
            local->is_changed = true;
            if (!is_known) has_changed |= set_private(kernel, number);
        }
        if ((addressed && !is_place) || (is_in_call(kernel, first, k) && !local->is_shared)) {
            local->is_changed = local->has_address = true;
            has_changed |= set_private(kernel, number);
        }
    }
    return has_changed;
}

/* --- Statements --- */

static bool judge_statement(tni_split_kernel *kernel, int number, bool together);

static bool judge_declaration(tni_split_kernel *kernel, int statement, bool together) {
    bool has_changed = false, differs = !together;
    for (int k = 0; k < kernel->local_count; k++) {
        const tni_local *local = &kernel->locals[k];
        if (local->statement != statement || local->is_shared) continue;
        differs |= local->is_reference || local->is_array || local->class != TNI_UNIFORM ||
                   (local->value >= 0 && !is_uniform(kernel, local->value, local->end));
    }
    for (int k = 0; k < kernel->local_count && differs; k++)
        if (kernel->locals[k].statement == statement && !kernel->locals[k].is_shared)
            has_changed |= set_private(kernel, k);
    return has_changed;
}

/* Whether some threads leave the loop, or a turn of it, before others. */
static bool has_divergent_leave(const tni_split_kernel *kernel, int number, bool together) {
    const tni_statement *statement = &kernel->statements[number];
    bool is_control = statement->kind == TNI_IF;
    if (statement->kind == TNI_LEAVE) return !together;
    if (statement->kind == TNI_FOR || statement->kind == TNI_WHILE || statement->kind == TNI_DO)
        return false;
    if (is_control) together &= is_uniform(kernel, statement->head, statement->head_end);
    for (int k = statement->child; k >= 0; k = kernel->statements[k].next)
        if (has_divergent_leave(kernel, k, together)) return true;
    return statement->other >= 0 && has_divergent_leave(kernel, statement->other, together);
}

static bool judge_loop(tni_split_kernel *kernel, int number, bool together) {
    tni_statement statement = kernel->statements[number];
    int first = statement.head, end = statement.head_end;
    bool has_changed = false;
    if (statement.child >= 0) together &= !has_divergent_leave(kernel, statement.child, true);
    if (statement.kind == TNI_FOR) {
        int condition = first, step;
        while (condition < end && !is(kernel, condition, ";"))
            condition++;
        for (step = condition + 1; step < end && !is(kernel, step, ";");)
            step++;
        if (condition + 1 < step) together &= is_uniform(kernel, condition + 1, step);
        has_changed |= judge_declaration(kernel, number, together);
        has_changed |= judge_effects(kernel, first, condition,
                                     together && is_assignment(kernel, first, condition));
        has_changed |= judge_effects(kernel, condition + 1, step, false);
        has_changed |=
            judge_effects(kernel, step + 1, end, together && is_assignment(kernel, step + 1, end));
        first = step + 1;
    } else {
        together &= is_uniform(kernel, first, end);
        has_changed |= judge_effects(kernel, first, end, false);
    }
    kernel->statements[number].is_divergent = !together;
    return (statement.child >= 0 && judge_statement(kernel, statement.child, together)) ||
           has_changed;
}

static bool judge_statement(tni_split_kernel *kernel, int number, bool together) {
    tni_statement statement = kernel->statements[number];
    bool has_changed = false;
    switch (statement.kind) {
    case TNI_FOR:
    case TNI_WHILE:
    case TNI_DO: return judge_loop(kernel, number, together);
    case TNI_IF:
        together &= is_uniform(kernel, statement.head, statement.head_end);
        has_changed |= judge_effects(kernel, statement.head, statement.head_end, false);
        break;
    case TNI_DECLARATION:
        has_changed |= judge_declaration(kernel, number, together);
        has_changed |= judge_effects(kernel, statement.first, statement.end, false);
        break;
    case TNI_EXPRESSION:
        has_changed |=
            judge_effects(kernel, statement.first, statement.end - 1,
                          together && is_assignment(kernel, statement.first, statement.end - 1));
        break;
    default: break;
    }
    kernel->statements[number].is_divergent = !together;
    for (int k = statement.child; k >= 0; k = kernel->statements[k].next)
        has_changed |= judge_statement(kernel, k, together);
    if (statement.other >= 0) has_changed |= judge_statement(kernel, statement.other, together);
    return has_changed;
}

/* In the order of declarations, so that one may stand on another. */
static void find_repeated(tni_split_kernel *kernel) {
    for (int k = 0; k < kernel->local_count; k++) {
        tni_local *local = &kernel->locals[k];
        if (local->class != TNI_PRIVATE || local->is_changed || local->has_address ||
            local->is_parameter || local->is_array || local->is_reference || local->value < 0)
            continue;
        if (is_repeated(kernel, local->value, local->end)) local->class = TNI_REPEATED;
    }
}

void tni_split_judge(tni_split_kernel *kernel) {
    while (judge_statement(kernel, kernel->body, true)) {}
    find_repeated(kernel);
}
