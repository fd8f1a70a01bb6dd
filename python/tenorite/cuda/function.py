"""Kernels of compiled images on a GPU, launched by the driver's handles."""

import ctypes

import numpy

from tenorite import _core
from tenorite.cuda import driver
from tenorite.cuda._documents import documented
from tenorite.cuda._raw.attributes import attribute
from tenorite.cuda.stream import get_current_stream

__all__ = ["CIntptr", "CNumpyArray", "CPointer", "CUIntMax", "Function", "LinkState", "Module"]


def _pack(argument):
    """The bytes of an argument, as a ctypes object."""
    if isinstance(argument, CPointer):
        return ctypes.c_char.from_address(argument.ptr)
    if isinstance(argument, _core.ndarray):
        return ctypes.c_void_p(argument.data.ptr)
    if argument is None or hasattr(argument, "ptr"):
        return ctypes.c_void_p(0 if argument is None else argument.ptr)
    if isinstance(argument, bool):
        return ctypes.c_bool(argument)
    if isinstance(argument, int):
        return ctypes.c_longlong(argument)
    if isinstance(argument, float):
        return ctypes.c_double(argument)
    if isinstance(argument, (complex, numpy.generic, numpy.ndarray)):
        data = numpy.asarray(argument).tobytes()
        return (ctypes.c_char * len(data)).from_buffer_copy(data)
    raise TypeError(f"a kernel takes no argument of type {type(argument).__name__}")


class CPointer:
    """An argument of a kernel: the bytes at an address, of which ``ptr`` is the number.

    Parameters
    ----------
    p : int, optional
        The address of the argument's bytes.

    Examples
    --------
    >>> tenorite.cuda.function.CPointer(16).ptr
    16
    """

    def __init__(self, p=0):
        self.ptr = p


class _CBytes(CPointer):
    """An argument that keeps its bytes."""

    def __init__(self, data):
        self._data = ctypes.create_string_buffer(data, len(data))
        super().__init__(ctypes.addressof(self._data))


class CIntptr(_CBytes):
    """An address or a whole number as an argument of a kernel.

    Parameters
    ----------
    i : int
        The number.

    Examples
    --------
    >>> tenorite.cuda.function.CIntptr(5).ptr != 0
    True
    """

    def __init__(self, i):
        super().__init__(numpy.intp(i).tobytes())


class CUIntMax(_CBytes):
    """A whole number without a sign as an argument of a kernel, as a texture's handle is.

    Parameters
    ----------
    i : int
        The number.

    Examples
    --------
    >>> tenorite.cuda.function.CUIntMax(5).ptr != 0
    True
    """

    def __init__(self, i):
        super().__init__(numpy.uint64(i).tobytes())


class CNumpyArray(_CBytes):
    """The bytes of a NumPy array of one element as an argument of a kernel, as a struct is.

    Parameters
    ----------
    a : numpy.ndarray
        The array.

    Examples
    --------
    >>> import numpy
    >>> tenorite.cuda.function.CNumpyArray(numpy.zeros((), "i4, f8")).ptr != 0
    True
    """

    def __init__(self, a):
        super().__init__(a.tobytes())


class LinkState:
    """Linking of several images to one, on a GPU.

    Examples
    --------
    >>> def link(images):
    ...     state = tenorite.cuda.function.LinkState()
    ...     for number, ptx in enumerate(images):
    ...         state.add_ptr_data(ptx, f"{number}.ptx")
    ...     state.add_ptr_file("libcudadevrt.a")
    ...     return state.complete()
    """

    def __init__(self):
        self.ptr = 0
        self.ptr = driver.linkCreate()

    def add_ptr_data(self, data, name):
        """Adds PTX.

        Parameters
        ----------
        data : bytes
            The PTX.
        name : str
            A name for messages.
        """
        driver.linkAddData(self.ptr, driver.CU_JIT_INPUT_PTX, data, name)

    def add_ptr_file(self, path):
        """Adds a library of a file.

        Parameters
        ----------
        path : str
            The file.

        Examples
        --------
        >>> def add_library(link, path):
        ...     link.add_ptr_file(path)
        """
        driver.linkAddFile(self.ptr, driver.CU_JIT_INPUT_LIBRARY, path)

    def complete(self):
        """Links.

        Returns
        -------
        bytes
            The image, for Module.load().
        """
        return driver.linkComplete(self.ptr)

    def __del__(self):
        pointer, self.ptr = getattr(self, "ptr", 0), 0  # none: there was no linker
        if pointer:
            driver.linkDestroy(pointer)


