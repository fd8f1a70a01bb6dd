/* Explanations: what runs when an expression is evaluated, what that costs, and why its graph was
 * cut where it was. */
#ifndef TENORITE_EXPLAIN_H
#define TENORITE_EXPLAIN_H

#include <tenorite/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a group is computed as. */
typedef enum tn_group_form {
    TN_GROUP_ELEMENTWISE, /* operations over one shape */
    TN_GROUP_FOLD,        /* a reduction, and operations that it alone reads */
    TN_GROUP_ROWS,        /* operations over rows, and reductions of these among them */
    TN_GROUP_COPY         /* elements that are moved: into an array that is stored to, or aside */
} tn_group_form;

/* "elementwise", "fold", "rows", "copy"; "?" for any other number. */
TN_API const char *tn_group_form_name(tn_group_form form);

/* An operation or a reduction of the tables, or the conversion "copy". */
typedef struct tn_explained_operation {
    const char *name; /* as tn_op_name() and tn_reduction_name() have it */
    tn_dtype dtype;   /* of what it makes */
} tn_explained_operation;

/* What runs together. The pointers are valid as long as the explanation. */
typedef struct tn_explained_group {
    tn_group_form form;
    int operation_count; /* in the order in which they are computed; of a copy 0 */
    const tn_explained_operation *operations;
    int launches;       /* of kernels; on the host, of calls that pass over the arrays */
    int registers;      /* of a thread, the most of the group's kernels; on the host 0 */
    int64_t bytes_read; /* of the arrays that it reads, each element once */
    int64_t bytes_written;
    int ndim; /* of what its operations are computed over; of a fold, of what is folded */
    const int64_t *shape;
    const char *why; /* a sentence: why the group begins where it does */
} tn_explained_group;

/* What launches and arrays cost. */
typedef struct tn_explained_cost {
    int launches;
    int64_t bytes_read, bytes_written;
} tn_explained_cost;

typedef struct tn_explanation tn_explanation;

/* Explains an evaluation with these operands, by doing it: twice, so that kernels are compiled when
 * launches are counted, and waiting for the stream. Arrays that are stored to have their contents
 * back afterwards; other streams and threads may see them changed meanwhile. Launches that another
 * thread makes on the stream are counted, too. Fails as tn_expression_evaluate() does, and with
 * TN_ERROR_RUNTIME while the stream is captured. */
TN_API tn_status tn_expression_explain(tn_explanation **result, const tn_expression *expression,
                                       const tn_operand *operands, tn_stream *stream);
TN_API void tn_explanation_release(tn_explanation *explanation); /* NULL is allowed */

/* The groups in the order in which they run; NULL beyond the last. */
TN_API int tn_explanation_group_count(const tn_explanation *explanation);
TN_API const tn_explained_group *tn_explanation_group(const tn_explanation *explanation, int group);
/* All groups together; and the same operations and reductions one by one, each a launch that reads
 * and writes arrays. A conversion is part of what reads it there. */
TN_API tn_explained_cost tn_explanation_cost(const tn_explanation *explanation);
TN_API tn_explained_cost tn_explanation_unfused_cost(const tn_explanation *explanation);
/* All of it as lines of text, valid as long as the explanation. */
TN_API const char *tn_explanation_text(const tn_explanation *explanation);

#ifdef __cplusplus
}
#endif
#endif
