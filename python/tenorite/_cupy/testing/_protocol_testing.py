"""Objects of no library of their own that hold an array, for tests of the protocols."""


class DummyObjectWithCudaArrayInterface:
    """An object with ``__cuda_array_interface__``.

    Parameters
    ----------
    a : ndarray
        What it shows.
    ver : int, optional
        Version of the protocol.
    include_strides : bool, optional
        Whether the strides are given though the array is contiguous.
    mask : object, optional
        Given out as it is.
    stream : int, optional
        Number of the stream on which the array is made; version 3 only.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite._cupy.testing._protocol_testing import DummyObjectWithCudaArrayInterface
    >>> DummyObjectWithCudaArrayInterface(cp.ones(2), ver=2).__cuda_array_interface__["shape"]
    (2,)
    """

    def __init__(self, a, ver=3, include_strides=False, mask=None, stream=None):
        assert ver in range(4)
        self.a, self.ver, self.include_strides, self.mask, self.stream = a, ver, include_strides, mask, stream

    @property
    def __cuda_array_interface__(self):
        desc = {
            "shape": self.a.shape,
            "typestr": self.a.dtype.str,
            "descr": self.a.dtype.descr,
            "data": (self.a.data.ptr, False),
            "version": self.ver,
        }
        if self.a.flags.c_contiguous:
            if self.include_strides is True:
                desc["strides"] = self.a.strides
            elif self.include_strides is None:
                desc["strides"] = None
        else:
            desc["strides"] = self.a.strides
        if self.mask is not None:
            desc["mask"] = self.mask
        if self.ver == 3:
            desc["stream"] = self.stream
        return desc


class DummyObjectWithCuPyGetNDArray:
    """An object with ``__cupy_get_ndarray__``.

    Parameters
    ----------
    a : ndarray
        What it shows.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite._cupy.testing._protocol_testing import DummyObjectWithCuPyGetNDArray
    >>> cp.asarray(DummyObjectWithCuPyGetNDArray(cp.arange(2))).tolist()
    [0, 1]
    """

    def __init__(self, a):
        self.a = a

    def __cupy_get_ndarray__(self):
        return self.a
