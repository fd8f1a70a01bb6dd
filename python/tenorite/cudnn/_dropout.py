"""Dropout of arrays, and the generator's states."""

import warnings

from tenorite import _core, cuda
from tenorite._arguments import beside
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn import dropout
from tenorite.cuda._raw.dnn.descriptors import REGISTRY
from tenorite.cudnn._descriptors import Descriptor, get_data_type, get_handle

__all__ = ["DropoutStates", "create_dropout_descriptor", "create_dropout_states", "set_dropout_descriptor"]


def create_dropout_descriptor(handle, dropout, states, state_size_in_bytes, seed):
    """A descriptor of dropout, whose generator begins anew.

    Parameters
    ----------
    handle : int
        A handle of cuDNN, as :func:`get_handle` gives one.
    dropout : float
        The share of elements that become 0.
    states : int
        The address of the generator's states in the device's memory, or 0: there is none.
    state_size_in_bytes : int
        How much memory lies there, at least ``cuda.cudnn.dropoutGetStatesSize(handle)``.
    seed : int
        What the generator begins with.

    Returns
    -------
    Descriptor
        It does not keep the memory of the states.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> states = tn.empty(16, "int8")
    >>> desc = cudnn.create_dropout_descriptor(cudnn.get_handle(), 0.5, states.data.ptr, 16, seed=1)
    """
    made = Descriptor(cudnn.createDropoutDescriptor(), cudnn.destroyDropoutDescriptor)
    cudnn.setDropoutDescriptor(made.value, handle, dropout, states, state_size_in_bytes, seed)
    return made


def set_dropout_descriptor(desc, handle, dropout):
    """Sets the share of elements that become 0; the generator goes on.

    Parameters
    ----------
    desc : Descriptor
        Of dropout.
    handle : int
        A handle of cuDNN.
    dropout : float
        From 0 to 1.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> desc = cudnn.create_dropout_descriptor(cudnn.get_handle(), 0.5, 0, 0, 0)
    >>> cudnn.set_dropout_descriptor(desc, cudnn.get_handle(), 0.25)
    """
    cudnn.setDropoutDescriptor(desc.value, handle, dropout, 0, 0, 0)


def create_dropout_states(handle):
    """Memory for the states of a generator; :class:`DropoutStates` has its own.

    Parameters
    ----------
    handle : int
        A handle of cuDNN.

    Returns
    -------
    1-d ndarray of int8
        Its elements are not set.

    Warns
    -----
    DeprecationWarning
        Always, as in CuPy.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     cudnn.create_dropout_states(cudnn.get_handle()).dtype
    dtype('int8')
    """
    warnings.warn(
        "create_dropout_states is deprecated.Please use DropoutStates class instead.", DeprecationWarning, stacklevel=2
    )
    return _core.ndarray((cudnn.dropoutGetStatesSize(handle),), "b")


class DropoutStates:
    """Dropout with a generator of its own: equal seeds give equal masks, on every device.

    Parameters
    ----------
    handle : int or None
        A handle of cuDNN; None: the thread's.
    seed : int
        What the generator begins with.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> states = cudnn.DropoutStates(None, seed=0)
    >>> kept, y = states.forward(None, tn.ones((2, 8), "f"), 0.5)
    >>> sorted(set(y.ravel().tolist()))
    [0.0, 2.0]
    >>> dx = states.backward(None, tn.ones((2, 8), "f"), 0.5, kept)
    >>> bool((dx == y).all())
    True
    """

    def __init__(self, handle, seed):
        handle = get_handle() if handle is None else handle
        size = cudnn.dropoutGetStatesSize(handle)
        self._states = cuda.alloc(size)
        self._desc = create_dropout_descriptor(handle, 0.0, self._states.ptr, size, seed)

    def set_dropout_ratio(self, dropout_ratio):
        """Sets the share of elements that become 0, also between the layers of an RNN.

        Parameters
        ----------
        dropout_ratio : float
            From 0 to 1.

        Examples
        --------
        >>> from tenorite import cudnn
        >>> cudnn.DropoutStates(None, seed=0).set_dropout_ratio(0.5)
        """
        set_dropout_descriptor(self._desc, get_handle(), dropout_ratio)

    def _described(self, handle, ratio):
        set_dropout_descriptor(self._desc, get_handle() if handle is None else handle, ratio)
        return REGISTRY.find(self._desc.value, dropout.Dropout)

    def forward(self, handle, x, dropout_ratio):
        """Drops elements by chance, and divides the others by what is not dropped.

        Parameters
        ----------
        handle : int or None
            A handle of cuDNN; None: the thread's.
        x : ndarray
            Of float16, float32, float64 or bfloat16.
        dropout_ratio : float
            From 0 to 1.

        Returns
        -------
        reserve_space : 1-d ndarray of int8
            1 for each element that remains; :meth:`backward` needs it.
        y : ndarray
            Of x's shape and dtype, new.
        """
        described = self._described(handle, dropout_ratio)
        return _forward(x, described)

    def backward(self, handle, dy, dropout_ratio, reserve_space):
        """The gradient by what :meth:`forward` was given.

        Parameters
        ----------
        handle : int or None
            A handle of cuDNN; None: the thread's.
        dy : ndarray
            The gradient by its result.
        dropout_ratio : float
            As it was given there.
        reserve_space : 1-d ndarray of int8
            What it returned.

        Returns
        -------
        ndarray
            Of dy's shape and dtype, new.

        Raises
        ------
        ValueError
            The reserve space is of another size.
        """
        described = self._described(handle, dropout_ratio)
        get_data_type(dy.dtype)
        if reserve_space.size != dy.size:
            raise ValueError(f"reserve_space has {reserve_space.size} elements, dy {dy.size}")
        return _backward(dy, reserve_space.view("bool").reshape(dy.shape), described)


@beside
def _forward(x, described):
    get_data_type(x.dtype)
    keeps = dropout.draw(described.array(), x.shape, described.ratio)
    return keeps.view("int8").ravel(), _backward(x, keeps, described)


@beside
def _backward(dy, keeps, described):
    made = _core.ndarray(dy.shape, dy.dtype)
    described.apply(dy, keeps, made)
    return made
