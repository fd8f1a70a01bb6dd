"""ElementwiseKernel: a few lines of C++ that run for every element, on a GPU and on the host."""

from tenorite import _core
from tenorite._kernels import parameters
from tenorite.cuda._raw.attributes import attribute

__all__ = ["ElementwiseKernel"]


class ElementwiseKernel(_core._template, parameters.Described):
    """A kernel that runs a few lines of C++ for every element.

    It is compiled for the dtypes of a call when they are first seen, for GPUs by NVRTC and for the
    host by the system's C++ compiler, and kept on disk. Arguments broadcast together as those of a
    ufunc.

    Parameters
    ----------
    in_params : str
        The inputs, as ``"float32 x, T y, raw T table"``. A type is a dtype's name, or one letter,
        which stands for any dtype: all parameters of the letter have the same, and the operation
        may use it as a type. A parameter that is ``raw`` is the whole array, which the operation
        indexes itself (``table[i]``).
    out_params : str
        The outputs.
    operation : str
        The lines. A parameter's name is its element; ``i`` is the number of the element, ``n`` is
        how many there are, ``_ind.get()[k]`` its place in axis k. ``continue`` ends the element.
    name : str, optional
        The kernel's name.
    reduce_dims : bool, optional
        Whether axes that lie side by side are made one, which is faster and shows in ``_ind``
        alone.
    preamble : str, optional
        Lines before the kernel: functions, macros, includes.
    no_return : bool, optional
        Whether a call returns None.
    return_tuple : bool, optional
        Whether a call returns a tuple where there is one output, too.
    options : tuple of str, optional
        Options of the compiler, as ``("-DN=4",)``.
    loop_prep : str, optional
        Lines before the loop over the elements of one thread.
    after_loop : str, optional
        Lines after that loop.

    See Also
    --------
    ReductionKernel : One value of many elements.
    RawKernel : A whole kernel.

    Notes
    -----
    A call ``kernel(*inputs, *outputs, size=None, block_size=128, stream=None)`` takes
    arrays and scalars, which get their parameter's dtype. Outputs that are not given are made.
    Where all arrays are raw, `size` says how many elements there are.
    Differs from CuPy: where there is no GPU the text is compiled by the host's C++ compiler and
    runs on all cores.

    Examples
    --------
    >>> squared_difference = tenorite.ElementwiseKernel(
    ...     "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    >>> x = tenorite.arange(6.0).reshape(2, 3)
    >>> squared_difference(x, 2)
    array([[4., 1., 0.],
           [1., 4., 9.]])
    >>> mirror = tenorite.ElementwiseKernel("raw T x", "T y", "y = x[n - 1 - i]", "mirror")
    >>> mirror(tenorite.arange(4), size=4)
    array([3, 2, 1, 0])
    """

    operation = attribute("operation", "The text for each element.")
    no_return = attribute("no_return", "Whether a call gives nothing back.")
    return_tuple = attribute("return_tuple", "Whether a call gives a tuple back for one output, too.")
    kwargs = attribute("kwargs", "Options of the compiler, and text around the loop.")

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        *,
        options=(),
        loop_prep="",
        after_loop="",
    ):
        options = parameters.texts(options, "options")
        self._start_elementwise(
            in_params,
            out_params,
            operation,
            name,
            preamble,
            loop_prep,
            after_loop,
            options,
            not reduce_dims,
            return_tuple,
            no_return,
        )
        self.operation, self.name, self.preamble = operation, name, preamble
        self.reduce_dims, self.no_return, self.return_tuple = reduce_dims, no_return, return_tuple
        self.kwargs = {"options": options, "loop_prep": loop_prep, "after_loop": after_loop}
        self._in_text, self._out_text = in_params, out_params
        self._describe()

    def __reduce__(self):
        return _make, (
            self._in_text,
            self._out_text,
            self.operation,
            self.name,
            self.reduce_dims,
            self.preamble,
            self.no_return,
            self.return_tuple,
            self.kwargs,
        )


def _make(in_params, out_params, operation, name, reduce_dims, preamble, no_return, return_tuple, kwargs):
    """A kernel of a pickle."""
    return ElementwiseKernel(
        in_params, out_params, operation, name, reduce_dims, preamble, no_return, return_tuple, **kwargs
    )
