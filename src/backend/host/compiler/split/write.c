/* The text of a kernel's body as loops over the threads.
 *
 * A loop's turn is a thread: its threadIdx, what it computes anew, references to what it has kept,
 * then the statements as they were written. A return leaves the turn, and marks the thread where
 * others may go on. */
#include "backend/host/compiler/split/write.h"

#include "backend/host/compiler/split/plan.h"
#include "backend/host/compiler/split/program.h"
#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct writer {
    tni_split_kernel *kernel;
    tni_source *out;
    const char *at; /* the next character of the kernel's text */
    int region, turns;
    bool sets_index; /* functions that the kernel calls see its threadIdx */
} writer;

static void write_part(writer *writer, int number);

static void copy_to(writer *writer, const char *end) {
    if (end > writer->at) tni_source_add_bytes(writer->out, writer->at, (size_t)(end - writer->at));
    writer->at = end;
}

static void drop_to(writer *writer, const char *end) {
    for (; writer->at < end; writer->at++)
        if (*writer->at == '\n') tni_source_add_bytes(writer->out, "\n", 1);
}

static const char *start_of(const writer *writer, int token) {
    return writer->kernel->tokens[token].text;
}

static const char *end_of(const writer *writer, int token) {
    return tni_token_end(&writer->kernel->tokens[token]);
}

/* Tokens again, on one line. */
static void add_tokens(writer *writer, int first, int end) {
    for (int k = first; k < end; k++)
        tni_source_add(writer->out, "%.*s ", writer->kernel->tokens[k].length,
                       writer->kernel->tokens[k].text);
}

static void add_name(writer *writer, const tni_local *local) {
    add_tokens(writer, local->name, local->name + 1);
}

/* --- Statements that threads run --- */

/* The number that a bound has, 33 for a constant that only the compiler knows, or 0. */
static int constant_bound(const writer *writer, int first, int end, int own) {
    const tni_split_kernel *kernel = writer->kernel;
    int found = 0;
    for (int k = first; k < end; k++) {
        const tni_token *token = &kernel->tokens[k];
        if (token->local == own) continue;
        if (token->local >= 0) return 0;
        const tni_macro *macro = tni_split_macro_find(kernel->program, token);
        if (macro && macro->body.count == 1) token = &macro->body.list[0];
        if (token->kind == TNI_NUMBER && (found == 0 || found == 33))
            found = atoi(token->text);
        else if (token->kind == TNI_WORD && !macro &&
                 !tni_split_is_global(kernel->program, token, true))
            return 0;
        else if (token->kind == TNI_WORD && found == 0)
            found = 33;
    }
    return found;
}

/* Short loops are unrolled, so that the loop over threads is the one that is vectorised. */
static void write_unrolling(writer *writer, int at) {
    const tni_split_kernel *kernel = writer->kernel;
    int open = at + 1, close = kernel->tokens[open].match, own = -1, first, end;
    for (first = open + 1; first < close && !tni_token_is(&kernel->tokens[first], ";"); first++)
        if (own < 0) own = kernel->tokens[first].local;
    for (end = ++first; end < close && !tni_token_is(&kernel->tokens[end], ";"); end++)
        if (tni_token_is_one_of(&kernel->tokens[end], (const char *const[]){"&&", "||", NULL}))
            return;
    int after = close + 1, bound = constant_bound(writer, first, end, own);
    int stop = kernel->tokens[after].match > after ? kernel->tokens[after].match : after;
    for (int k = after; k < stop || !tni_token_is(&kernel->tokens[k], ";"); k++) {
        if (k >= kernel->function->end || tni_token_is(&kernel->tokens[k], "for") ||
            tni_token_is(&kernel->tokens[k], "while"))
            return;
        if (k >= stop && stop > after) break;
    }
    if (own >= 0 && bound > 1 && bound <= 64)
        tni_source_add(writer->out, "TNI_UNROLL(%d) ", bound + 1);
}

static void write_return(writer *writer) {
    tni_source_add(writer->out, "{ %sgoto tni_out_%d; }",
                   writer->kernel->has_gone ? "tni_gone[tni_row + tni_x] = 1; " : "",
                   writer->region);
    writer->turns++;
}

static void write_statement(writer *writer, int first, int end) {
    for (int k = first; k < end; k++) {
        const tni_token *token = &writer->kernel->tokens[k];
        copy_to(writer, token->text);
        if (tni_token_is(token, "for") && token->kind == TNI_WORD) write_unrolling(writer, k);
        if (tni_token_is(token, "return")) {
            write_return(writer);
            k++;
            drop_to(writer, end_of(writer, k));
            continue;
        }
        copy_to(writer, end_of(writer, k));
    }
}

/* --- Variables that threads keep --- */

