/* Kernels that a program writes in CUDA C++, for GPUs and for the host from the same text. */
#ifndef TENORITE_KERNEL_H
#define TENORITE_KERNEL_H

#include <tenorite/elementwise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program: its text, or an image in a file. It is compiled for a device when it is first needed
 * there, and then found in the cache on disk. Programs with the same text and options are one on
 * each device, with one set of variables. */
typedef struct tn_module tn_module;
/* A __global__ function of a module. */
typedef struct tn_kernel tn_kernel;

typedef struct tn_module_source {
    const char *code; /* CUDA C++, NUL-terminated; NULL: `path` is given */
    const char *path; /* a cubin, a fatbin or PTX; for GPUs alone */
    int option_count, name_count;
    const char *const *options; /* of the compiler, as "-DN=4" */
    const char *const *names;   /* name expressions, as "scale<float>" */
    bool is_cooperative;        /* launches are: blocks may wait for each other */
    bool translates_cucomplex;  /* words of cuComplex.h mean complex<T> */
} tn_module_source;

/* An operation as text for programs: a function `name` of elements, and where there are two outputs
 * `name`_second. Equal names have equal texts, which begin with the #include that they need. */
typedef struct tn_op_text {
    char name[192], text[2048];
    tn_dtype loop[TN_MAX_OPERANDS]; /* of inputs and outputs */
} tn_op_text;

/* The loop that a call with these operands takes; statuses are those of tn_op_resolve(). */
TN_API tn_status tn_op_write(tn_op_text *result, tn_op op, const tn_operand *inputs, tn_dtype dtype,
                             tn_casting casting);

/* Whether a text includes headers of NVIDIA's package CCCL, as <cub/cub.cuh>, that do not come with
 * Tenorite; with `on_host`, those that the host has nothing for. */
TN_API bool tn_code_includes_cccl(const char *code, bool on_host);

/* The bytes of the first word, number, quote or mark of a text in C++ that lies from *at to `end`;
 * *at moves after it. 0: there is none. Comments are left out, and a directive's # is a mark. */
TN_API int64_t tn_code_next_token(const char **token, const char **at, const char *end);

/* Copies the source and compiles nothing. TN_ERROR_VALUE unless there is either code or a path. */
TN_API tn_status tn_module_new(tn_module **result, const tn_module_source *source);
TN_API tn_module *tn_module_retain(tn_module *module);
TN_API void tn_module_release(tn_module *module);

/* Compiles for a device what is not compiled yet, as every call below does that needs it.
 * TN_ERROR_COMPILE has the compiler's first words in its message. */
TN_API tn_status tn_module_compile(tn_module *module, tn_device device);
/* All that the compiler said to the calling thread last. Never NULL; valid until the thread
 * compiles again. */
TN_API const char *tn_module_log(void);

/* The address and size of a variable of the module (__device__, __constant__) on a device. */
TN_API tn_status tn_module_get_global(uintptr_t *address, int64_t *bytes, tn_module *module,
                                      const char *name, tn_device device);

/* A kernel of a module: by the name of an extern "C" function, or one of the name expressions. It
 * retains the module; whether the name is there is seen when the kernel is first used. */
TN_API tn_status tn_kernel_raw_new(tn_kernel **result, tn_module *module, const char *name);
TN_API tn_kernel *tn_kernel_retain(tn_kernel *kernel);
TN_API void tn_kernel_release(tn_kernel *kernel);

/* Whether a launch on the device would find the kernel compiled. */
TN_API bool tn_kernel_is_ready(const tn_kernel *kernel, tn_device device);

/* In the order of the driver's CUfunction_attribute. The last two can be set. */
typedef enum tn_kernel_attribute {
    TN_KERNEL_MAX_THREADS_PER_BLOCK,
    TN_KERNEL_SHARED_SIZE_BYTES,
    TN_KERNEL_CONST_SIZE_BYTES,
    TN_KERNEL_LOCAL_SIZE_BYTES,
    TN_KERNEL_NUM_REGS,
    TN_KERNEL_PTX_VERSION,
    TN_KERNEL_BINARY_VERSION,
    TN_KERNEL_CACHE_MODE_CA,
    TN_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    TN_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT,
    TN_KERNEL_ATTRIBUTE_COUNT
} tn_kernel_attribute;
/* What the host has no such thing of is 0 there. */
TN_API tn_status tn_kernel_get_attribute(int *value, tn_kernel *kernel,
                                         tn_kernel_attribute attribute, tn_device device);
TN_API tn_status tn_kernel_set_attribute(tn_kernel *kernel, tn_kernel_attribute attribute,
                                         int value, tn_device device);

/* How many blocks of so many threads a cooperative launch may have on a device. */
TN_API tn_status tn_kernel_get_resident_blocks(int64_t *blocks, tn_kernel *kernel, int threads,
                                               unsigned shared_bytes, tn_device device);

