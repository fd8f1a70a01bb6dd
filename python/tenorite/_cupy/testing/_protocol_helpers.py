"""The objects of ``_protocol_testing``, under the module's newer name."""

from tenorite._cupy.testing._protocol_testing import DummyObjectWithCudaArrayInterface, DummyObjectWithCuPyGetNDArray  # noqa: F401
