"""NumPy's ``lib``: stride_tricks.

The folder of this name beside this file holds libtenorite, so the submodules lie in ``_lib``.
"""

import os as _os

__path__ = [_os.path.join(_os.path.dirname(__file__), "_lib")]

from tenorite.lib import stride_tricks  # noqa: E402

__all__ = ["stride_tricks"]
