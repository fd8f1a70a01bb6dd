"""Groups of threads in kernels: the block, and the grid of a cooperative launch."""

from tenorite.jit import _operations as operations
from tenorite.jit._builtins import builtin, constant
from tenorite.jit._types import BOOL, INT64, UINT32, VOID, Array, Constant, Dim3, Object, Pointer, Scalar, Value

__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]

_COPYING = """Examples
--------
>>> from tenorite import jit
>>> @jit.rawkernel()
... def copy(x, out):
...     block = jit.cg.this_thread_block()
...     shared = jit.shared_memory(tenorite.float64, 4)
...     jit.cg.memcpy_async(block, shared, 0, x, 0, 4 * 8)
...     jit.cg.wait(block)
...     jit.cg.wait_prior(block, 0)
...     out[block.thread_rank()] = shared[3 - block.thread_rank()]
>>> out = tenorite.zeros(4)
>>> copy[1, 4](tenorite.arange(4.0), out)
>>> out
array([3., 2., 1., 0.])
"""
_SYNCING = """Examples
--------
>>> from tenorite import jit
>>> @jit.rawkernel()
... def count(out):
...     grid = jit.cg.this_grid()
...     jit.atomic_add(out, 0, 1)
...     jit.cg.sync(grid)
...     if grid.thread_rank() == 0:
...         out[1] = out[0]
>>> out = tenorite.zeros(2, "i")
>>> count[2, 4](out)
>>> out
array([8, 8], dtype=int32)
"""
_GROUP = """Parameters
----------
group : group
    What :func:`this_thread_block` or :func:`this_grid` gave.
"""
_UINT64 = Scalar("u8")
_HEADER = "#include <cooperative_groups.h>"


class _ThreadBlockGroup(Object):
    """The block of a thread: what :func:`this_thread_block` gives.

    Its methods can be called in a kernel alone.
    """

    methods = {
        "sync": VOID,
        "thread_rank": UINT32,
        "group_index": Dim3(),
        "thread_index": Dim3(),
        "dim_threads": Dim3(),
        "num_threads": UINT32,
        "size": UINT32,
        "group_dim": Dim3(),
    }

    def __init__(self):
        super().__init__("tni_thread_block", self.methods)


class _GridGroup(Object):
    """All threads of a launch: what :func:`this_grid` gives.

    Its methods can be called in a kernel alone.
    """

    methods = {
        "is_valid": BOOL,
        "sync": VOID,
        "thread_rank": _UINT64,
        "block_rank": _UINT64,
        "num_threads": _UINT64,
        "num_blocks": _UINT64,
        "dim_blocks": Dim3(),
        "block_index": Dim3(),
        "size": _UINT64,
        "group_dim": Dim3(),
    }

    def __init__(self):
        super().__init__("cooperative_groups::grid_group", self.methods)


def _refuse(name):
    def call(self):
        raise RuntimeError(f"{name} can be called in a kernel alone")

    call.__name__ = name
    call.__doc__ = f"``{name}()`` of cooperative_groups, in a kernel."
    return call


for _group in (_ThreadBlockGroup, _GridGroup):
    for _name in _group.methods:
        setattr(_group, _name, _refuse(_name))
del _group, _name


@builtin(f"""All threads of the launch, which is a cooperative one by this.

Returns
-------
group
    The group, with methods such as ``sync`` and ``thread_rank``.

{_SYNCING}""")
def this_grid(env):
    env.add_preamble(_HEADER)
    env.program.is_cooperative = True
    return Value("cooperative_groups::this_grid()", _GridGroup())


@builtin(f"""The threads of the block.

Returns
-------
group
    The group, with methods such as ``sync`` and ``thread_rank``.

{_COPYING}""")
def this_thread_block(env):
    return Value("tni_thread_block()", _ThreadBlockGroup())


def _group_of(value):
    if not isinstance(value, Value) or not isinstance(value.type, Object):
        raise TypeError("group must be what this_grid() or this_thread_block() gives")
    return value


@builtin(f"""Waits for all threads of the group.

{_GROUP}
{_SYNCING}""")
def sync(env, group):
    return env.command(f"{_group_of(group)}.sync()")


@builtin(f"""Copies bytes; the threads of the group share the work.

All threads call it, and :func:`wait` before they read.

{_GROUP}dst : array
    Where to.
dst_idx : int or tuple of int
    The first element that is written.
src : array
    Where from.
src_idx : int or tuple of int
    The first element that is read.
size : int
    How many bytes.
aligned_size : int, optional
    What the addresses are multiples of, in bytes; it changes nothing.

{_COPYING}""")
def memcpy_async(env, group, dst, dst_idx, src, src_idx, size, *, aligned_size=Constant(None)):
    group = _group_of(group)
    ends = []
    for name, array, index in (("dst", dst, dst_idx), ("src", src, src_idx)):
        array = env.value(array)
        if not isinstance(array.type, (Array, Pointer)):
            raise TypeError(f"{name} must be an array, not {array.type}")
        ends.append(f"&{env.element(array, index)}")
    if constant(aligned_size, "aligned_size", None) not in (None, 1, 2, 4, 8, 16):
        raise ValueError("aligned_size must be 1, 2, 4, 8 or 16")
    size = operations.cast(size, INT64, "unsafe")
    return env.command(f"tni_copy({group}, {ends[0]}, {ends[1]}, {size})")


@builtin(f"""Waits until all copies that the group has begun are made.

{_GROUP}
{_COPYING}""")
def wait(env, group):
    return env.command(f"{_group_of(group)}.sync()")


@builtin(f"""Waits until all copies that the group has begun, but the last ones, are made.

{_GROUP}step : int
    How many of the last ones may go on.

{_COPYING}""")
def wait_prior(env, group, step):
    constant(step, "step")
    return env.command(f"{_group_of(group)}.sync()")
