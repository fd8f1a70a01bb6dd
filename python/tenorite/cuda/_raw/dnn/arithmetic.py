"""How results are computed and stored."""

import tenorite


def working(dtype):
    """The dtype that a dtype is computed in."""
    return tenorite.dtype("float64" if dtype == "float64" else "float32")


def used(alpha, beta):
    """Whether a result depends on each of the factors."""
    return alpha != 1, beta != 0


def widened(array, dtype):
    """An array in the dtype that it is computed in: itself where that is its own."""
    return array if array.dtype == dtype else array.astype(dtype)


def put(out, value, alpha, beta, uses):
    """`store` within a fused function, which has to know what is `used` of the factors."""
    if uses[0]:
        value = value * alpha
    out[...] = value + beta * widened(out, value.dtype) if uses[1] else value


def store(out, value, alpha, beta):
    """out = alpha * value + beta * out; where beta is 0, out is not read."""
    if beta == 0:
        out[...] = value if alpha == 1 else value * alpha
    else:
        out[...] = value * alpha + beta * out.astype(value.dtype)
