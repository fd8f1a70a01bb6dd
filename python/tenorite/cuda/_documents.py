"""Docstrings: what parameters of compilers, and of kernels of a program's own text, mean, once."""

from tenorite._lib.documents import documenter

_PARAMETERS = {
    "arch": ("str", "The architecture, as '90': the current GPU's if left out."),
    "args": ("tuple", "The kernel's arguments."),
    "backend": ("{'nvrtc', 'nvcc'}", "Which compiler of CUDA; the host has the system's in both cases."),
    "block": ("tuple of int", "How many threads a block has, in one to three dimensions."),
    "block_max_size": ("int", "How many threads a block has at most."),
    "enable_cooperative_groups": ("bool", "Whether blocks may wait for each other."),
    "filename": ("str", "The name of the text in messages."),
    "grid": ("tuple of int", "How many blocks, in one to three dimensions."),
    "jitify": ("bool", "Ignored."),
    "log_stream": ("file", "Where the compiler's words are written."),
    "name_expressions": ("sequence of str", "Names of templates' instances."),
    "options": ("tuple of str", "Options of the compiler."),
    "shared_mem": ("int", "Bytes of dynamic shared memory of a block."),
    "source": ("str", "The text, CUDA C++."),
    "stream": ("Stream", "The stream to launch on; the current one if left out."),
    "translate_cucomplex": ("bool", "Whether the types and functions of ``cuComplex.h`` mean ``complex<T>``."),
}

documented = documenter(_PARAMETERS)
