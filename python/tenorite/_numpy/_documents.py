"""Docstrings: what parameters of the same name mean in all chapters, once. A result is a new array
unless a docstring says otherwise.
"""

from tenorite._lib.documents import documenter

_PARAMETERS = {
    "a": ("ndarray", "The elements."),
    "ar1": ("ndarray", "The first set; it is flattened."),
    "ar2": ("ndarray", "The second set; it is flattened."),
    "arr": ("ndarray", "The elements."),
    "ary": ("ndarray", "The elements."),
    "arys": ("ndarray or scalar", "The arrays."),
    "assume_unique": ("bool", "Whether the elements of both are known to be unique, which saves time."),
    "axis": ("int", "The axis that the function works along."),
    "b": ("ndarray", "The other operand."),
    "dtype": ("dtype", "Of the result; what NumPy would choose if it is None."),
    "equal_nan": ("bool", "Whether NaN equals NaN."),
    "file": ("str, path or file object", "The file."),
    "indices": ("array_like of ints", "The positions."),
    "indices_or_sections": (
        "int or sequence of ints",
        "The number of equal parts, or the positions where the array is cut.",
    ),
    "k": ("int", "Which diagonal: 0 the main one, above it if positive, below it if negative."),
    "M": ("int", "The number of points."),
    "m": ("ndarray", "The elements."),
    "n": ("int", "The size."),
    "order": ("{'C', 'F', 'A', 'K'}", "The order of the elements: rows first, columns first, as in the array."),
    "p": ("array_like or poly1d", "The coefficients, that of the highest power first."),
    "subok": ("bool", "Whether subclasses of ndarray pass through."),
    "values": ("array_like", "The values; they broadcast."),
    "x": ("ndarray", "The elements."),
}

documented = documenter(
    _PARAMETERS, ("ndarray", "A new array."), raises={"axis": ("AxisError", "For an axis that the array has not.")}
)
