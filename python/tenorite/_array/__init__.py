"""What an ndarray has in Python beside its type in C: methods, flags, the flat iterator, other libraries."""
