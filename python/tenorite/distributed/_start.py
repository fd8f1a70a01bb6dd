"""How a program of several processes begins."""

import os

from tenorite.distributed._backend import NCCLBackend
from tenorite.distributed._key_value_store import DEFAULT_HOST, DEFAULT_PORT

_BACKENDS = {"nccl": NCCLBackend}


def init_process_group(n_devices, rank, *, backend="nccl", host=None, port=None, use_mpi=False):
    """Makes this process a rank of a group. Waits until all ranks have come.

    Parameters
    ----------
    n_devices : int
        The number of ranks.
    rank : int
        The number of this one, from 0. Each rank uses the device that is current when it calls.
    backend : {'nccl'}, optional
        The only one.
    host : str, optional
        The host of rank 0, whose store the ranks find each other by; without it the variable
        ``CUPYX_DISTRIBUTED_HOST``, else this machine.
    port : int, optional
        The store's port; without it the variable ``CUPYX_DISTRIBUTED_PORT``, else 13333.
    use_mpi : bool, optional
        Whether ranks find each other through MPI (mpi4py) instead.

    Returns
    -------
    NCCLBackend
        The calls among the ranks.

    Raises
    ------
    ValueError
        If a number or the backend is none.
    TimeoutError
        If a rank does not come within ``TENORITE_DISTRIBUTED_TIMEOUT`` seconds (60 without it).
    OSError
        If rank 0 finds the port in use.
    RuntimeError
        If a rank has another count, or has come already, or leaves before all have come.

    Examples
    --------
    >>> import tenorite as cp
    >>> group = cp.distributed.init_process_group(1, 0, port=0)
    >>> a = cp.arange(3.0)
    >>> group.all_reduce(a, a)
    >>> a
    array([0., 1., 2.])
    >>> group.stop()
    """
    if n_devices <= 0:
        raise ValueError(f"Invalid number of devices {n_devices}")
    if not 0 <= rank < n_devices:
        raise ValueError(f"Invalid number of rank {rank} {n_devices}")
    if backend not in _BACKENDS:
        raise ValueError(f"{backend} is not supported")
    if host is None:
        host = os.environ.get("CUPYX_DISTRIBUTED_HOST", DEFAULT_HOST)
    if port is None:
        port = int(os.environ.get("CUPYX_DISTRIBUTED_PORT", DEFAULT_PORT))
    return _BACKENDS[backend](n_devices, rank, host=host, port=port, use_mpi=use_mpi)
