"""Random numbers: generators, distributions, and functions that draw from the current device's
state. The same seed gives the same numbers on the host and on a GPU."""

from numpy.random import SeedSequence

from tenorite.random import _distributions, _sample
from tenorite.random._bit_generator import XORWOW, BitGenerator, MRG32k3a, Philox4x3210
from tenorite.random._generator import (
    RandomState,
    get_random_state,
    get_state,
    reset_states,
    seed,
    set_random_state,
    set_state,
)
from tenorite.random._generator_api import Generator, default_rng

_FUNCTIONS = [*_distributions.NAMES, *_sample.NAMES]
globals().update({name: getattr(_distributions, name) for name in _distributions.NAMES})
globals().update({name: getattr(_sample, name) for name in _sample.NAMES})

__all__ = [
    "BitGenerator",
    "Generator",
    "MRG32k3a",
    "Philox4x3210",
    "RandomState",
    "SeedSequence",
    "XORWOW",
    "default_rng",
    "get_random_state",
    "get_state",
    "reset_states",
    "seed",
    "set_random_state",
    "set_state",
    *_FUNCTIONS,
]
