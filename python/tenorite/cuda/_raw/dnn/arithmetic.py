"""How results are computed and stored."""

import tenorite


def working(dtype):
    """The dtype that a dtype is computed in."""
    return tenorite.dtype("float64" if dtype == "float64" else "float32")


def store(out, value, alpha, beta):
    """out = alpha * value + beta * out; where beta is 0, out is not read."""
    if beta == 0:
        out[...] = value if alpha == 1 else value * alpha
    else:
        out[...] = value * alpha + beta * out.astype(value.dtype)
