"""NumPy's ``lib.introspect``, which is about NumPy's own loops."""

from numpy.lib.introspect import opt_func_info

__all__ = ["opt_func_info"]
