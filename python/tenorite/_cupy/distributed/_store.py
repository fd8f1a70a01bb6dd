"""CuPy's names of the store, and processes that report their exceptions."""

import multiprocessing
import traceback

from tenorite.distributed._key_value_store import DEFAULT_HOST, DEFAULT_PORT, StoreClient, StoreServer

__all__ = ["ExceptionAwareProcess", "TCPStore", "TCPStoreProxy"]


class ExceptionAwareProcess(multiprocessing.Process):
    """A process; `join` raises what ended it."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._ours, self._its = multiprocessing.Pipe(duplex=False)

    def run(self):
        """Calls the target."""
        try:
            super().run()
        except BaseException as error:
            self._its.send((error, traceback.format_exc()))
            raise

    def join(self, timeout=None):
        """Waits for its end."""
        super().join(timeout)
        if self._ours.poll():
            error, text = self._ours.recv()
            print(text)
            raise error


class TCPStore:
    """The store of so many ranks; `run` opens it, `stop` closes it."""

    def __init__(self, world_size):
        self._world_size, self._server = world_size, None

    def run(self, host=DEFAULT_HOST, port=DEFAULT_PORT):
        """Opens the store."""
        self._server = StoreServer(self._world_size, host, port)
        self.port = self._server.port

    def stop(self):
        """Closes it."""
        if self._server is not None:
            self._server.stop()
            self._server = None


class TCPStoreProxy:
    """A connection to the store: numbers and bytes by names."""

    def __init__(self, host=DEFAULT_HOST, port=DEFAULT_PORT):
        self._client = StoreClient(0, 1, host, port)

    def __setitem__(self, key, value):
        if not isinstance(key, str) or not isinstance(value, (int, bytes)):
            raise ValueError("a key must be a str, and a value an int or bytes")
        self._client.put(key, value if isinstance(value, int) else {"hex": value.hex()})

    def __getitem__(self, key):
        if not isinstance(key, str):
            raise ValueError("a key must be a str")
        value = self._client.get(key)
        return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value

    def __del__(self):
        if hasattr(self, "_client"):
            self._client.close()
