/* The operands that an evaluation has beside those that it is given: views of operands, so that all
 * that looks for arrays that overlap sees them, and an array for each computed value whose parts
 * are stored to. */
#include "kernel/expression/inputs.h"

#include "kernel/expression/shapes.h"
#include "kernel/expression/views.h"

#include <string.h>

/* An array as the value would be in, whose shape is found with those of all values before it. */
static tn_status make_held(tn_operand *operand, tni_schedule *s, int *known, int value) {
    tn_array *made;
    for (; *known <= value; ++*known)
        TNI_TRY(tni_shapes_find(s, *known));
    TNI_TRY(tni_shapes_new_array(&made, s, value));
    operand->array = made;
    return TN_OK;
}

tn_status tni_inputs_open(tn_operand *operands, tni_schedule *s, const tn_operand *given) {
    const tn_expression *e = s->expression;
    int known = 0;
    memset(operands, 0, sizeof *operands * (size_t)e->operand_count);
    s->operands = operands;
    s->shape_count = s->lies_count = 0;
    for (int k = 0; k < e->operand_count; k++) {
        const tni_node *node = &e->nodes[e->operands[k]];
        if (!tni_node_is_derived(node)) {
            operands[k] = given[node->op];
        } else if (!node->of.view) {
            TNI_TRY(make_held(&operands[k], s, &known, node->from[0]));
        } else {
            tn_array *made;
            TNI_TRY(
                tni_view_show(&made, node->of.view, operands[e->nodes[node->from[0]].place].array));
            operands[k].array = made;
        }
    }
    for (int n = 0; n < known; n++) { /* they are found again with all others */
        tn_array_release(s->places[n].shown);
        s->places[n].shown = NULL;
    }
    return TN_OK;
}

void tni_inputs_close(const tn_operand *operands, const tn_expression *e) {
    for (int k = 0; k < e->operand_count; k++)
        if (tni_node_is_derived(&e->nodes[e->operands[k]]))
            tn_array_release((tn_array *)(uintptr_t)operands[k].array);
}
