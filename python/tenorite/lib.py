"""NumPy's ``lib``: its modules, and helpers of programs that have nothing to do with a device.

The folder of this name beside this file holds libtenorite, so the submodules lie in ``_numpy/lib``.
"""

import os as _os

from numpy.lib import Arrayterator, NumpyVersion, add_docstring, add_newdoc, tracemalloc_domain

__path__ = [_os.path.join(_os.path.dirname(__file__), "_numpy", "lib")]

from tenorite.lib import array_utils, format, introspect, mixins, npyio, scimath, stride_tricks

__all__ = [
    "Arrayterator",
    "NumpyVersion",
    "add_docstring",
    "add_newdoc",
    "array_utils",
    "format",
    "introspect",
    "mixins",
    "npyio",
    "scimath",
    "stride_tricks",
    "tracemalloc_domain",
]
