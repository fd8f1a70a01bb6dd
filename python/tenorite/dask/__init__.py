"""Arrays as the chunks of Dask's, and clusters of worker processes with a device each.

Dask finds the chunks' part by its entry points, when it meets the first array: a program that has
arrays for Dask imports nothing of this module.

>>> import dask, dask.array as da  # doctest: +SKIP
>>> dask.config.set({"array.backend": "tenorite"})  # doctest: +SKIP
>>> da.ones((1000, 1000), chunks=500).sum().compute()  # doctest: +SKIP
array(1000000.)
"""

import importlib as _importlib

__all__ = ["device_buffer", "local_cluster"]


def local_cluster(n_workers=None, *, device_memory=0.8, **options):
    """A cluster of worker processes on this machine, each of which has a device of its own.

    Worker i sees the i-th GPU alone (``CUDA_VISIBLE_DEVICES``); with more workers than GPUs they
    are shared in turn. On the host each worker has its part of the cores
    (``TENORITE_NUM_THREADS``). What does not fit onto a GPU goes to the host's memory and from
    there to a disk: device_buffer().

    Parameters
    ----------
    n_workers : int, optional
        How many workers there are; as many as devices if it is None.
    device_memory : float or int, optional
        What the results of tasks may take on a GPU: bytes, or a part of its memory up to 1.
    **options : object
        Those of distributed.LocalCluster, but for `processes`, `env` and `data`;
        `threads_per_worker` is 1 unless it is given.

    Returns
    -------
    object
        A distributed.LocalCluster.

    Raises
    ------
    ModuleNotFoundError
        If distributed is not installed.

    Examples
    --------
    >>> from tenorite.dask import local_cluster
    >>> with local_cluster(4) as cluster, cluster.get_client() as client:  # doctest: +SKIP
    ...     client.submit(sum, [1, 2]).result()
    3
    """
    workers = _importlib.import_module("tenorite.dask._workers")
    return workers.DeviceCluster(n_workers, device_memory, options)


def device_buffer(worker_local_directory, *, device_memory=0.8, host_memory=0):
    """Where a worker of distributed's keeps results: on the device, then in the host's memory, then
    on a disk.

    ``distributed.Worker(data=device_buffer)`` keeps the results of tasks in it. Those that were
    used least recently leave first. A result that is needed again comes back.

    Parameters
    ----------
    worker_local_directory : str
        The folder for what leaves the host's memory.
    device_memory : float or int, optional
        What results may take on the device: bytes, or a part of its memory up to 1.
    host_memory : int, optional
        What those that have left the device may take in the host's memory, in bytes; 0: there is no
        limit, and the disk is not used.

    Returns
    -------
    object
        A mutable mapping.

    Raises
    ------
    ModuleNotFoundError
        If distributed is not installed.

    Examples
    --------
    >>> from tenorite.dask import device_buffer
    >>> buffer = device_buffer('/tmp/of-a-worker', device_memory=10**9)  # doctest: +SKIP
    """
    spill = _importlib.import_module("tenorite.dask._spill")
    return spill.DeviceBuffer(worker_local_directory, device_memory, host_memory)
