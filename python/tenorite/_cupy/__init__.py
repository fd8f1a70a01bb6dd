"""The face of CuPy: ``import cupy``, and the private names of CuPy's that programs use.

The files with an underscore lie as they do in CuPy: ``cupy.fft._fft`` is ``fft/_fft.py``.
"""
