"""Arrays of other libraries whose elements are structures: their bytes, and their dtype."""

import numpy


class AsBytes:
    """What another library's ``__cuda_array_interface__`` tells, as bytes: one axis more."""

    def __init__(self, owner, facts, itemsize):
        strides = facts.get("strides")
        self._owner = owner
        self.__cuda_array_interface__ = {
            **facts,
            "typestr": "|u1",
            "shape": (*facts["shape"], itemsize),
            "strides": None if strides is None else (*strides, 1),
        }


def described(descr):
    """The dtype that a list of fields tells; those without a name are padding."""
    names, formats, offsets, size = [], [], [], 0
    for name, *kind in descr:
        field = numpy.dtype(described(kind[0]) if isinstance(kind[0], list) else kind[0])
        field = numpy.dtype((field, *kind[1:])) if len(kind) > 1 else field
        if name:
            names.append(name)
            formats.append(field)
            offsets.append(size)
        size += field.itemsize
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})