class Function:
    """A kernel of a :class:`Module`.

    Parameters
    ----------
    module : Module
        The module.
    funcname : str
        The kernel's name.

    Examples
    --------
    >>> def load(path):
    ...     module = tenorite.cuda.Module()
    ...     module.load_file(path)
    ...     return tenorite.cuda.Function(module, "add")
    """

    module = attribute("module", "The module.")
    ptr = attribute("ptr", "The kernel's handle.", 0)

    def __init__(self, module, funcname):
        self.module, self.ptr, self._name = module, driver.moduleGetFunction(module.ptr, funcname), funcname

    def __repr__(self):
        return f"<Function {self._name!r} of {self.module}>"

    @documented
    def __call__(self, grid, block, args, shared_mem=0, stream=None, enable_cooperative_groups=False):
        """Launches the kernel."""
        packed = [_pack(one) for one in args]
        addresses = (ctypes.c_void_p * max(len(packed), 1))(*map(ctypes.addressof, packed))
        sizes = (*grid, 1, 1)[:3] + (*block, 1, 1)[:3]
        stream = get_current_stream().ptr if stream is None else getattr(stream, "ptr", stream)
        if enable_cooperative_groups:
            driver.launchCooperativeKernel(self.ptr, *sizes, shared_mem, stream, ctypes.addressof(addresses))
        else:
            driver.launchKernel(self.ptr, *sizes, shared_mem, stream, ctypes.addressof(addresses), 0)

    @documented
    def linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None, enable_cooperative_groups=False):
        """Launches as many threads as there are elements, in blocks of one dimension.

        Parameters
        ----------
        size : int
            How many threads.

        Examples
        --------
        >>> def scale(function, x):
        ...     function.linear_launch(x.size, (x,))
        """
        block = min(block_max_size, max(size, 1))
        self(((size + block - 1) // block,), (block,), args, shared_mem, stream, enable_cooperative_groups)


class Module:
    """A compiled image on a GPU: a cubin, a fatbin or PTX.

    Examples
    --------
    >>> module = tenorite.cuda.Module()
    >>> module.ptr
    0
    """

    ptr = attribute("ptr", "The module's handle, 0: nothing is loaded.", 0)
    mapping = attribute("mapping", "A dict of names in the image by the names that programs use.")

    def __init__(self):
        self.ptr, self.mapping = 0, {}

    def __repr__(self):
        return f"<Module {self.ptr:#x}>" if self.ptr else "<Module without an image>"

    def load(self, cubin):
        """Loads an image.

        Parameters
        ----------
        cubin : bytes
            The image.

        Examples
        --------
        >>> def load(image):
        ...     module = tenorite.cuda.Module()
        ...     module.load(image)
        ...     return module
        """
        self._unload()
        self.ptr = driver.moduleLoadData(cubin)

    def load_file(self, filename):
        """Loads the image of a file.

        Parameters
        ----------
        filename : str
            The file.

        Examples
        --------
        >>> def load(path):
        ...     module = tenorite.cuda.Module()
        ...     module.load_file(path)
        ...     return module
        """
        self._unload()
        self.ptr = driver.moduleLoad(str(filename))

    def get_function(self, name):
        """A kernel.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        Function
            The kernel.

        Examples
        --------
        >>> def add_of(module):
        ...     return module.get_function("add")
        """
        return Function(self, self.mapping.get(name, name))

    def get_global_var(self, name):
        """The address of a variable.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        int
            The address.

        Examples
        --------
        >>> def table_of(module):
        ...     return module.get_global_var("table")
        """
        return driver.moduleGetGlobal(self.ptr, self.mapping.get(name, name))

    def _unload(self):
        pointer, self.ptr = self.ptr, 0
        if pointer:
            driver.moduleUnload(pointer)

    def __del__(self):
        self._unload()
