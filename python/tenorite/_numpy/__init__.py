"""NumPy's functions that are compositions: a file for each chapter of NumPy's reference.

CONTENTS is the one list of the names and of their chapters. A chapter is imported when one of its
names is first used. A new chapter (sorting, sets, polynomials, ...) is a file and an entry here.
What is a single operation or a form of the core (add, sum, take, concatenate, dot, ...) needs no
composition; it comes from the extension.

What it may import stands in tools/check_imports.py: never what an ndarray is made of (`_array`).
"""

import importlib

CONTENTS = {
    "calculus": "ediff1d gradient trapezoid unwrap",
    "creation": "asarray_chkfinite astype copy diag diagflat fromDlpack from_dlpack geomspace logspace require tri "
    "tril triu vander",
    "dtypes": "can_cast common_type finfo make_aligned_dtype min_scalar_type promote_types result_type",
    "einsum": "einsum einsum_path",
    "floating_errors": "errstate seterr",
    "functional": "apply_along_axis apply_over_axes piecewise",
    "grids": "c_ diag_indices diag_indices_from fromfunction indices ix_ mask_indices meshgrid mgrid ogrid r_ "
    "ravel_multi_index tril_indices tril_indices_from triu_indices triu_indices_from unravel_index",
    "histograms": "histogram histogram2d histogram_bin_edges histogramdd",
    "indexing": "choose diagonal fill_diagonal ndenumerate place put_along_axis putmask select take_along_axis where",
    "io": "fromfile fromiter fromregex fromstring genfromtxt load loadtxt save savetxt savez savez_compressed",
    "iteration": "nditer nested_iters",
    "joining": "append array_split block column_stack delete dsplit dstack hsplit insert row_stack split trim_zeros "
    "unstack vsplit",
    "legacy": "DataSource Inf Infinity NAN NINF NZERO NaN PINF PZERO alltrue asfarray byte_bounds cfloat complex_ "
    "cumproduct disp find_common_type float_ format_parser get_array_wrap infty issctype issubclass_ "
    "issubsctype obj2sctype product safe_eval sctype2char set_string_function singlecomplex sometrue "
    "trapz who",
    "linear_algebra": "cross kron",
    "logic": "allclose array_equal array_equiv isclose iscomplexobj isfortran isrealobj isscalar may_share_memory "
    "shares_memory",
    "mathematics": "angle around clip fix imag nan_to_num real real_if_close round round_",
    "padding": "pad",
    "polynomials": "poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "printing": "array2string array_repr array_str base_repr binary_repr format_float_positional "
    "format_float_scientific",
    "quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
    "rearranging": "flip fliplr flipud matrix_transpose moveaxis permute_dims roll rollaxis rot90 swapaxes transpose",
    "repetition": "copyto repeat resize tile",
    "searching": "digitize",
    "sets": "in1d intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse "
    "unique_values",
    "shapes": "atleast_1d atleast_2d atleast_3d broadcast broadcast_arrays broadcast_to expand_dims ndim ravel reshape "
    "shape size squeeze",
    "signals": "convolve correlate interp",
    "sorting": "lexsort msort sort_complex top_k",
    "statistics": "corrcoef cov",
    "windows": "bartlett blackman hamming hanning kaiser",
}

# Objects of NumPy that serve as they are. seterrcall and its kin are about NumPy's warnings; our
# operations never warn.
OF_NUMPY = """
    False_ True_ datetime64 datetime_as_string datetime_data timedelta64 void
    busday_count busday_offset busdaycalendar is_busday character flexible
    e euler_gamma inf nan newaxis pi
    bytes_ clongdouble longdouble memmap object_ str_
    bool bool_ byte cdouble complex64 complex128 complexfloating csingle double dtype float16 float32 float64 floating
    generic half iinfo inexact int8 int16 int32 int64 int_ intc integer intp isdtype issubdtype long longlong number
    short signedinteger single ubyte uint uint8 uint16 uint32 uint64 uintc uintp ulong ulonglong unsignedinteger ushort
    ScalarType mintypecode sctypeDict typecodes typename
    dtypes get_include getbufsize info little_endian setbufsize show_runtime
    get_printoptions printoptions set_printoptions
    broadcast_shapes geterr geterrcall index_exp iterable ndindex s_ seterrcall
""".split()


def read(chapter):
    """{name: object} of a chapter. Its functions say that they are tenorite's: pickles, which name
    the module of a function, then do not depend on the chapter."""
    module = importlib.import_module(f"tenorite._numpy.{chapter}")
    found = {name: getattr(module, name) for name in CONTENTS[chapter].split()}
    for one in found.values():
        # Another chapter's, too.
        if (getattr(one, "__module__", None) or "").startswith("tenorite._numpy."):
            one.__module__ = "tenorite"
    return found
