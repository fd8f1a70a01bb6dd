"""Docstrings: what parameters of the same name mean everywhere, once."""

from tenorite._lib.documents import documenter

_PARAMETERS = {
    "input": ("ndarray", "The image: an array of any number of axes."),
    "weights": ("array_like", "What the elements of a window are multiplied with: an array, or numbers of the host."),
    "axis": ("int, optional", "The axis along which the window lies; a negative one counts from the end."),
    "output": (
        "ndarray or dtype, optional",
        "The array that the result goes to, or the dtype of a new one; that of the input if it is None.",
    ),
    "mode": (
        "str or sequence of str, optional",
        "How the image goes on beyond its edges: 'reflect' (also 'grid-mirror'), 'constant' "
        "('grid-constant'), 'nearest', 'mirror' or 'wrap' ('grid-wrap'). A sequence, one for each axis, "
        "is taken where windows are separable.",
    ),
    "cval": ("scalar, optional", "The value beyond the edges in mode 'constant'."),
    "origin": ("int or sequence of int, optional", "Where the window lies: 0 is in its middle."),
    "axes": ("int or tuple of int, optional", "The axes over which windows extend; all of them if it is None."),
    "sigma": ("scalar or sequence of scalar", "The standard deviation of the Gaussian, for each axis."),
    "order": ("int or sequence of int, optional", "The derivative of the Gaussian; 0 is itself."),
    "truncate": ("float, optional", "After how many standard deviations the window ends."),
    "radius": ("int or sequence of int, optional", "The window's radius, in the place of `truncate`."),
    "size": ("int or sequence of int, optional", "The size of the window, for each axis."),
    "filter_size": ("int", "The size of the window."),
    "footprint": ("array_like, optional", "The shape of the window: an array whose true elements belong to it."),
    "rank": ("int", "Which element in ascending order is taken; -1 is the largest."),
    "percentile": ("scalar", "Which element in ascending order is taken, as a share of 100."),
    "structure": ("array_like, optional", "The structuring element; a negative origin moves it to the left."),
    "structure1": ("array_like, optional", "What has to be set around an element."),
    "structure2": ("array_like, optional", "What may not be set; the complement of `structure1` if it is None."),
    "origin1": ("int or sequence of int, optional", "Where `structure1` lies."),
    "origin2": ("int or sequence of int, optional", "Where `structure2` lies; as `origin1` if it is None."),
    "iterations": ("int, optional", "How often it is done; below 1: until nothing changes."),
    "mask": ("ndarray, optional", "Where it is not set elements stay as they are."),
    "border_value": ("int, optional", "The value beyond the edges, 0 or 1."),
    "brute_force": ("bool, optional", "Taken as SciPy's: the result is the same."),
    "derivative": ("callable", "``derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``."),
    "derivative2": (
        "callable",
        "``derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``.",
    ),
    "extra_arguments": ("sequence, optional", "Further arguments of the function."),
    "extra_keywords": ("dict, optional", "Further keyword arguments of the function."),
    "kwargs": ("object", "Further arguments of gaussian_filter."),
}

documented = documenter(
    _PARAMETERS,
    ("ndarray", "The result, of the input's shape; `output` where that is an array."),
    {
        "axis": ("AxisError", "For an axis that the image does not have."),
        "axes": ("ValueError", "For an axis that the image does not have."),
    },
)

# --- Measurements ---

_MEASURED = {
    "input": ("array_like", "The elements."),
    "center_of_mass.input": ("array_like", "The mass of each element."),
    "labels": ("array_like", "The label of each element; shapes are broadcast."),
    "labeled_comprehension.labels": ("array_like or None", "The label of each element; shapes are broadcast."),
    "index": (
        "int or sequence of int",
        "The labels that are asked for. By default all elements whose label is above 0 are one group, and without "
        "labels all elements.",
    ),
    "min": ("int or float", "Where the first bin begins."),
    "max": ("int or float", "Where the last bin ends."),
    "bins": ("int", "How many bins there are, of one width."),
    "func": ("callable", "Gets a vector of elements, and with `pass_positions` their places in order C."),
    "out_dtype": ("dtype", "Of the results; for `object` a list of what the function returns."),
    "default": ("object", "The result where no element has the label."),
    "pass_positions": ("bool", "Whether the function gets places, too."),
}
measured = documenter(_MEASURED, raises={"index": ("ValueError", "One group is asked for that has no element.")})

