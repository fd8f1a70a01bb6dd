/* Kernels with barriers as loops over their threads.
 *
 * A kernel is rewritten if its barriers are statements `__syncthreads();` at the top of its body,
 * or in blocks, branches and loops that all threads enter and leave together. That is seen from the
 * text: their conditions are made of parameters, constants, blockIdx, blockDim, gridDim, and of
 * variables that have one value for all threads (judge.c). A variable that lives across a barrier
 * is computed anew in each loop where it can be, and has a place for each thread where it can't.
 *
 * Other kernels run on fibers: those whose threads meet in functions, votes, shuffles, groups or
 * with atomicCAS, in branches that only some threads take, under labels, switches, lambdas, or
 * directives of the preprocessor; and those that keep a reference, or a variable of type auto that
 * can't be computed anew, across a barrier. */
#include "backend/host/compiler/split/split.h"

#include "backend/host/compiler/split/judge.h"
#include "backend/host/compiler/split/parse.h"
#include "backend/host/compiler/split/plan.h"
#include "backend/host/compiler/split/program.h"
#include "backend/host/compiler/split/write.h"
#include "core/base/alloc.h"

enum { FIRST_STATEMENTS = 64 };

static void deinit_kernel(tni_split_kernel *kernel) {
    tni_free(kernel->statements);
    tni_free(kernel->locals);
    tni_free(kernel->scope);
    tni_free(kernel->regions);
}

/* The text of a kernel's body; false: it stays as it is. */
static bool split_kernel(tni_source *out, const tni_split_program *program,
                         const tni_function *function) {
    tni_split_kernel kernel = {
        .program = program, .function = function, .tokens = program->tokens.list};
    kernel.statements = tni_malloc(FIRST_STATEMENTS * sizeof *kernel.statements);
    if (!kernel.statements) return false;
    kernel.statement_capacity = FIRST_STATEMENTS;
    tni_split_parse(&kernel);
    bool splits = !kernel.has_failed && kernel.statements[kernel.body].has_barrier;
    if (splits) {
        tni_split_judge(&kernel);
        tni_split_plan(&kernel);
        splits = !kernel.has_failed;
    }
    if (splits) tni_split_write(&kernel, out);
    splits &= !kernel.has_failed && !out->has_failed;
    deinit_kernel(&kernel);
    return splits;
}

static bool split_all(tni_source *out, const tni_split_program *program, const char *text,
                      size_t length) {
    const char *at = text;
    bool has_split = false;
    for (int k = 0; k < program->function_count; k++) {
        const tni_function *function = &program->functions[k];
        tni_source body = {0};
        if (function->is_kernel && split_kernel(&body, program, function)) {
            const char *open = program->tokens.list[function->body].text + 1;
            const char *name = function->name.text;
            tni_source_add_bytes(out, at, (size_t)(name - at));
            tni_source_add(out, "TNI_SPLIT ");
            tni_source_add_bytes(out, name, (size_t)(open - name));
            tni_source_add_bytes(out, body.text, body.length);
            at = program->tokens.list[function->end].text;
            has_split = true;
        }
        tni_source_deinit(&body);
    }
    if (has_split) tni_source_add_bytes(out, at, (size_t)(text + length - at));
    return has_split;
}

bool tni_host_split(tni_source *out, const char *text, size_t length, const char *macros) {
    tni_split_program program = {0};
    bool has_split = false;
    if (tni_split_program_read(&program, text, length, macros))
        has_split = split_all(out, &program, text, length);
    tni_split_program_deinit(&program);
    if (!has_split || !out->has_failed) return has_split;
    tni_source_deinit(out);
    return false;
}
