"""How ranks find each other: through the store of rank 0, or through MPI."""

import importlib

from tenorite.distributed._key_value_store import StoreClient, StoreServer


class StoreMeeting:
    """Ranks that meet at the store, which rank 0 holds."""

    def __init__(self, rank, count, host, port):
        self._rank = rank
        self._server = StoreServer(count, host, port) if rank == 0 else None
        try:
            self._store = StoreClient(rank, count, host, port if self._server is None else self._server.port)
        except BaseException:
            if self._server is not None:
                self._server.stop()
            raise

    def share(self, key):
        """The key of the group, which rank 0 gives and the others get (as None)."""
        if key is not None:
            self._store.put("unique id", list(key))
            return key
        return bytes(self._store.get("unique id"))

    def barrier(self):
        self._store.barrier()

    def stop(self):
        self._store.close()
        if self._server is not None:
            self._server.stop()


class MPIMeeting:
    """Ranks that MPI knows."""

    def __init__(self, rank, count):
        try:
            MPI = importlib.import_module("mpi4py.MPI")
        except ImportError as error:
            raise RuntimeError("use_mpi needs mpi4py, which is not installed here") from error
        self._world = MPI.COMM_WORLD
        if (self._world.Get_rank(), self._world.Get_size()) != (rank, count):
            raise RuntimeError(
                f"rank {rank} of {count} is rank {self._world.Get_rank()} of {self._world.Get_size()} to MPI"
            )

    def share(self, key):
        return bytes(self._world.bcast(key, root=0))

    def barrier(self):
        self._world.Barrier()

    def stop(self):
        pass
