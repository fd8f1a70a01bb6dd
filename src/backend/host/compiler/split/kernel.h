/* A program's functions and macros, and the statements and variables of one kernel of it. */
#ifndef TNI_HOST_COMPILER_SPLIT_KERNEL_H
#define TNI_HOST_COMPILER_SPLIT_KERNEL_H

#include "kernel/tokens.h"

/* --- The program --- */

typedef struct tni_macro {
    tni_token name;
    tni_tokens body;    /* of its own text */
    bool has_arguments; /* it is called like a function */
    bool is_plain;      /* its body is an expression that changes nothing */
} tni_macro;

typedef struct tni_function {
    tni_token name;
    int open, close, body, end; /* its parentheses, its braces */
    bool is_kernel, meets, has_references;
} tni_function;

typedef struct tni_split_program {
    tni_tokens tokens;
    tni_macro *macros;
    int macro_count;
    tni_function *functions;
    int function_count;
    bool *is_inside;   /* a token: within a function's braces */
    bool *is_constant; /* a token outside: of a declaration of a constant, type or template */
} tni_split_program;

/* --- A kernel --- */

typedef enum {
    TNI_BLOCK,
    TNI_IF,
    TNI_FOR,
    TNI_WHILE,
    TNI_DO,
    TNI_BARRIER,
    TNI_DECLARATION,
    TNI_FIXED, /* of the block: shared and static variables, types */
    TNI_EXPRESSION,
    TNI_RETURN,
    TNI_LEAVE /* break, continue */
} tni_statement_kind;

typedef struct tni_statement {
    tni_statement_kind kind;
    int first, end;         /* tokens; `end` is after the last */
    int head, head_end;     /* between the parentheses */
    int child, other, next; /* statements; -1 */
    bool has_barrier, has_return;
    bool is_piece;     /* one of several variables that are declared together */
    bool is_divergent; /* not all threads come here together, or stay */
} tni_statement;

typedef enum { TNI_UNIFORM, TNI_REPEATED, TNI_PRIVATE } tni_local_class;

typedef struct tni_local {
    int name;           /* token */
    int type, type_end; /* tokens of its type, without the declarator */
    int first, end;     /* tokens of the declarator with its initial value */
    int value;          /* token after the "=", or of the bracket that has it; -1 */
    int statement;      /* that declares it; -1: a parameter */
    tni_local_class class;
    bool is_parameter, is_shared, is_array, is_pointer, is_reference, is_auto;
    bool is_divergent, is_changed, has_address;
    bool is_hoisted; /* it is kept from one loop over the threads to another */
} tni_local;

/* Tokens of statements that one loop over the threads runs. */
typedef struct tni_span {
    int first, end;
} tni_span;

typedef struct tni_split_kernel {
    const tni_split_program *program;
    const tni_function *function;
    tni_token *tokens; /* the program's */
    tni_statement *statements;
    int statement_count, statement_capacity;
    tni_local *locals;
    int local_count, local_capacity;
    int *scope; /* the locals that are visible, the innermost last */
    int scope_count, scope_capacity;
    int body; /* the statement */
    tni_span *regions;
    int region_count, region_capacity;
    bool has_gone; /* some threads may return before others */
    bool has_failed;
} tni_split_kernel;

#endif
