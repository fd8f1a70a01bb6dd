"""Docstrings: what parameters of the same name mean in all classes of sparse matrices, once."""

from tenorite._lib.documents import documenter

documented = documenter(
    {
        "copy": ("bool", "Whether given arrays are copied."),
        "dtype": ("dtype", ""),
        "maxprint": ("int", "How many elements are printed at most."),
        "shape": ("tuple of int", ""),
        "x": ("object", ""),
    }
)
