/* The programs of element-wise kernels, and what those of reductions begin with. */
#ifndef TNI_KERNEL_TEMPLATES_ELEMENTWISE_TEXT_H
#define TNI_KERNEL_TEMPLATES_ELEMENTWISE_TEXT_H

#include "kernel/source.h"
#include "kernel/templates/resolve.h"

/* The name of a dtype in a program. */
const char *tni_type_name(tn_dtype dtype);

/* Elements that a thread of a short kernel of one axis takes. */
enum { TNI_ELEMENTS_EACH = 4 };

/* The header of that name, the letters of dtypes, the preamble. */
void tni_write_head(tni_source *source, const tni_resolved *call, const char *header);
/* A text with line numbers of its own. */
void tni_write_text(tni_source *source, const tn_template *kernel, tni_template_text text);
/* The type of a parameter's argument, and its name; a member of a structure is not constant. */
void tni_write_declaration(tni_source *source, const tni_resolved *call, int k, bool is_const);
/* Parameters as arguments of a GPU's kernel, or read from the list of a function on host. */
void tni_write_parameters(tni_source *source, const tni_resolved *call);

/* The program: a kernel of the template's symbol; on host a function over ranges by that name. */
void tni_write_elementwise(tni_source *source, const tni_resolved *call);

#endif
