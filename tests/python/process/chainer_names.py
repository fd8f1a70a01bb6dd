"""What Chainer 7.8 needs before it is imported: names that NumPy had then, Tenorite as CuPy."""

import numpy as np

np.sctypes = {
    "int": [np.int8, np.int16, np.int32, np.int64],
    "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    "float": [np.float16, np.float32, np.float64],
    "complex": [np.complex64, np.complex128],
}
for name, kind in {"int": int, "float": float, "complex": complex, "object": object, "str": str}.items():
    setattr(np, name, kind)

import tenorite  # noqa: E402

tenorite.install_as_cupy()
