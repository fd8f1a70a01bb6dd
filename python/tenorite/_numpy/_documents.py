"""Docstrings: what parameters of the same name mean in all chapters, once. A result is a new array
unless a docstring says otherwise.
"""

from tenorite._lib.documents import documenter

_PARAMETERS = {
    "a": ("ndarray", "The elements."),
    "a1": ("array_like", "The first operand."),
    "a2": ("array_like", "The second operand."),
    "ar1": ("ndarray", "The first set; it is flattened."),
    "ar2": ("ndarray", "The second set; it is flattened."),
    "arr": ("ndarray", "The elements."),
    "array": ("ndarray", "The elements."),
    "ary": ("ndarray", "The elements."),
    "arys": ("ndarray or scalar", "The arrays."),
    "assume_unique": ("bool", "Whether the elements of both are known to be unique, which saves time."),
    "atol": ("float", "The absolute tolerance."),
    "axis": ("int", "The axis that the function works along."),
    "b": ("ndarray", "The other operand."),
    "casting": ("{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}", "Which conversions are allowed."),
    "copy": ("bool", "True: always a copy; None: only where one is needed; False: ValueError where one is needed."),
    "device": ("Device or int", "Where the array is made; the current device if it is None."),
    "dtype": ("dtype", "Of the result; what NumPy would choose if it is None."),
    "endpoint": ("bool", "Whether `stop` is the last value."),
    "equal_nan": ("bool", "Whether NaN equals NaN."),
    "file": ("str, path or file object", "The file."),
    "indices": ("array_like of ints", "The positions."),
    "indices_or_sections": (
        "int or sequence of ints",
        "The number of equal parts, or the positions where the array is cut.",
    ),
    "invert": ("bool", "Whether the answers are negated."),
    "k": ("int", "Which diagonal: 0 the main one, above it if positive, below it if negative."),
    "M": ("int", "The number of points."),
    "m": ("ndarray", "The elements."),
    "mask": ("ndarray of bool", "Which elements."),
    "max_work": ("int", "Accepted as NumPy has it; the answer is exact for memory, not for elements."),
    "mode": (
        "{'raise', 'wrap', 'clip'}",
        "What happens to indexes out of bounds: IndexError, modulo the size, or the nearest one.",
    ),
    "n": ("int", "The size."),
    "obj": ("int, slice or ndarray", "The positions along the axis."),
    "order": ("{'C', 'F', 'A', 'K'}", "The order of the elements: rows first, columns first, as in the array."),
    "out": ("ndarray", "An array of the result's shape that is written and returned."),
    "p": ("array_like or poly1d", "The coefficients, that of the highest power first."),
    "q": ("float or sequence of float", "Shares from 0 to 1."),
    "rowvar": ("bool", "Whether a row is a variable, else a column."),
    "rtol": ("float", "The relative tolerance."),
    "shape": ("tuple of ints", "The sizes of the axes."),
    "subok": ("bool", "Whether subclasses of ndarray pass through."),
    "tup": ("sequence of ndarrays", "The arrays."),
    "values": ("array_like", "The values; they broadcast."),
    "y": ("ndarray", "More of them."),
}

documented = documenter(
    _PARAMETERS, ("ndarray", "A new array."), raises={"axis": ("AxisError", "For an axis that the array has not.")}
)
