"""What an ndarray has in Python beside its type in C: methods, flags, the flat iterator, other
libraries.

Importing this adds the methods to the type.
"""

from tenorite._array import interop, methods, signature, ufuncs

__all__ = ["interop", "methods", "signature", "ufuncs"]
