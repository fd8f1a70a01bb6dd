"""CuPy's private name of a length."""

__all__ = ["_output_len"]


def _output_len(h_len, x_len, up, down):
    """How many values `upfirdn` gives."""
    return ((x_len - 1) * up + h_len - 1) // down + 1
