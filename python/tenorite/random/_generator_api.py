"""Generator, as NumPy has it."""

import numpy

from tenorite import _core
from tenorite._numpy.indexing import take_along_axis
from tenorite.random import _drawings as drawings
from tenorite.random._arguments import check, shape_of
from tenorite.random._bit_generator import BitGenerator, Philox4x3210
from tenorite.random._choices import Choices
from tenorite.random._documents import described

__all__ = ["Generator", "default_rng"]


class Generator(Choices):
    """Draws from distributions, with the methods of ``numpy.random.Generator``.

    The numbers are the same on the host and on a GPU. They are not NumPy's.

    Parameters
    ----------
    bit_generator : BitGenerator
        Where its words come from.

    Notes
    -----
    Differs from NumPy: a seed gives other numbers.
    Differs from CuPy: a seed gives the same numbers on every device.

    Examples
    --------
    >>> import tenorite as cp
    >>> rng = cp.random.Generator(cp.random.Philox4x3210(7))
    >>> rng.integers(10, size=3).shape
    (3,)
    """

    def __init__(self, bit_generator):
        if isinstance(bit_generator, type):
            bit_generator = bit_generator()
        if not isinstance(bit_generator, BitGenerator):
            raise ValueError(f"bit_generator must be a BitGenerator, not {type(bit_generator).__name__}")
        super().__init__(bit_generator)

    _most_items = 10**9  # as NumPy's

    def __repr__(self):
        return f"Generator({type(self._bit_generator).__name__}) at {id(self):#x}"

    __str__ = __repr__

    @described("random(4)", out=True)
    def random(self, size=None, dtype=float, out=None):
        """Draw from the uniform distribution on [0, 1)."""
        return drawings.random(self._bit_generator, False, size, dtype, out)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        """Draw integers that are equally likely.

        Parameters
        ----------
        low : int or ndarray
            The least one; if `high` is None, 0 is the least and `low` stands for `high`.
        high : int or ndarray, optional
            The least that is too large.
        size : int or tuple of ints, optional
            Shape of the result. None: what the bounds broadcast to.
        dtype : dtype, optional
            Of the result: an integer, or bool.
        endpoint : bool, optional
            Whether `high` itself may come.

        Returns
        -------
        ndarray
            A new array.

        Raises
        ------
        ValueError
            If there is no such integer, or bounds that are ints leave the dtype.

        Examples
        --------
        >>> import tenorite as cp
        >>> bool((cp.random.default_rng(7).integers(3, size=100) < 3).all())
        True
        """
        return self._bounded(low, high, size, dtype, endpoint)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """Draw how many items of each color are in a sample without replacement.

        Hypergeometric numbers, a color after the other, of the items that are left to take.

        Parameters
        ----------
        colors : sequence of ints
            How many items of each color there are.
        nsample : int
            How many items are taken.
        size : int or tuple of ints, optional
            Shape of the result, without its last axis, the colors'.
        method : {'marginals', 'count'}, optional
            For NumPy's programs; the numbers are the same.

        Returns
        -------
        ndarray
            int64, of shape ``(*size, len(colors))``.

        Raises
        ------
        ValueError
            For numbers that are negative, or more items taken than there are.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.default_rng(7).multivariate_hypergeometric([3, 5, 2], 4).sum().item()
        4
        """
        colors = numpy.asarray(colors.get() if isinstance(colors, _core.ndarray) else colors)
        if method not in ("marginals", "count"):
            raise ValueError('method must be "count" or "marginals".')
        if nsample < 0:
            raise ValueError("nsample must be nonnegative.")
        if colors.ndim != 1 or colors.size and (colors.dtype.kind not in "iu" or colors.min() < 0):
            raise ValueError("colors must be a one-dimensional sequence of nonnegative integers")
        if nsample > int(colors.sum()):
            raise ValueError("nsample > sum(colors)")
        result = _core.empty((*shape_of(size, ()), colors.size), numpy.int64)
        return self._bit_generator._fill_parts(result, "hypergeometric", nsample, colors.tolist())

    def permuted(self, x, axis=None, out=None):
        """Put elements into a random order, each line along an axis into another one.

        Parameters
        ----------
        x : ndarray
            What to take elements of.
        axis : int, optional
            The axis of the lines; None: all elements are one line.
        out : ndarray, optional
            It is written instead of a new array; it may be `x`.

        Returns
        -------
        ndarray
            `out`, or a new array.

        Raises
        ------
        AxisError
            If `x` has no such axis.
        ValueError
            If `out` has another shape.
        TypeError
            If `x` is not cast to the dtype of `out` safely.

        Examples
        --------
        >>> import tenorite as cp
        >>> x = cp.arange(6).reshape(2, 3)
        >>> cp.random.default_rng(7).permuted(x, axis=1).sum(axis=1).tolist()
        [3, 12]
        """
        if out is not None:
            check(out.shape == x.shape, "out must have the same shape as x")
            if not _core._can_cast(x.dtype, out.dtype, "safe"):
                raise TypeError(
                    f"Cannot cast array data from {x.dtype!r} to {out.dtype!r} according to the rule 'safe'"
                )
        if axis is None:
            result = self.permutation(x.ravel()).reshape(x.shape)
        else:
            words = self._bit_generator._fill(_core.empty(x.shape, numpy.uint64), "words", None, 0, 0)
            result = take_along_axis(x, _core.argsort(words, axis=axis), axis=axis)
        if out is None:
            return result
        out[...] = result
        return out

    def spawn(self, n_children):
        """New generators whose numbers are independent of this one's.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generator
            Seeded by words of this one, which moves on.

        Examples
        --------
        >>> import tenorite as cp
        >>> len(cp.random.default_rng(7).spawn(2))
        2
        """
        return [Generator(child) for child in self._bit_generator.spawn(n_children)]


def default_rng(seed=None):
    """A Generator over Philox4x3210.

    Parameters
    ----------
    seed : int, sequence of ints, SeedSequence, BitGenerator, Generator or None
        A BitGenerator is drawn from, a Generator is given back as it is.

    Returns
    -------
    Generator
        Its numbers depend on the seed alone, not on the device.

    Notes
    -----
    Differs from NumPy: the generator of words is Philox4x3210, and a seed gives other numbers.
    Differs from CuPy: a seed gives the same numbers on every device.

    Examples
    --------
    >>> import tenorite as cp
    >>> bool(cp.random.default_rng(7).random() == cp.random.default_rng(7).random())
    True
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else Philox4x3210(seed))