static void write_initial(writer *writer, int number) {
    const tni_split_kernel *kernel = writer->kernel;
    const tni_local *local = &kernel->locals[number];
    if (local->is_array) {
        tni_source_add(writer->out, "{ tni_t_%d tni_first", number);
        if (local->value >= 0) {
            tni_source_add(writer->out, " = ");
            add_tokens(writer, local->value, local->end);
        }
        tni_source_add(writer->out, "; __builtin_memcpy(&");
        add_name(writer, local);
        tni_source_add(writer->out, ", &tni_first, sizeof tni_first); }");
        return;
    }
    add_name(writer, local);
    tni_source_add(writer->out, "= ");
    bool is_made = local->value < 0 || !tni_token_is(&kernel->tokens[local->value - 1], "=");
    if (is_made) tni_source_add(writer->out, "tni_t_%d", number);
    if (local->value < 0) tni_source_add(writer->out, "()");
    if (local->value >= 0) add_tokens(writer, local->value, local->end);
    tni_source_add(writer->out, "; ");
}

static void write_reference(writer *writer, int number) {
    tni_source_add(writer->out, "auto &");
    add_name(writer, &writer->kernel->locals[number]);
    tni_source_add(writer->out, "= (tni_p_%d + tni_row)[tni_x]; ", number);
}

static bool has_hoisted(const tni_split_kernel *kernel, int statement) {
    for (int k = 0; k < kernel->local_count; k++)
        if (kernel->locals[k].statement == statement && kernel->locals[k].is_hoisted) return true;
    return false;
}

static void write_declaration(writer *writer, int statement) {
    const tni_split_kernel *kernel = writer->kernel;
    for (int k = 0; k < kernel->local_count; k++) {
        const tni_local *local = &kernel->locals[k];
        if (local->statement != statement) continue;
        if (local->is_hoisted) {
            write_reference(writer, k);
            write_initial(writer, k);
            continue;
        }
        add_tokens(writer, local->type, local->type_end);
        add_tokens(writer, local->first, local->end);
        tni_source_add(writer->out, "; ");
    }
    drop_to(writer, end_of(writer, kernel->statements[statement].end - 1));
}

/* The type of a variable without a "const" of its own, and its places. */
static void write_room(writer *writer, int number) {
    const tni_split_kernel *kernel = writer->kernel;
    const tni_local *local = &kernel->locals[number];
    tni_source_add(writer->out, "typedef ");
    for (int k = local->type; k < local->type_end; k++)
        if (local->is_pointer || !tni_token_is(&kernel->tokens[k], "const"))
            add_tokens(writer, k, k + 1);
    for (int k = local->first; k < local->name; k++)
        if (tni_token_is(&kernel->tokens[k], "*") ||
            (tni_token_is(&kernel->tokens[k], "const") && k + 1 < local->name))
            add_tokens(writer, k, k + 1);
    tni_source_add(writer->out, "tni_t_%d", number);
    if (local->is_array)
        for (int k = local->name + 1; tni_token_is(&kernel->tokens[k], "[");
             k = kernel->tokens[k].match + 1)
            add_tokens(writer, k, kernel->tokens[k].match + 1);
    tni_source_add(writer->out,
                   "; tni_t_%d *tni_p_%d = tni::room<tni_t_%d>(&tni_r_%d, tni_count); ", number,
                   number, number, number);
}

static void write_rooms(writer *writer, tni_span region) {
    for (int k = 0; k < writer->kernel->local_count; k++) {
        const tni_local *local = &writer->kernel->locals[k];
        if (local->is_hoisted && !local->is_parameter && local->name >= region.first &&
            local->name < region.end)
            write_room(writer, k);
    }
}

/* --- A loop over the threads --- */

static void mark_used(const tni_split_kernel *kernel, bool *used, int first, int end) {
    for (int k = first; k < end; k++)
        if (kernel->tokens[k].local >= 0) used[kernel->tokens[k].local] = true;
}

static void write_variables(writer *writer, tni_span region) {
    const tni_split_kernel *kernel = writer->kernel;
    bool *used = tni_calloc((size_t)kernel->local_count + 1, sizeof *used);
    if (!used) {
        writer->kernel->has_failed = true;
        return;
    }
    mark_used(kernel, used, region.first, region.end);
    for (int k = kernel->local_count - 1; k >= 0; k--)
        if (used[k] && kernel->locals[k].class == TNI_REPEATED)
            mark_used(kernel, used, kernel->locals[k].value, kernel->locals[k].end);
    for (int k = 0; k < kernel->local_count; k++) {
        const tni_local *local = &kernel->locals[k];
        bool is_own = local->name >= region.first && local->name < region.end;
        if (!used[k] || is_own) continue;
        if (local->is_hoisted) write_reference(writer, k);
        if (local->class != TNI_REPEATED) continue;
        add_tokens(writer, local->type, local->type_end);
        add_tokens(writer, local->first, local->end);
        tni_source_add(writer->out, "; ");
    }
    tni_free(used);
}

static tni_span open_region(writer *writer, int first) {
    const tni_split_kernel *kernel = writer->kernel;
    tni_span region = {first, first};
    for (int k = 0; k < kernel->region_count; k++)
        if (kernel->regions[k].first == first) region = kernel->regions[k];
    writer->region++;
    writer->turns = 0;
    write_rooms(writer, region);
    tni_source_add(writer->out, "TNI_THREADS { ");
    if (kernel->has_gone) tni_source_add(writer->out, "if (tni_gone[tni_row + tni_x]) continue; ");
    tni_source_add(writer->out, "const uint3 threadIdx = {(unsigned)tni_x, tni_y, tni_z}; ");
    if (writer->sets_index) tni_source_add(writer->out, "::threadIdx = threadIdx; ");
    write_variables(writer, region);
    tni_source_add(writer->out, "{ ");
    return region;
}

