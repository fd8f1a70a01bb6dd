"""Generators of random words: a seed, a position, and the words that follow from the two."""

import numpy

from tenorite import _core

_WORD = (1 << 64) - 1


def _seed_of(seed):
    """An int below 2**64 is taken as it is; anything else that NumPy takes as a seed is hashed."""
    if isinstance(seed, numpy.ndarray) and seed.dtype.kind not in "iu":
        raise TypeError(f"a seed must be made of integers, not of {seed.dtype}")
    if isinstance(seed, _core.ndarray):
        seed = seed.get()
    if isinstance(seed, (int, numpy.integer, numpy.bool)):
        seed = int(seed)
        if seed < 0:
            raise ValueError(f"seed must be non-negative, not {seed}")
        if seed <= _WORD:
            return seed
    if not isinstance(seed, numpy.random.SeedSequence):
        seed = numpy.random.SeedSequence(seed)
    return int(seed.generate_state(1, numpy.uint64)[0])


class BitGenerator(_core._Words):
    """What the generators of random words have in common; use one of its subclasses.

    Parameters
    ----------
    seed : int, sequence of ints, numpy.random.SeedSequence or None
        An int below 2**64 is the generator's key. Anything longer is hashed to one. None: the
        operating system's entropy.

    Examples
    --------
    >>> import tenorite as cp
    >>> isinstance(cp.random.Philox4x3210(7), cp.random.BitGenerator)
    True
    """

    _sequence = None

    def __init__(self, seed=None):
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class: use Philox4x3210, XORWOW or MRG32k3a")
        self._seed = _seed_of(seed)
        if isinstance(seed, numpy.random.SeedSequence):
            self._sequence = seed
        self._position = 0

    def __repr__(self):
        return f"<{type(self).__name__} at position {self._position}>"

    @property
    def _seed_seq(self):
        """The seeds that generators of parts of the work get; Dask asks for them by this name."""
        if self._sequence is None:
            self._sequence = numpy.random.SeedSequence(self._seed)
        return self._sequence

    def _lanes_beside(self, result):
        """The states, where there are any."""
        return None

    def random_raw(self, size=None):
        """Random words.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; None: one word, as a 0-d array.

        Returns
        -------
        ndarray
            Words of 32 bits (uint32), each equally likely.

        Examples
        --------
        >>> from tenorite.random import Philox4x3210
        >>> Philox4x3210(7).random_raw(3).dtype
        dtype('uint32')
        """
        return self._fill(_core.empty(() if size is None else size, numpy.uint32), "words", None, 0, 0)

    @property
    def state(self):
        """The state as a dict, which can be kept, and set again.

        Examples
        --------
        >>> from tenorite.random import Philox4x3210
        >>> bits = Philox4x3210(7)
        >>> kept = bits.state
        >>> first = bits.random_raw(2)
        >>> bits.state = kept
        >>> bool((bits.random_raw(2) == first).all())
        True
        """
        return {"bit_generator": type(self).__name__, "state": {"seed": self._seed, "position": self._position}}

    @state.setter
    def state(self, state):
        name = type(self).__name__
        if not isinstance(state, dict) or state.get("bit_generator") != name:
            raise ValueError(f"state must be the state of a {name}")
        self._restart(int(state["state"]["seed"]) & _WORD, int(state["state"]["position"]) & _WORD)

    def __getstate__(self):
        return self.state

    def __setstate__(self, state):
        self.state = state

    def spawn(self, n_children):
        """New generators whose numbers are independent of this one's, and of each other's.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of BitGenerator
            Seeded by words of this one, which moves on.

        Examples
        --------
        >>> from tenorite.random import Philox4x3210
        >>> len(Philox4x3210(7).spawn(3))
        3
        """
        words = self._fill(_core.empty(n_children, numpy.uint64), "words", None, 0, 0)
        return [type(self)(word) for word in words.tolist()]


