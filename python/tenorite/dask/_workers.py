"""A cluster on one machine, whose workers have a device each."""

import os

import _tenorite_dask
from dask.system import CPU_COUNT
from dask.utils import parse_bytes
from distributed import LocalCluster
from distributed.system import MEMORY_LIMIT

import tenorite


class DeviceCluster(LocalCluster):
    """LocalCluster, whose workers' variables say which device is theirs."""

    def __init__(self, n_workers, device_memory, options):
        refused = {"processes", "env", "data", "worker_class"} & options.keys()
        if refused:
            raise TypeError(f"local_cluster() sets {', '.join(sorted(refused))} itself")
        self._is_host = tenorite.cuda.Device().backend == "host"
        self._devices = tenorite.cuda.runtime.getDeviceCount()
        n_workers = self._devices if n_workers is None else n_workers
        self._cores = max(1, CPU_COUNT // max(1, n_workers))
        options.setdefault("threads_per_worker", 1)
        options.setdefault("memory_limit", MEMORY_LIMIT // max(1, n_workers))
        if not self._is_host:
            host = parse_bytes(options["memory_limit"] or 0)
            options["data"] = (_tenorite_dask.buffer, {"device_memory": device_memory, "host_memory": host})
        # Workers are made by new_worker_spec(), each with variables of its own.
        super().__init__(n_workers=0, processes=True, **options)
        self.scale(n_workers)
        if not self.asynchronous:
            self.sync(self._correct_state)

    def new_worker_spec(self):
        """The next worker, as LocalCluster makes it, with the variables of its device."""
        ((name, spec),) = super().new_worker_spec().items()
        return {name: {**spec, "options": {**spec["options"], "env": self._variables(int(name))}}}

    def _variables(self, worker):
        if self._is_host:
            return {"TENORITE_BACKEND": "host", "TENORITE_HOST_DEVICES": "1", "TENORITE_NUM_THREADS": str(self._cores)}
        seen = os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(self._devices)))
        return {"TENORITE_BACKEND": "cuda", "CUDA_VISIBLE_DEVICES": seen.split(",")[worker % self._devices]}