static void close_region(writer *writer) {
    tni_source_add(writer->out, " }");
    if (writer->turns) tni_source_add(writer->out, " tni_out_%d:;", writer->region);
    tni_source_add(writer->out, " }");
    if (writer->turns && writer->kernel->has_gone)
        tni_source_add(writer->out,
                       " if (tni::are_gone(tni_gone, tni_count)) { tni_is_last = true; return; }");
}

static void write_in_loop(writer *writer, int number) {
    const tni_statement *statement = &writer->kernel->statements[number];
    if (statement->is_piece || has_hoisted(writer->kernel, number))
        write_declaration(writer, number);
    else
        write_statement(writer, statement->first, statement->end);
}

static void write_once(writer *writer, int number) {
    const tni_statement *statement = &writer->kernel->statements[number];
    if (statement->is_piece) {
        write_declaration(writer, number);
    } else if (statement->kind == TNI_RETURN) {
        tni_source_add(writer->out, "{ tni_is_last = true; return; }");
        drop_to(writer, end_of(writer, statement->end - 1));
    } else {
        copy_to(writer, end_of(writer, statement->end - 1));
    }
}

static void write_list(writer *writer, int first) {
    bool is_open = false;
    for (int k = first; k >= 0; k = writer->kernel->statements[k].next) {
        const tni_statement *statement = &writer->kernel->statements[k];
        tni_split_way way = tni_split_way_of(writer->kernel, k);
        if (is_open && way != TNI_IN_LOOP) {
            close_region(writer);
            is_open = false;
        }
        copy_to(writer, start_of(writer, statement->first));
        if (way == TNI_IN_LOOP && !is_open) {
            open_region(writer, statement->first);
            is_open = true;
        }
        if (way == TNI_IN_LOOP)
            write_in_loop(writer, k);
        else if (way == TNI_ONCE)
            write_once(writer, k);
        else if (way == TNI_SPLIT)
            write_part(writer, k);
        else
            drop_to(writer, end_of(writer, statement->end - 1));
    }
    if (is_open) close_region(writer);
}

/* A part of a statement, in braces of its own. */
static void write_branch(writer *writer, int number) {
    const tni_statement *part = &writer->kernel->statements[number];
    copy_to(writer, start_of(writer, part->first));
    tni_source_add(writer->out, "{ ");
    if (part->kind == TNI_BLOCK)
        write_part(writer, number);
    else
        write_list(writer, number);
    tni_source_add(writer->out, " }");
}

static void write_part(writer *writer, int number) {
    tni_statement statement = writer->kernel->statements[number];
    if (statement.kind == TNI_BLOCK) {
        copy_to(writer, end_of(writer, statement.first));
        write_list(writer, statement.child);
        copy_to(writer, end_of(writer, statement.end - 1));
        return;
    }
    if (statement.child >= 0) write_branch(writer, statement.child);
    if (statement.other >= 0) write_branch(writer, statement.other);
    copy_to(writer, end_of(writer, statement.end - 1));
}

/* --- The body --- */

static bool calls_others(const tni_split_kernel *kernel) {
    static const char *const words[] = {"assert", "printf", NULL};
    for (int k = kernel->function->body; k < kernel->function->end; k++) {
        const tni_token *token = &kernel->tokens[k];
        if (token->kind != TNI_WORD) continue;
        if (tni_split_function_find(kernel->program, token) ||
            tni_split_macro_find(kernel->program, token) || tni_token_is_one_of(token, words))
            return true;
    }
    return false;
}

static void write_start(writer *writer) {
    const tni_split_kernel *kernel = writer->kernel;
    tni_source_add(writer->out, "TNI_BEGIN_BLOCK ");
    if (kernel->has_gone) tni_source_add(writer->out, "TNI_BEGIN_GONE ");
    for (int k = 0; k < kernel->local_count; k++) {
        const tni_local *local = &kernel->locals[k];
        if (!local->is_hoisted) continue;
        tni_source_add(writer->out, "void *tni_r_%d = nullptr; ", k);
        if (!local->is_parameter) continue;
        tni_source_add(writer->out, "auto *tni_p_%d = tni::spread(&tni_r_%d, tni_count, ", k, k);
        add_name(writer, local);
        tni_source_add(writer->out, "); ");
    }
}

void tni_split_write(tni_split_kernel *kernel, tni_source *out) {
    writer writer = {.kernel = kernel, .out = out, .sets_index = calls_others(kernel)};
    const tni_statement *body = &kernel->statements[kernel->body];
    writer.at = end_of(&writer, body->first);
    write_start(&writer);
    write_list(&writer, body->child);
    tni_source_add(out, " tni_is_last = true; ");
    copy_to(&writer, start_of(&writer, body->end - 1));
}