class Philox4x3210(BitGenerator):
    """Philox 4x32-10, a counter-based generator (Salmon, Moraes, Dror and Shaw, 2011).

    Word n is a function of the seed and of n, so any number of threads, and any device, make the
    same numbers. They are those of cuRAND's generator of that name.

    Parameters
    ----------
    seed : int, sequence of ints, numpy.random.SeedSequence or None
        An int below 2**64 is the key. Anything longer is hashed to one. None: the operating
        system's entropy.

    Examples
    --------
    >>> import tenorite as cp
    >>> rng = cp.random.Generator(cp.random.Philox4x3210(42))
    >>> rng.random(3, dtype="float32").dtype
    dtype('float32')
    """

    _kind = "Philox4x3210"

    def jumped(self, jumps=1):
        """A generator far after this one.

        Parameters
        ----------
        jumps : int
            How many times 2**48 blocks of four words to skip.

        Returns
        -------
        Philox4x3210
            A new one of the same seed.

        Examples
        --------
        >>> from tenorite.random import Philox4x3210
        >>> bits = Philox4x3210(7)
        >>> bool(bits.jumped().random_raw() == bits.random_raw())
        False
        """
        other = type(self)(self._seed)
        other._position = (self._position + (int(jumps) << 48)) & _WORD
        return other


def _lanes_of(states, device):
    """The states of lanes, given as bytes, on a device, or the current one."""
    return _core.array(numpy.frombuffer(states, numpy.uint32).reshape(6, -1), device=device)


class _OfLanes(BitGenerator):
    """A generator that keeps the states of 16384 sequences, which take turns at elements."""

    _lanes = None  # until the first call

    def _lanes_beside(self, result):
        """The states on the result's device; they move if they were on another one."""
        if self._lanes is None:
            self._lanes = _lanes_of(_core._random_lanes(self._kind, self._seed), result.device)
        elif self._lanes.device != result.device:
            self._lanes = self._lanes.to_device(result.device)
        return self._lanes

    def jumped(self, jumps=1):
        """A generator far after this one.

        Parameters
        ----------
        jumps : int
            How many times 16384 sequences to skip.

        Returns
        -------
        BitGenerator
            A new one of the same kind.

        Examples
        --------
        >>> from tenorite.random import XORWOW
        >>> bits = XORWOW(7)
        >>> bool(bits.jumped().random_raw() == bits.random_raw())
        False
        """
        if not 0 <= jumps <= _WORD:
            raise ValueError(f"jumps must be at least 0 and below 2**64, not {jumps}")
        with self.lock:
            lanes = self._lanes
            states = _core._random_lanes(self._kind, self._seed) if lanes is None else lanes.get().tobytes()
        other = type(self)(self._seed)
        other._lanes = _lanes_of(_core._random_jumped(self._kind, states, int(jumps)), None)
        return other

    @property
    def state(self):
        """The state as a dict, which can be kept, and set again.

        Examples
        --------
        >>> from tenorite.random import XORWOW
        >>> bits = XORWOW(7)
        >>> kept = bits.state
        >>> first = bits.random_raw(2)
        >>> bits.state = kept
        >>> bool((bits.random_raw(2) == first).all())
        True
        """
        lanes = None if self._lanes is None else self._lanes.get()
        return {"bit_generator": type(self).__name__, "state": {"seed": self._seed, "lanes": lanes}}

    @state.setter
    def state(self, state):
        name = type(self).__name__
        if not isinstance(state, dict) or state.get("bit_generator") != name:
            raise ValueError(f"state must be the state of a {name}")
        lanes = state["state"]["lanes"]
        if lanes is not None and (lanes.shape != (6, 16384) or lanes.dtype != numpy.uint32):
            found = f"{lanes.dtype} of {lanes.shape}"
            raise ValueError(f"the lanes of a {name} are uint32 of shape (6, 16384), not {found}")
        with self.lock:
            self._seed = int(state["state"]["seed"]) & _WORD
            self._position = 0
            self._lanes = None if lanes is None else _core.array(lanes)


class XORWOW(_OfLanes):
    """XORWOW (Marsaglia, 2003), with cuRAND's seeds and sequences, which are 2**67 words apart.

    Word i of a call is the next one of sequence i modulo 16384.

    Parameters
    ----------
    seed : int, sequence of ints, numpy.random.SeedSequence or None
        An int below 2**64 is the seed. Anything longer is hashed to one. None: the operating
        system's entropy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.Generator(cp.random.XORWOW(42)).random(3).shape
    (3,)
    """

    _kind = "XORWOW"


class MRG32k3a(_OfLanes):
    """MRG32k3a (L'Ecuyer, 1999), with cuRAND's seeds and sequences, which are 2**76 words apart.

    Word i of a call is the next one of sequence i modulo 16384.

    Parameters
    ----------
    seed : int, sequence of ints, numpy.random.SeedSequence or None
        An int below 2**64 is the seed. Anything longer is hashed to one. None: the operating
        system's entropy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.Generator(cp.random.MRG32k3a(42)).random(3).shape
    (3,)
    """

    _kind = "MRG32k3a"
