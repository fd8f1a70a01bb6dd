"""What patterns are made of: how one is registered, and what several of them need.

A pattern is a function that sets something up, as a program does once, and returns another
function, the turn, which is what the program then does for days. Each pattern runs in a process of
its own.
"""

import collections
import math
import os
from dataclasses import dataclass, field

import tenorite as tn
from tenorite import cuda

# "host", "cuda", or "double", the test double of the driver.
DEVICE = os.environ.get("SOAK_DEVICE", "host")
DEVICES = ("host", "cuda", "double")
COMPUTES = DEVICE != "double"  # kernels of the double do nothing


@dataclass
class Pattern:
    """A pattern of use. `cost`: how many times as long as an ordinary turn one takes, about.
    `slack`: what a figure may grow by here beyond its tolerance. `is_long`: too slow to begin for a
    run of few turns, which leaves it out."""

    name: str
    theme: str
    setup: object
    cost: int = 1
    on: tuple = DEVICES
    slack: dict = field(default_factory=dict)
    is_long: bool = False


PATTERNS = {}


def pattern(setup=None, **facts):
    """Registers a function as a pattern; `facts` are those of Pattern."""
    if setup is None:
        return lambda function: pattern(function, **facts)
    theme = setup.__module__.rpartition(".")[2]
    PATTERNS[setup.__name__] = Pattern(setup.__name__, theme, setup, **facts)
    return setup


# --- What patterns need ---

pools = []


def own_pool(*arguments):
    """A pool of memory whose bytes are watched, as the default one's are."""
    pools.append(cuda.MemoryPool(*arguments))
    return pools[-1]


def short_stream():
    """A stream that its caller soon lets go of."""
    return cuda.Stream(non_blocking=True)


def expect(array, value):
    """Fetches an array and compares it with a value or a NumPy array, where kernels compute."""
    found = array.get()
    assert not COMPUTES or (found == value).all(), f"{found} where {value} was expected"


def refused(call, error=Exception):
    """The exception that a call has to raise."""
    try:
        call()
    except error as caught:
        return caught
    raise AssertionError(f"no {error.__name__} was raised")


def recent(count):
    """A list of the last `count` things that were put in, filled from the beginning."""
    return collections.deque([None] * count, maxlen=count)


def cycled(*items):
    """A function that gives the items one after the other, for ever."""
    state = [0]

    def take():
        state[0] += 1
        return items[state[0] % len(items)]

    return take


def weights(*shape):
    """An array as programs keep it for days: small whole numbers, so that sums are exact."""
    return (tn.arange(math.prod(shape), dtype="f4") % 7).reshape(shape)
