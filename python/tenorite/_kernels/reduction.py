"""ReductionKernel: one value of many elements, by a few expressions of C++, on a GPU and on the
host."""

from tenorite import _core
from tenorite._kernels import parameters
from tenorite.cuda._raw.attributes import attribute

__all__ = ["ReductionKernel"]


class ReductionKernel(_core._template, parameters.Described):
    """A kernel that maps elements, makes one value of them, and something of that.

    Parameters
    ----------
    in_params, out_params : str
        Inputs and outputs, as of :class:`ElementwiseKernel`.
    map_expr : str
        What an element is mapped to; inputs go by their names. ``_j`` is the number of the element
        where the reduced axes come first, ``_J`` its number among those of one output, ``_i`` the
        number of the output.
    reduce_expr : str
        What becomes of two values, `a` and `b`. In which order values meet is not said.
    post_map_expr : str
        What is made of the last value `a`, as ``"y = sqrt(a)"``.
    identity : str or None
        What comes of no elements, as ``"0"``; None or empty: there has to be an element.
    name : str, optional
        The kernel's name.
    reduce_type : str, optional
        The type of the values; the first output's if left out.
    reduce_dims : bool, optional
        Whether axes that lie side by side are made one.
    preamble : str, optional
        Lines before the kernel: functions, types, macros, includes.
    options : tuple of str, optional
        Options of the compiler.

    See Also
    --------
    ElementwiseKernel : An operation on every element.

    Notes
    -----
    A call is ``kernel(*inputs, *outputs, axis=None, keepdims=False, out=None, stream=None)``.
    Differs from CuPy: where there is no GPU the text is compiled by the host's C++ compiler and
    runs on all cores.

    Examples
    --------
    >>> norm = tenorite.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> x = tenorite.arange(10.0).reshape(2, 5)
    >>> norm(x, axis=1)
    array([ 5.47722558, 15.96871942])
    """

    map_expr = attribute("map_expr", "What is made of an element.")
    reduce_expr = attribute("reduce_expr", "What is made of two values, a and b.")
    post_map_expr = attribute("post_map_expr", "What is made of the last value.")
    identity = attribute("identity", "What a reduction of nothing gives.")
    reduce_type = attribute("reduce_type", "The type of the values between.")
    options = attribute("options", "Options of the compiler.")

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        options = parameters.texts(options, "options")
        identity = "" if identity is None else str(identity)
        self._start_reduction(
            in_params,
            out_params,
            map_expr,
            reduce_expr,
            post_map_expr,
            identity,
            name,
            reduce_type or "",
            preamble,
            options,
            not reduce_dims,
        )
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity, self.name, self.reduce_type, self.preamble = identity, name, reduce_type, preamble
        self.reduce_dims, self.options = reduce_dims, options
        self._in_text, self._out_text = in_params, out_params
        self._describe()

    def __reduce__(self):
        return ReductionKernel, (
            self._in_text,
            self._out_text,
            self.map_expr,
            self.reduce_expr,
            self.post_map_expr,
            self.identity,
            self.name,
            self.reduce_type,
            self.reduce_dims,
            self.preamble,
            self.options,
        )
