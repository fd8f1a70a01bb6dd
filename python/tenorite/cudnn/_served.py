"""cuDNN where it serves, and Tenorite's own functions where it refuses.

cuDNN lacks dtypes in some layouts, sizes, workspaces, and says so before it writes anything: then
Tenorite's own functions compute, without a word. They do so after any other failure of cuDNN, too,
with a RuntimeWarning; what it may have changed halfway, running values, is lost then, and the
failure is raised. Arguments are checked by Tenorite's own rules first, so that errors are the same
everywhere.
"""

import sys
import warnings

from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn.descriptors import status_name

# Beginnings of statuses that say: it was not begun.
_REFUSALS = ("NOT_SUPPORTED", "ARCH_MISMATCH", "BAD_PARAM", "INVALID_VALUE")
# The same, of what should not happen.
_NOT_BEGUN = (
    "NOT_INITIALIZED",
    "ALLOC_FAILED",
    "LICENSE_ERROR",
    "VERSION_MISMATCH",
    "RUNTIME_PREREQUISITE_MISSING",
    "SUBLIBRARY",
    "INTERNAL_ERROR_HOST_ALLOCATION_FAILED",
    "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
)
_LEAST_WORKSPACE = 8 * 1024 * 1024  # what is halved is more than this
# cuDNN's descriptors count elements and strides by C's type int.
_ELEMENTS_MAX = 2**31 - 1


def serves(*arrays):
    """Whether cuDNN itself is asked for such arrays: it is installed, they lie on a GPU, and none
    is empty or has 2^31 elements."""
    return cudnn._library.serves() and all(0 < array.size <= _ELEMENTS_MAX for array in arrays)


def limits(limit):
    """Bytes of workspace to try one after the other."""
    while limit:
        yield limit
        limit = limit // 2 if limit > _LEAST_WORKSPACE else 0
    yield 0


def is_refusal(error):
    """Whether cuDNN said that it has no such function."""
    return status_name(error.status).startswith(_REFUSALS)


def warn(text, category):
    """A warning at the program's line."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tenorite":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def compute(name, arrays, theirs, ours, *, may_repeat=True):
    """What `theirs` gives, by cuDNN, or `ours` where it does not serve; `may_repeat`: what is
    written is not read, so that it can be computed again."""
    if not serves(*arrays):
        return ours()
    try:
        return theirs()
    except cudnn.CuDNNError as error:
        if not is_refusal(error):
            if not may_repeat and not status_name(error.status).startswith(_NOT_BEGUN):
                raise
            warn(f"cudnn.{name}: cuDNN failed, its work is done without it: {error}", RuntimeWarning)
    return ours()