/* What a kernel is given: the address of an array's first element or a place in a buffer (strides
 * are not looked at), or the bytes of a value. One of the three. */
typedef struct tn_kernel_argument {
    const tn_array *array;
    const tn_buffer *buffer;
    int64_t offset; /* bytes in the buffer */
    const void *value;
    int64_t bytes; /* of the value */
    char kind;     /* of the value: p an address, i a whole number, f floating-point, s others */
} tn_kernel_argument;

/* Launches a kernel; an empty grid is nothing to do. Arrays are taken to be read and written, in
 * the order of the streams that use them. A launch does not wait, but on the host's default stream.
 * What a launch asks for that the device does not have is TN_ERROR_VALUE or TN_ERROR_DEVICE;
 * arguments that can't be the kernel's are TN_ERROR_TYPE where the device can tell (the host can).
 */
TN_API tn_status tn_kernel_launch(tn_kernel *kernel, const unsigned grid[3],
                                  const unsigned block[3], int count,
                                  const tn_kernel_argument *arguments, unsigned shared_bytes,
                                  tn_stream *stream);

/* --- Kernels for the types of a call --- */

/* A few lines of C++ that become a kernel for each set of dtypes, layouts and device that a call
 * has. Element-wise: the lines run for every element. Reductions: they say how an element is
 * mapped, how two values become one, and what is made of the last. */
typedef struct tn_template tn_template;

/* A parameter of its lists, "[raw] [_non_const] TYPE NAME". */
typedef struct tn_parameter {
    const char *name, *type; /* as written */
    tn_dtype dtype;          /* TN_DTYPE_NONE: the type is a letter, for any dtype */
    bool is_raw;             /* the whole array, not broadcast */
    bool is_const;           /* false for outputs, and for inputs that may be written */
} tn_parameter;

/* All texts are NUL-terminated and copied. NULL is an empty text, but for those of lists, of
 * `operation`, `map`, `reduce` and `name`. */
typedef struct tn_elementwise_source {
    const char *in_params, *out_params, *operation, *name;
    const char *preamble, *loop_prep, *after_loop;
    int option_count;
    const char *const *options; /* of the compiler */
    bool keeps_axes;            /* axes that lie side by side are not made one */
} tn_elementwise_source;

typedef struct tn_reduction_source {
    const char *in_params, *out_params, *map, *reduce, *post_map, *name;
    const char *identity;    /* what the sum of nothing is; NULL or empty: nothing is refused */
    const char *reduce_type; /* NULL or empty: the first output's */
    const char *preamble;
    int option_count;
    const char *const *options;
    bool keeps_axes;
} tn_reduction_source;

/* TN_ERROR_VALUE for parameters that can't be, shown with their place in the text, for a name that
 * is none of C++, and for texts with brackets that are not closed. Nothing is compiled. */
TN_API tn_status tn_kernel_elementwise_new(tn_template **result,
                                           const tn_elementwise_source *source);
TN_API tn_status tn_kernel_reduction_new(tn_template **result, const tn_reduction_source *source);
TN_API tn_template *tn_template_retain(tn_template *kernel);
TN_API void tn_template_release(tn_template *kernel);

/* The parameters, inputs first. They live as long as the template. */
TN_API const tn_parameter *tn_template_parameters(const tn_template *kernel, int *inputs,
                                                  int *outputs);

/* A call: operands for all inputs, or for all inputs and outputs. Scalars take the dtype of their
 * parameter. */
typedef struct tn_template_call {
    int count;
    const tn_operand *operands;
    int64_t size;        /* of a call whose arrays are all raw; -1: not given */
    unsigned block_size; /* threads of a block on GPUs; 0: 128 */
    int axis_count;      /* of a reduction; -1: all */
    const int *axes;
    bool keepdims;
    tn_stream *stream;
    /* Not NULL: where something has to be compiled the call does nothing, says so here, and fails
     * (TN_ERROR_COMPILE). */
    bool *is_missing;
} tn_template_call;

/* Compiles what is missing and launches. outputs[k] is a reference: the array that was given, or
 * a new one. Types that do not agree and numbers of operands are TN_ERROR_TYPE, shapes
 * TN_ERROR_VALUE, texts that do not compile TN_ERROR_COMPILE. */
TN_API tn_status tn_template_launch(tn_array **outputs, tn_template *kernel,
                                    const tn_template_call *call);

/* The text of a program that was made so far, with the dtypes that it is for ("float32,float32").
 * False: there are fewer. */
TN_API bool tn_template_get_code(const tn_template *kernel, int number, const char **dtypes,
                                 const char **code);

#ifdef __cplusplus
}
#endif
#endif
