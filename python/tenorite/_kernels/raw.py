"""Kernels written in CUDA C++: RawKernel and RawModule, on a GPU and on the host from the same
text."""

import math
import os
import warnings

from tenorite import _core
from tenorite._kernels import headers, nvcc
from tenorite.cuda._documents import documented
from tenorite.cuda.device import Device
from tenorite.cuda.driver import _AbsentError
from tenorite.cuda.memory import MemoryPointer, UnownedMemory
from tenorite.exceptions import CompileException, CUDARuntimeError, PerformanceWarning

__all__ = ["RawKernel", "RawModule"]

_launch = _core._kernel_launch

_BACKENDS = ("nvrtc", "nvcc")


def _check_backend(backend, names):
    if backend not in _BACKENDS:
        raise ValueError(f"backend must be one of {_BACKENDS}, not {backend!r}")
    if backend == "nvcc" and names:
        raise ValueError("name_expressions need backend='nvrtc': nvcc tells no names of templates")


def _texts(values, what):
    """A list or tuple of str as a tuple."""
    if values is None:
        return ()
    if isinstance(values, str) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{what} must be a tuple of str, not {values!r}")
    return tuple(values)


_NO_FILE, _NOT_FOUND = 301, 500  # the driver's numbers
_FAILURES = (CompileException, ValueError, CUDARuntimeError)  # of calls that may compile


def _absent(status, text):
    """The driver's error for what is not there."""
    return _AbsentError(status, str(text))


def check_jitify(jitify):
    if jitify is not None:
        warnings.warn(
            "jitify=True is deprecated and has no effect."
            if jitify
            else "The jitify argument is deprecated and has no effect. Avoid passing `jitify=False`.",
            DeprecationWarning,
            stacklevel=3,
        )


class _Program:
    """What RawKernel and RawModule share: a program and its compiler's failures."""

    def __init__(self, code, path, options, backend, translate_cucomplex, enable_cooperative_groups, names):
        _check_backend(backend, names)
        self.code, self.file_path, self.backend = code, path, backend
        self.options = _texts(options, "options")
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self.translate_cucomplex = bool(translate_cucomplex)
        self.names = _texts(names, "name_expressions")
        if backend == "nvcc" and code is not None and Device().backend != "host":
            self._image = nvcc.compile_file(code, self.options, Device().compute_capability)
            code, path = None, self._image.name
        more = () if Device().backend == "host" else headers.cccl_options(code)
        self.handle = _core._module_new(
            code, path, (*self.options, *more), self.names, self.enable_cooperative_groups, self.translate_cucomplex
        )

    def call(self, name, function, *arguments):
        """Calls a function that may compile."""
        try:
            return function(*arguments)
        except _FAILURES as error:
            raise self.explain(name, error) from None

    def explain(self, name, error):
        """The exception for a failure of a call that may compile: it has the source, as CuPy's."""
        if isinstance(error, CompileException):
            if '"nv/target"' in str(error):
                error.args = (
                    f"{error}\nCUDA's headers include those of CCCL, which are not installed: "
                    "pip install nvidia-cuda-cccl",
                )
            elif Device().backend == "host" and _core._includes_cccl(self.code, True):
                error.args = (
                    f"{error}\nthe kernel includes headers of CCCL (cub, thrust), which serve on "
                    "GPUs alone; on the host write barriers and loops, or use tenorite.jit.cub and "
                    "tenorite.jit.thrust, which run on both",
                )
            error.source, error.name, error.options, error.backend = self.code, name, self.options, self.backend
        elif isinstance(error, CUDARuntimeError):
            if error.status == _NOT_FOUND:
                return _absent(_NOT_FOUND, f"named symbol not found: the module has no {name}")
        elif "the module has no kernel" in str(error) or "the module has no variable" in str(error):
            return _absent(_NOT_FOUND, f"named symbol not found: {error}")
        elif self.file_path is not None and not os.path.exists(self.file_path):
            return _absent(_NO_FILE, f"there is no file {self.file_path}")
        return error

    def description(self):
        """Where the program is from, and its options, as kernels and modules show them."""
        text = self.file_path if self.code is None else f"a text of {len(self.code)} characters"
        return " ".join([text, *self.options])

    def compile(self, name, log_stream):
        log = self.call(name, _core._module_compile, self.handle)
        if log_stream is not None and log:
            log_stream.write(log)


