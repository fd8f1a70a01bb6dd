/* The words of cuComplex.h as those of complex<T>, for programs that ask for it. */
#ifndef TNI_KERNEL_CUCOMPLEX_H
#define TNI_KERNEL_CUCOMPLEX_H

#include <tenorite/linalg.h>

/* Lines that stand before a program, behind the definition of complex<T>. */
extern const char tni_cucomplex_text[];

#endif
