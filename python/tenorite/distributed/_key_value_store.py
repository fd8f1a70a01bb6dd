"""The store: values that ranks hand to each other, and a barrier, through a port of rank 0.

A rank keeps one connection, and asks in lines of JSON. The end of a connection before the rank has
said that it leaves is the end of the rank: what others wait for fails then.
"""

import atexit
import contextlib
import errno
import json
import os
import socket
import threading
import time

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 13333
_GREETING = "tenorite-store-1"
_SECONDS_TO_ANSWER = 10  # of a store that stops


def seconds_to_wait():
    """How long a rank waits for others: TENORITE_DISTRIBUTED_TIMEOUT, 60 without it."""
    return float(os.environ.get("TENORITE_DISTRIBUTED_TIMEOUT", 60))


class _Refused(RuntimeError):
    """What the store answers to a rank that can't be served."""


class StoreServer:
    """The store, which rank 0 holds: a thread for each rank.

    Parameters
    ----------
    count : int
        The number of ranks.
    host : str
        The address to listen at.
    port : int
        The port; 0 for a free one, which `port` has then.
    """

    def __init__(self, count, host, port):
        self._count, self._values, self._changed = count, {}, threading.Condition()
        self._ranks, self._left, self._arrived, self._rounds, self._broken = set(), set(), set(), 0, None
        self._answering, self._waiting = 0, []  # requests, and what those of them that wait need
        self._process = os.getpid()
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind((host, port))
        except OSError as error:
            self._listener.close()
            if error.errno != errno.EADDRINUSE:
                raise
            raise OSError(
                error.errno, f"port {port} of {host} is in use; CUPYX_DISTRIBUTED_PORT or port= chooses another"
            ) from None
        self._listener.listen(count)
        self.port = self._listener.getsockname()[1]
        atexit.register(self.stop)
        threading.Thread(target=self._accept, name="tenorite-store", daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        rank = None
        with connection, connection.makefile("rwb") as lines:
            try:
                for line in lines:
                    with self._counted():
                        try:
                            request = json.loads(line)
                            if request["do"] == "come":
                                rank = self._come(**request["with"])
                                answer = [_GREETING]
                            else:
                                answer = [getattr(self, "_" + request["do"])(rank, **request["with"])]
                        except _Refused as refusal:
                            answer = [None, str(refusal)]
                        lines.write(json.dumps(answer).encode() + b"\n")
                        lines.flush()
            except (OSError, ValueError, KeyError):
                pass
        if rank is not None:
            self._end(rank)

    @contextlib.contextmanager
    def _counted(self):
        """A request that is being answered."""
        with self._changed:
            self._answering += 1
        try:
            yield
        finally:
            with self._changed:
                self._answering -= 1
                self._changed.notify_all()

    def _end(self, rank):
        with self._changed:
            if rank not in self._left and self._broken is None:
                self._broken = f"rank {rank} of {self._count} has died"
            self._changed.notify_all()

    def _wait(self, is_there, what, seconds):
        """Called with the lock held."""
        end = time.monotonic() + seconds
        while not is_there():
            if self._broken:
                raise _Refused(f"{what}: {self._broken}")
            left = end - time.monotonic()
            if left <= 0:
                raise _Refused(f"timeout: {what}: not all ranks came within {seconds:g} s")
            self._waiting.append(is_there)
            self._changed.wait(left)
            self._waiting.remove(is_there)

    # --- What ranks ask for ---

    def _come(self, rank, count):
        with self._changed:
            if count != self._count:
                raise _Refused(f"rank {rank} says that there are {count} ranks, rank 0 that there are {self._count}")
            if rank in self._ranks:
                raise _Refused(f"rank {rank} has come already")
            self._ranks.add(rank)
        return rank

    def _put(self, rank, key, value):
        with self._changed:
            self._values[key] = value
            self._changed.notify_all()

    def _get(self, rank, key, seconds):
        with self._changed:
            self._wait(lambda: key in self._values, f"rank {rank} waits for {key}", seconds)
            return self._values[key]

    def _barrier(self, rank, seconds):
        with self._changed:
            this = self._rounds
            self._arrived.add(rank)
            if len(self._arrived) == self._count:
                self._arrived.clear()
                self._rounds += 1
                self._changed.notify_all()
            left = sorted(self._left)
            if left and self._rounds == this:
                raise _Refused(f"rank {rank} waits at a barrier: rank {left[0]} has left")
            self._wait(lambda: self._rounds != this, f"rank {rank} waits at a barrier", seconds)

    def _leave(self, rank):
        with self._changed:
            self._left.add(rank)
            if self._arrived and self._broken is None:
                self._broken = f"rank {rank} has left"
            self._changed.notify_all()

    def _is_answered(self):
        """Only requests are left that wait for what is not there. Called with the lock held."""
        return self._answering == len([wish for wish in self._waiting if not (self._broken or wish())])

    def stop(self):
        """Closes the port, after the answers that others are owed: they left a barrier with us."""
        atexit.unregister(self.stop)
        if os.getpid() != self._process:  # a fork's exit
            return
        with self._changed:
            self._changed.wait_for(self._is_answered, _SECONDS_TO_ANSWER)
        try:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        except OSError:
            pass
        self._listener.close()


class StoreClient:
    """A rank's connection to the store. Waits until rank 0 is there.

    Parameters
    ----------
    rank, count : int
        The rank, of so many.
    host : str
        The host of rank 0.
    port : int
        The store's port.
    """

    def __init__(self, rank, count, host, port):
        self._rank, self._lock, self._place = rank, threading.Lock(), f"{host}:{port}"
        self._socket = self._connect(host, port)
        self._lines = self._socket.makefile("rwb")
        try:
            greeting = self._ask("come", rank=rank, count=count)
        except ValueError:
            greeting = None
        except Exception:
            self.close()
            raise
        if greeting != _GREETING:
            self.close()
            raise RuntimeError(f"rank {rank}: what answers at {self._place} is no store of ours")

    def _connect(self, host, port):
        end = time.monotonic() + seconds_to_wait()
        while True:
            try:
                made = socket.create_connection((host, port), timeout=max(end - time.monotonic(), 0.1))
            except OSError as error:
                if time.monotonic() < end and not isinstance(error, socket.gaierror):
                    time.sleep(0.05)
                    continue
                raise TimeoutError(
                    f"rank {self._rank}: no store at {self._place} within {seconds_to_wait():g} s ({error}); "
                    "rank 0 holds it"
                ) from error
            # The store itself counts the time; a little later the connection gives up, too.
            made.settimeout(seconds_to_wait() + 30)
            return made

    def _ask(self, what, **options):
        with self._lock:
            try:
                self._lines.write(json.dumps({"do": what, "with": options}).encode() + b"\n")
                self._lines.flush()
                line = self._lines.readline()
            except TimeoutError:
                raise TimeoutError(f"rank {self._rank}: the store at {self._place} does not answer") from None
            except OSError as error:
                raise RuntimeError(f"rank {self._rank}: rank 0 has gone ({error})") from error
        if not line:
            raise RuntimeError(f"rank {self._rank}: rank 0 has gone: its store at {self._place} is closed")
        value, *refusal = json.loads(line)
        if refusal:
            kind = TimeoutError if refusal[0].startswith("timeout: ") else RuntimeError
            raise kind(refusal[0].removeprefix("timeout: "))
        return value

    def put(self, key, value):
        """Keeps a value for the others."""
        self._ask("put", key=key, value=value)

    def get(self, key):
        """A value, as soon as a rank has put it."""
        return self._ask("get", key=key, seconds=seconds_to_wait())

    def barrier(self):
        """Waits until all ranks have come here."""
        self._ask("barrier", seconds=seconds_to_wait())

    def close(self):
        """Says that the rank leaves, and closes the connection."""
        try:
            self._ask("leave")
        except (RuntimeError, ValueError, TimeoutError):
            pass
        self._lines.close()
        self._socket.close()