def _attribute(number, doc, is_settable=False):
    """A property of RawKernel that the device keeps, by the driver's number of it."""

    def get(self):
        return self._call(_core._kernel_get_attribute, self._handle, number)

    def put(self, value):
        self._call(_core._kernel_set_attribute, self._handle, number, value)

    return property(get, put if is_settable else None, doc=doc)


@documented
class RawKernel:
    """A kernel of CUDA C++ text.

    It is compiled when it is first used on a device, and kept on disk. On the host the system's C++
    compiler builds it, threads of a block run one after the other, and blocks run on all cores.

    Parameters
    ----------
    code : str
        The text. The kernel is an ``extern "C" __global__ void`` function in it.
    name : str
        The kernel's name.
    options : tuple of str, optional
        Options of the compiler, as ``("-DN=4",)``.
    enable_cooperative_groups : bool, optional
        Whether blocks may wait for each other (``this_grid().sync()``).

    See Also
    --------
    RawModule : Several kernels and variables of one text.

    Notes
    -----
    Differs from CuPy: where there is no GPU the text is compiled by the host's C++ compiler and
    runs on all cores. An array whose dtype can't be what a parameter points at (float64 for
    ``const float*``) is a TypeError where the text tells the type; ``void*``, ``char*``,
    ``float2*``, parameters of templates and names of the text's own take any array, and
    ``TENORITE_KERNEL_TYPES=0`` compares nothing.

    Examples
    --------
    >>> add = tenorite.RawKernel(r'''
    ... extern "C" __global__ void add(const float* x, const float* y, float* z) {
    ...     int i = blockDim.x * blockIdx.x + threadIdx.x;
    ...     z[i] = x[i] + y[i];
    ... }''', "add")
    >>> x = tenorite.arange(4, dtype="f")
    >>> z = tenorite.empty_like(x)
    >>> add((1,), (4,), (x, x, z))
    >>> z
    array([0., 2., 4., 6.], dtype=float32)
    """

    def __init__(
        self,
        code,
        name,
        options=(),
        backend="nvrtc",
        *,
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        jitify=None,
    ):
        if not isinstance(code, str) or not isinstance(name, str):
            raise TypeError("code and name must be str")
        check_jitify(jitify)
        self._begin(_Program(code, None, options, backend, translate_cucomplex, enable_cooperative_groups, ()), name)

    def _begin(self, program, name):
        self._program, self._name, self._is_cooperative = program, name, program.enable_cooperative_groups
        self._handle = _core._kernel_new(program.handle, name)

    def __repr__(self):
        return f"<RawKernel {self._name!r} of {self._program.description()}>"

    def _call(self, function, *arguments):
        return self._program.call(self._name, function, *arguments)

    @documented
    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        """Launches the kernel.

        Parameters
        ----------
        args : tuple
            The kernel's arguments. An array or a MemoryPointer is given as its address, whatever
            its strides, and None as a null pointer. A Python int is a ``long long``, a float a
            ``double``, a complex a ``complex<double>``; NumPy's scalars, and its arrays of one
            element, are given by value, structured ones as structs.
        """
        if self._is_cooperative:
            grid = self._bound(grid, block, shared_mem)
        try:
            _launch(self._handle, grid, block, args if type(args) is tuple else tuple(args), shared_mem, stream)
        except _FAILURES as error:
            raise self._program.explain(self._name, error) from None

    @documented
    def linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None):
        """Launches at least as many threads as there are elements, in blocks of one dimension.

        Parameters
        ----------
        size : int
            How many threads.

        Examples
        --------
        >>> import tenorite as cp
        >>> number = cp.RawKernel('''
        ... extern "C" __global__ void number(float* x, int n) {
        ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...     if (i < n) x[i] = i;
        ... }''', "number")
        >>> x = cp.empty(5, "f")
        >>> number.linear_launch(5, (x, cp.int32(5)), block_max_size=2)
        >>> x
        array([0., 1., 2., 3., 4.], dtype=float32)
        """
        block = min(block_max_size, max(size, 1))
        self(((size + block - 1) // block,), (block,), args, shared_mem=shared_mem, stream=stream)

    def _bound(self, grid, block, shared_mem):
        """The grid, cut to the blocks that can run at a time if it has one dimension."""
        blocks = self._call(_core._kernel_resident_blocks, self._handle, math.prod(block), shared_mem)
        if len(grid) != 1 or grid[0] <= blocks:
            return grid
        warnings.warn(
            f"the grid of {self._name} was cut from {grid[0]} blocks to {blocks}, which is what can run at "
            "a time in a cooperative launch",
            PerformanceWarning,
            stacklevel=3,
        )
        return (blocks,)

    def compile(self, log_stream=None):
        """Compiles the kernel for the current device, which its first launch would do.

        Parameters
        ----------
        log_stream : file, optional
            Where the compiler's words are written, as ``sys.stdout``.

        Examples
        --------
        >>> import tenorite as cp
        >>> kernel = cp.RawKernel('extern "C" __global__ void one(float* x) { x[0] = 1; }', "one")
        >>> kernel.compile()
        """
        self._program.compile(self._name, log_stream)
        self.max_threads_per_block  # the kernel is there

    def __reduce__(self):
        program = self._program
        return _make_kernel, (
            program.code,
            program.file_path,
            program.options,
            program.backend,
            program.translate_cucomplex,
            program.enable_cooperative_groups,
            program.names,
            self._name,
        )

    name = property(lambda self: self._name, doc="The kernel's name.")
    code = property(lambda self: self._program.code, doc="The text; None for a kernel of a file.")
    file_path = property(lambda self: self._program.file_path, doc="The file of the image, or None.")
    options = property(lambda self: self._program.options, doc="Options of the compiler.")
    backend = property(lambda self: self._program.backend, doc="The compiler of CUDA: 'nvrtc'.")
    enable_cooperative_groups = property(
        lambda self: self._program.enable_cooperative_groups, doc="Whether blocks may wait for each other."
    )

    @property
    def kernel(self):
        """The compiled kernel of the current device, which this object stands for."""
        self.compile()
        return self

    max_threads_per_block = _attribute(0, "How many threads a block may have.")
    shared_size_bytes = _attribute(1, "Bytes of static shared memory of a block.")
    const_size_bytes = _attribute(2, "Bytes of constant memory.")
    local_size_bytes = _attribute(3, "Bytes of local memory of a thread.")
    num_regs = _attribute(4, "Registers of a thread.")
    ptx_version = _attribute(5, "The version of PTX that it was compiled for.")
    binary_version = _attribute(6, "The architecture that it was compiled for.")
    cache_mode_ca = _attribute(7, "Whether global loads are cached in L1.")
    max_dynamic_shared_size_bytes = _attribute(8, "Bytes of dynamic shared memory that a launch may ask for.", True)
    preferred_shared_memory_carveout = _attribute(9, "Percents of the L1 cache for shared memory; -1: any.", True)

    @property
    def attributes(self):
        """All attributes that the device keeps, in a dict."""
        return {name: getattr(self, name) for name in _ATTRIBUTES}


_ATTRIBUTES = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "ptx_version",
    "binary_version",
    "cache_mode_ca",
    "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
)


def _make_kernel(code, path, options, backend, translate, cooperative, names, name):
    """A kernel of a module, or of text of its own; for pickles, too."""
    kernel = RawKernel.__new__(RawKernel)
    kernel._begin(_Program(code, path, options, backend, translate, cooperative, names), name)
    return kernel


@documented
class RawModule:
    """Kernels and variables of one CUDA C++ text, or of a compiled file.

    Parameters
    ----------
    code : str, optional
        The text; either this or `path` is given.
    path : str, optional
        A cubin, a fatbin or PTX, for GPUs.
    name_expressions : sequence of str, optional
        Names of templates' instances, as ``"scale<float>"``, or of kernels in namespaces.

    See Also
    --------
    RawKernel : One kernel.

    Notes
    -----
    Differs from CuPy: where there is no GPU the text is compiled by the host's C++ compiler and
    runs on all cores.

    Examples
    --------
    >>> module = tenorite.RawModule(code=r'''
    ... __constant__ int by;
    ... template <typename T> __global__ void scale(T* x) { x[threadIdx.x] *= by; }
    ... ''', name_expressions=["scale<int>", "scale<double>"])
    >>> by = module.get_global("by")
    >>> tenorite.ndarray((1,), "i", by)[...] = 3
    >>> x = tenorite.arange(4.0)
    >>> module.get_function("scale<double>")((1,), (4,), (x,))
    >>> x
    array([0., 3., 6., 9.])
    """

    def __init__(
        self,
        *,
        code=None,
        path=None,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=None,
    ):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        check_jitify(jitify)
        if path is not None and name_expressions is not None:
            raise TypeError("name_expressions belong to code; a file has its kernels' names")
        self._program = _Program(
            code,
            None if path is None else str(path),
            options,
            backend,
            translate_cucomplex,
            enable_cooperative_groups,
            name_expressions,
        )

    def __repr__(self):
        return f"<RawModule of {self._program.description()}>"

    def compile(self, log_stream=None):
        """Compiles the text for the current device, which the first use would do.

        Parameters
        ----------
        log_stream : file, optional
            Where the compiler's words are written, as ``sys.stdout``.

        Examples
        --------
        >>> import tenorite as cp
        >>> module = cp.RawModule(code='__device__ int by; extern "C" __global__ void put(int* x) { *x = by; }')
        >>> module.compile()
        """
        self._program.compile("", log_stream)

    def get_function(self, name):
        """A kernel of the module.

        Parameters
        ----------
        name : str
            The name of an ``extern "C"`` kernel, or one of the name expressions.

        Returns
        -------
        RawKernel
            The kernel.

        Examples
        --------
        >>> import tenorite as cp
        >>> module = cp.RawModule(code='__device__ int by; extern "C" __global__ void put(int* x) { *x = by; }')
        >>> x = cp.ones(1, "i")
        >>> module.get_function("put")((1,), (1,), (x,))
        >>> x
        array([0], dtype=int32)
        """
        kernel = RawKernel.__new__(RawKernel)
        kernel._begin(self._program, name)
        kernel.max_threads_per_block  # the kernel is there
        return kernel

    def get_global(self, name):
        """A variable of the module, as ``__constant__ float table[4];``.

        Parameters
        ----------
        name : str
            The variable's name, or one of the name expressions.

        Returns
        -------
        MemoryPointer
            Its memory on the current device.

        Examples
        --------
        >>> import tenorite as cp
        >>> module = cp.RawModule(code='__device__ int by; extern "C" __global__ void put(int* x) { *x = by; }')
        >>> by = cp.ndarray((1,), "i", module.get_global("by"))
        >>> by
        array([0], dtype=int32)
        """
        program = self._program
        address, size = program.call(name, _core._module_global, program.handle, name)
        return MemoryPointer(UnownedMemory(address, size, self), 0)

    @property
    def module(self):
        """The compiled module of the current device, which this object stands for."""
        self.compile()
        return self

    def __reduce__(self):
        program = self._program
        return _make_module, (
            program.code,
            program.file_path,
            program.options,
            program.backend,
            program.translate_cucomplex,
            program.enable_cooperative_groups,
            program.names,
        )

    code = property(lambda self: self._program.code, doc="The text; None for a file.")
    file_path = property(lambda self: self._program.file_path, doc="The file of the image, or None.")
    options = property(lambda self: self._program.options, doc="Options of the compiler.")
    backend = property(lambda self: self._program.backend, doc="The compiler of CUDA: 'nvrtc'.")
    name_expressions = property(lambda self: self._program.names, doc="The name expressions.")
    enable_cooperative_groups = property(
        lambda self: self._program.enable_cooperative_groups, doc="Whether blocks may wait for each other."
    )


def _make_module(code, path, options, backend, translate, cooperative, names):
    """A module of a pickle."""
    return RawModule(
        code=code,
        path=path,
        options=options,
        backend=backend,
        translate_cucomplex=translate,
        enable_cooperative_groups=cooperative,
        name_expressions=names or None,
    )