# --- Fourier transforms ---

_TRANSFORMED = {
    "input": ("ndarray", "The transform; of one to three axes for an ellipsoid."),
    "sigma": ("float or sequence", "The standard deviation, of all axes or of each."),
    "size": ("float or sequence", "The size of the box, or the diameter, along all axes or along each."),
    "shift": ("float or sequence", "How far it is shifted, along all axes or along each."),
    "n": ("int", "Not negative: `input` is the half of the transform of n real numbers, along `axis`."),
    "axis": ("int", "The axis of the real transform."),
    "output": (
        "ndarray or dtype",
        "The array that is written, or the dtype of a new one: complex64 or complex128; float32 and float64, too, "
        "where nothing is shifted.",
    ),
}
transformed = documenter(_TRANSFORMED, ("ndarray", "The product."))

# --- Interpolation ---

_BEYOND = "'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', 'grid-wrap' or 'wrap'."
_INTERPOLATED = {
    "input": ("ndarray", "The image; `rotate` takes two axes or more."),
    "map_coordinates.input": (
        "(N_1, ..., N_k) ndarray",
        "The image. Elements of at most 16 bits and float32 are computed with in float32, others in float64; "
        "coordinates always in float64.",
    ),
    "spline_filter.input": ("ndarray", "The elements; real and imaginary parts are filtered by themselves."),
    "spline_filter1d.input": ("ndarray", "The elements; real and imaginary parts are filtered by themselves."),
    "coordinates": (
        "(k, ...) ndarray",
        "Along the first axis the place along each axis of the image. Where one is NaN the result is `cval`.",
    ),
    "matrix": (
        "array_like",
        "Of shape (ndim, columns), columns being the axes of the result; (ndim,), the diagonal; or of homogeneous "
        "coordinates, (ndim + 1, ndim + 1) or (ndim, ndim + 1), which have the offset.",
    ),
    "offset": ("float or sequence", "The offset, of all axes or of each."),
    "mapping": (
        "callable",
        "Called with the index of an element of the result, a tuple of ints, it returns a tuple of the coordinates on "
        "`input`.",
    ),
    "extra_arguments": ("tuple", "More arguments of the mapping."),
    "extra_keywords": ("dict", "Arguments of the mapping by name."),
    "shift": ("float or sequence", "How far it is moved, along all axes or along each."),
    "zoom": ("float or sequence", "How much larger the result is, along all axes or along each."),
    "angle": ("float", "The angle in degrees."),
    "axes": ("tuple of two ints", "The plane."),
    "axis": ("int", "The axis of the lines; the last one if not given."),
    "reshape": ("bool", "Whether the result is large enough for all of the image, else of its shape."),
    "output_shape": ("tuple of ints", "The shape of the result; the output's or the image's if not given."),
    "output": (
        "ndarray or dtype",
        "The array that is written, or the dtype of a new one; the image's if not given. Integers are rounded.",
    ),
    "spline_filter.output": ("ndarray or dtype", "The array that is written, or the dtype of a new one."),
    "spline_filter1d.output": ("ndarray or dtype", "The array that is written, or the dtype of a new one."),
    "order": ("int", "The order of the spline through the elements, 0 to 5."),
    "spline_filter.order": ("int", "The order of the splines, 2 to 5."),
    "spline_filter1d.order": ("int", "The order of the splines, 2 to 5; 0 and 1 give the elements."),
    "mode": ("str", f"How the image goes on beyond its edges: {_BEYOND}"),
    "cval": (
        "scalar",
        "The value beyond the edges of 'constant' and 'grid-constant'; finite where the result is of integers.",
    ),
    "prefilter": ("bool", "Whether `input` has elements, else the coefficients of `spline_filter`."),
    "grid_mode": (
        "bool",
        "Whether the lengths that are zoomed include the halves of the elements at the ends, else reach from the "
        "middle of the first to that of the last.",
    ),
    "float64_coords": ("bool, optional", "CuPy's; coordinates are float64 either way."),
    "texture_memory": (
        "bool",
        "Arguments are limited to what CuPy's texture hardware takes: float32, two or three axes, order 0 or 1, a "
        "homogeneous matrix, 'constant' or 'nearest'. The result is computed as any other, to float32's accuracy "
        "instead of that hardware's 8 bits.",
    ),
}
interpolated = documenter(_INTERPOLATED)
