"""The modules of arrays that a program may run on, by the names of Chainer."""

from tenorite.backends import cuda, intel64

__all__ = ["cuda", "intel64"]
