"""What the array API standard asks of a namespace about itself: __array_namespace_info__()."""

import numpy

from tenorite import _core, cuda

__all__ = ["ArrayNamespaceInfo"]

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class ArrayNamespaceInfo:
    """Capabilities, devices and dtypes of the namespace, as the array API standard has them."""

    def capabilities(self):
        """What works: boolean indexing, data-dependent shapes, the largest number of dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The current device."""
        return cuda.Device()

    def devices(self):
        """All devices, those of the primary backend first."""
        backends = sorted(("cuda", "host"), key=lambda name: name != cuda.Device().backend)
        return [cuda.Device(f"{name}:{k}") for name in backends for k in range(_core._device_count(name))]

    def default_dtypes(self, *, device=None):
        """The dtypes that are made where none is said: of reals, complex numbers, integers,
        indices."""
        return {
            "real floating": numpy.dtype(numpy.float64),
            "complex floating": numpy.dtype(numpy.complex128),
            "integral": numpy.dtype(numpy.int64),
            "indexing": numpy.dtype(numpy.int64),
        }

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes by name: all, or those of a kind or a tuple of kinds.
        ValueError."""
        kinds = tuple(_KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        if unknown := [one for one in kinds if one not in _KINDS]:
            raise ValueError(f"unsupported kind: {unknown[0]!r}")
        return {name: numpy.dtype(name) for one in kinds for name in _KINDS[one]}
