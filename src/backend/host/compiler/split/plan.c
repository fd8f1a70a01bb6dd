/* Where a kernel's statements are cut: the loops over threads, and what has to be kept between. */
#include "backend/host/compiler/split/plan.h"

#include "core/base/alloc.h"

static bool contains(const tni_statement *statement, int token) {
    return token >= statement->first && token < statement->end;
}

/* An assignment to a variable of the block that is declared outside the statement. */
static bool assigns_outer(const tni_split_kernel *kernel, const tni_statement *statement) {
    for (int k = statement->first; k < statement->end; k++) {
        int number = kernel->tokens[k].local;
        if (number < 0) continue;
        const tni_local *local = &kernel->locals[number];
        if (local->class != TNI_UNIFORM || local->is_shared || !local->is_changed ||
            contains(statement, local->name))
            continue;
        if (tni_token_assigns(&kernel->tokens[k + 1]) ||
            tni_token_is(&kernel->tokens[k - 1], "++") ||
            tni_token_is(&kernel->tokens[k - 1], "--"))
            return true;
    }
    return false;
}

/* A break or continue of a loop that the statement lies in. */
static bool leaves_outer(const tni_split_kernel *kernel, int number) {
    const tni_statement *statement = &kernel->statements[number];
    if (statement->kind == TNI_LEAVE) return true;
    if (statement->kind == TNI_FOR || statement->kind == TNI_WHILE || statement->kind == TNI_DO)
        return false;
    for (int k = statement->child; k >= 0; k = kernel->statements[k].next)
        if (leaves_outer(kernel, k)) return true;
    return statement->other >= 0 && leaves_outer(kernel, statement->other);
}

static bool has_common_return(const tni_split_kernel *kernel, int number) {
    const tni_statement *statement = &kernel->statements[number];
    if (statement->kind == TNI_RETURN) return !statement->is_divergent;
    for (int k = statement->child; k >= 0; k = kernel->statements[k].next)
        if (has_common_return(kernel, k)) return true;
    return statement->other >= 0 && has_common_return(kernel, statement->other);
}

static bool has_divergent_return(const tni_split_kernel *kernel, int number) {
    const tni_statement *statement = &kernel->statements[number];
    if (statement->kind == TNI_RETURN) return statement->is_divergent;
    for (int k = statement->child; k >= 0; k = kernel->statements[k].next)
        if (has_divergent_return(kernel, k)) return true;
    return statement->other >= 0 && has_divergent_return(kernel, statement->other);
}

static bool declares_uniform(const tni_split_kernel *kernel, int statement) {
    for (int k = 0; k < kernel->local_count; k++)
        if (kernel->locals[k].statement == statement) return kernel->locals[k].class == TNI_UNIFORM;
    return false;
}

tni_split_way tni_split_way_of(const tni_split_kernel *kernel, int number) {
    const tni_statement *statement = &kernel->statements[number];
    switch (statement->kind) {
    case TNI_BARRIER: return TNI_SEPARATES;
    case TNI_FIXED: return TNI_ONCE;
    case TNI_LEAVE:
    case TNI_RETURN: return statement->is_divergent ? TNI_IN_LOOP : TNI_ONCE;
    case TNI_DECLARATION: return declares_uniform(kernel, number) ? TNI_ONCE : TNI_IN_LOOP;
    case TNI_EXPRESSION: return assigns_outer(kernel, statement) ? TNI_ONCE : TNI_IN_LOOP;
    default: break;
    }
    bool splits = statement->has_barrier || assigns_outer(kernel, statement) ||
                  leaves_outer(kernel, number) || has_common_return(kernel, number);
    return splits ? TNI_SPLIT : TNI_IN_LOOP;
}

/* --- Loops over the threads --- */

static void plan_part(tni_split_kernel *kernel, int number);

static void add_region(tni_split_kernel *kernel, tni_span region) {
    if (kernel->region_count == kernel->region_capacity) {
        int capacity = kernel->region_capacity ? 2 * kernel->region_capacity : 16;
        tni_span *larger = tni_realloc(kernel->regions, (size_t)capacity * sizeof *larger);
        if (!larger) {
            kernel->has_failed = true;
            return;
        }
        kernel->regions = larger;
        kernel->region_capacity = capacity;
    }
    kernel->regions[kernel->region_count++] = region;
}

static void plan_list(tni_split_kernel *kernel, int first) {
    tni_span region = {-1, -1};
    for (int k = first; k >= 0; k = kernel->statements[k].next) {
        const tni_statement *statement = &kernel->statements[k];
        tni_split_way way = tni_split_way_of(kernel, k);
        if (way == TNI_IN_LOOP) {
            if (region.first < 0) region.first = statement->first;
            region.end = statement->end;
            continue;
        }
        if (region.first >= 0) add_region(kernel, region);
        region.first = -1;
        if (way == TNI_SPLIT) plan_part(kernel, k);
    }
    if (region.first >= 0) add_region(kernel, region);
}

static void plan_part(tni_split_kernel *kernel, int number) {
    tni_statement statement = kernel->statements[number];
    if (statement.kind == TNI_BLOCK) {
        plan_list(kernel, statement.child);
        return;
    }
    kernel->has_failed |= statement.is_divergent && statement.kind != TNI_BLOCK;
    for (int k = 0; k < kernel->local_count; k++)
        kernel->has_failed |=
            kernel->locals[k].statement == number && kernel->locals[k].class != TNI_UNIFORM;
    for (int part = statement.child, k = 0; k < 2; k++, part = statement.other)
        if (part >= 0) plan_list(kernel, part);
}

static void plan_local(tni_split_kernel *kernel, int number) {
    tni_local *local = &kernel->locals[number];
    if (local->class != TNI_PRIVATE || local->is_shared) return;
    tni_span own = {local->name, local->name + 1};
    if (local->is_parameter) own = (tni_span){0, 0};
    bool is_outer = local->is_parameter;
    for (int k = 0; k < kernel->region_count && !local->is_parameter; k++)
        if (local->name >= kernel->regions[k].first && local->name < kernel->regions[k].end)
            own = kernel->regions[k], is_outer = true;
    for (int k = kernel->function->body; is_outer && k < kernel->function->end; k++)
        if (kernel->tokens[k].local == number && (k < own.first || k >= own.end))
            local->is_hoisted = true;
    if (local->is_hoisted && (local->is_auto || local->is_reference)) kernel->has_failed = true;
}

void tni_split_plan(tni_split_kernel *kernel) {
    plan_part(kernel, kernel->body);
    for (int k = 0; k < kernel->local_count; k++)
        plan_local(kernel, k);
    kernel->has_gone = has_divergent_return(kernel, kernel->body);
}
