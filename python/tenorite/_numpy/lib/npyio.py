"""NumPy's ``lib.npyio``: what ``load`` gives, and sources of data."""

from tenorite._numpy.io import NpzFile
from tenorite._numpy.legacy import DataSource

__all__ = ["DataSource", "NpzFile"]
