"""NCCL under CuPy's names: collectives by addresses, among ranks that are devices.

On GPUs they are NCCL's own, which is loaded when it is first used. On the host the same calls work
among threads, devices (``TENORITE_HOST_DEVICES``) and processes of one machine, which share memory:
a program for NCCL is tested without a GPU.
"""

from tenorite import _core
from tenorite._lib.documents import documenter as _documenter
from tenorite.cuda.device import Device as _Device
from tenorite.cuda.stream import get_current_stream as _get_current_stream
from tenorite.exceptions import NcclError

__all__ = [
    "NcclCommunicator",
    "NcclConfig",
    "NcclError",
    "available",
    "check_status",
    "get_build_version",
    "get_unique_id",
    "get_version",
    "groupEnd",
    "groupStart",
]

NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)
NCCL_INT8, NCCL_UINT8, NCCL_INT32, NCCL_UINT32, NCCL_INT64, NCCL_UINT64 = range(6)
NCCL_FLOAT16, NCCL_FLOAT32, NCCL_FLOAT64, NCCL_BFLOAT16 = range(6, 10)
NCCL_CHAR, NCCL_INT, NCCL_HALF, NCCL_FLOAT, NCCL_DOUBLE = 0, 2, 6, 7, 8
NCCL_UNIQUE_ID_BYTES, NCCL_SPLIT_NOCOLOR = 128, -1
__all__ += [name for name in dir() if name.startswith("NCCL_")]

_ALL_REDUCE, _REDUCE, _BROADCAST, _REDUCE_SCATTER, _ALL_GATHER, _SEND, _RECEIVE = range(7)
_documented = _documenter(
    {
        "sendbuf": ("int", "The address of what this rank sends."),
        "sendbuff": ("int", "The address of what rank `root` sends."),
        "recvbuf": ("int", "The address of what receives."),
        "recvbuff": ("int", "The address of what receives."),
        "buff": ("int", "The address of what is sent or receives."),
        "count": ("int", "How many elements a rank sends."),
        "recvcount": ("int", "How many elements a rank receives."),
        "datatype": ("int", "Their dtype, as ``NCCL_FLOAT32``."),
        "op": ("int", "The operation, as ``NCCL_SUM``."),
        "root": ("int", "The rank that sends or receives."),
        "stream": ("int", "Where the call is queued."),
    }
)


def __getattr__(name):
    if name == "available":
        return _is_available()
    raise AttributeError(f"module 'tenorite.cuda.nccl' has no attribute {name!r}")


def _is_available():
    """Whether NCCL is found; on the host, where nothing is needed, True."""
    try:
        return _Device().backend == "host" or get_version() > 0
    except RuntimeError:
        return False


def check_status(status):
    """Raises NcclError for the number of a failure.

    Parameters
    ----------
    status : int
        NCCL's number (``ncclResult_t``).

    Raises
    ------
    NcclError
        If it is not 0.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nccl.check_status(0)
    """
    if status != 0:
        raise NcclError(status)


def get_version():
    """NCCL's version; on the host that of which the calls are.

    Returns
    -------
    int
        22703 is 2.27.3.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nccl.get_version() >= 20000
    True
    """
    return _core._collective_version()


def get_build_version():
    """The same as `get_version`: nothing of NCCL is part of this library when it is built.

    Returns
    -------
    int
        22703 is 2.27.3.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nccl.get_build_version() == cp.cuda.nccl.get_version()
    True
    """
    return get_version()


def get_unique_id():
    """What the ranks of one group have in common, made by one of them and handed to the others.

    Returns
    -------
    bytes
        128 of them.

    Notes
    -----
    On the host the process that makes it must live until all ranks have come, and of ids that no
    rank has used the last 64 are good.

    Examples
    --------
    >>> import tenorite as cp
    >>> len(cp.cuda.nccl.get_unique_id())
    128
    """
    return _core._communicator_key()


def groupStart():
    """Begins a group: calls of this thread until `groupEnd` are begun together.

    Messages of one thread that wait for each other must be in one group, and so must the calls of
    several communicators of one thread.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nccl.groupStart()
    >>> cp.cuda.nccl.groupEnd()
    """
    _core._collective_group_begin()


def groupEnd():
    """Ends a group, and begins its calls.

    Raises
    ------
    NcclError
        If no group is open, or a call of the group failed.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nccl.groupStart()
    >>> cp.cuda.nccl.groupEnd()
    """
    _core._collective_group_end()


class NcclConfig:
    """Options of a communicator, which NCCL chooses where they are None.

    They mean nothing on the host.

    Parameters
    ----------
    split_share : int, optional
        Whether communicators that `NcclCommunicator.commSplit` makes share what they can.
    blocking : int, optional
        Whether calls wait until they have begun.
    cga_cluster_size, min_ctas, max_ctas : int, optional
        How much of the GPU NCCL's kernels may take.
    net_name : str, optional
        The network.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nccl.NcclConfig(split_share=1).split_share
    1
    """

    def __init__(
        self, split_share=0, blocking=None, cga_cluster_size=None, min_ctas=None, max_ctas=None, net_name=None
    ):
        self.blocking, self.cga_cluster_size = blocking, cga_cluster_size
        self.min_ctas, self.max_ctas = min_ctas, max_ctas
        self.net_name, self.split_share = net_name, split_share

    def _words(self):
        numbers = (self.blocking, self.cga_cluster_size, self.min_ctas, self.max_ctas, self.split_share)
        return True, tuple(-(2**31) if number is None else int(number) for number in numbers), self.net_name or ""


def _words_of(config):
    return (False, (), "") if config is None else config._words()


def _key(commId):
    """The bytes of a unique id, which may be numbers as CuPy's were before version 14."""
    is_numbers = isinstance(commId, (tuple, list)) and len(commId) == NCCL_UNIQUE_ID_BYTES
    if not is_numbers and not isinstance(commId, (bytes, bytearray)):
        raise TypeError(f"commId must be bytes, not {type(commId).__name__}")
    if len(commId) != NCCL_UNIQUE_ID_BYTES:
        raise ValueError(f"commId length {len(commId)} != {NCCL_UNIQUE_ID_BYTES}.")
    return bytes(byte & 255 for byte in commId)


class NcclCommunicator:
    """A rank of a group, on the current device.

    Waits until all ranks have come, or, between `groupStart` and `groupEnd`, leaves that to
    `groupEnd`.

    Parameters
    ----------
    ndev : int
        The number of ranks.
    commId : bytes
        What `get_unique_id` gave to one of them.
    rank : int
        The number of this one, from 0.
    config : NcclConfig, optional
        Options.

    Raises
    ------
    NcclError
        If a rank has died or does not come in time (``TENORITE_NCCL_TIMEOUT``), if a number is
        wrong, or if the rank has come already.

    Notes
    -----
    Addresses are whole numbers, or anything with ``ptr`` (``a.data``). Counts are of elements.
    Dtypes and operations are the constants ``NCCL_FLOAT32``, ``NCCL_SUM`` and so on of the module.
    A stream is its ``ptr``, 0 for the default one; the call is queued there. Memory must not be
    given back before that is done, but to the pool, whose later work on that stream waits for it.

    On the host a call that finds a rank dead, gone or, after ``TENORITE_NCCL_TIMEOUT`` seconds (600
    without it), still missing raises NcclError, and the group is of no more use to any rank. On a
    stream of its own the call raises when the stream is synchronized.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.cuda import nccl
    >>> rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
    >>> a = cp.arange(3, dtype="float32")
    >>> rank.allReduce(a.data.ptr, a.data.ptr, a.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, 0)
    >>> a
    array([0., 1., 2.], dtype=float32)
    >>> rank.check_async_error()
    >>> rank.size(), rank.rank_id(), rank.device_id()
    (1, 0, 0)
    """

    def __init__(self, ndev, commId, rank, config=None):
        self._communicator = _core._communicator_new(ndev, _key(commId), rank, *_words_of(config))

    @classmethod
    def _of(cls, communicator):
        made = cls.__new__(cls)
        made._communicator = communicator
        return made

    @staticmethod
    def initAll(devices):
        """A rank for each of several devices of this process.

        Parameters
        ----------
        devices : int or sequence of int
            How many devices, or their numbers.

        Returns
        -------
        list of NcclCommunicator
            In the order of the devices.

        Examples
        --------
        >>> import tenorite as cp
        >>> [rank.size() for rank in cp.cuda.nccl.NcclCommunicator.initAll(1)]
        [1]
        """
        numbers = tuple(range(devices)) if isinstance(devices, int) else tuple(devices)
        return [NcclCommunicator._of(made) for made in _core._communicator_new_all(numbers)]

    def commSplit(self, color, key, config=None):
        """Groups within a group: the ranks that give the same color. All ranks call it.

        Parameters
        ----------
        color : int
            Which group; -1 (``NCCL_SPLIT_NOCOLOR``): none.
        key : int
            Ranks of the new group are numbered by it, and equal ones by their old rank.
        config : NcclConfig, optional
            Options.

        Returns
        -------
        NcclCommunicator or None
            The rank of the new group; None without a color.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda.nccl import NcclCommunicator
        >>> rank = NcclCommunicator.initAll(1)[0]
        >>> rank.commSplit(0, 0).size()
        1
        """
        made = _core._communicator_split(self._communicator, color, key, *_words_of(config))
        return None if made is None else NcclCommunicator._of(made)

    # --- What is known ---

    def _facts(self):
        return _core._communicator_facts(self._communicator)

    @property
    def comm(self):
        """The handle, as a number; 0 after `destroy` and `abort`."""
        try:
            return self._facts()[3]
        except NcclError:
            return 0

    def size(self):
        """How many ranks the group has.

        Returns
        -------
        int
            The number.
        """
        return self._facts()[0]

    def rank_id(self):
        """The number of this rank.

        Returns
        -------
        int
            The number.
        """
        return self._facts()[1]

    def device_id(self):
        """The number of the rank's device.

        Returns
        -------
        int
            The number.
        """
        return self._facts()[2]

    def check_async_error(self):
        """Raises NcclError for a failure that showed after the call that caused it."""
        _core._communicator_check(self._communicator)

    # --- The end ---

    def destroy(self):
        """Ends the rank after its queued work. Later calls are refused.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> rank.destroy()
        >>> rank.comm
        0
        """
        _core._communicator_finish(self._communicator, False)

    def abort(self):
        """Ends the rank at once; what it and the other ranks still wait for fails.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> rank.abort()
        >>> rank.comm
        0
        """
        _core._communicator_finish(self._communicator, True)

    # --- Calls ---

    def _call(self, kind, sendbuf, recvbuf, count, datatype, op, root, stream):
        _core._collective(self._communicator, kind, sendbuf, recvbuf, count, datatype, op, root, stream)

    @_documented
    def allReduce(self, sendbuf, recvbuf, count, datatype, op, stream):
        """All ranks receive the sum (or `op`) of what all send. The addresses may be the same.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> rank.allReduce(a.data.ptr, b.data.ptr, 3, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, 0)
        >>> b
        array([0., 1., 2.])
        """
        self._call(_ALL_REDUCE, sendbuf, recvbuf, count, datatype, op, 0, stream)

    @_documented
    def reduce(self, sendbuf, recvbuf, count, datatype, op, root, stream):
        """Rank `root` receives the sum (or `op`) of what all send.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> rank.reduce(a.data.ptr, b.data.ptr, 3, nccl.NCCL_DOUBLE, nccl.NCCL_MAX, 0, 0)
        >>> b
        array([0., 1., 2.])
        """
        self._call(_REDUCE, sendbuf, recvbuf, count, datatype, op, root, stream)

    @_documented
    def broadcast(self, sendbuff, recvbuff, count, datatype, root, stream):
        """All ranks receive what rank `root` sends.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> rank.broadcast(a.data.ptr, b.data.ptr, 3, nccl.NCCL_DOUBLE, 0, 0)
        >>> b
        array([0., 1., 2.])
        """
        self._call(_BROADCAST, sendbuff, recvbuff, count, datatype, 0, root, stream)

    @_documented
    def bcast(self, buff, count, datatype, root, stream):
        """`broadcast` in place.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> rank.bcast(a.data.ptr, 3, nccl.NCCL_DOUBLE, 0, 0)
        >>> a
        array([0., 1., 2.])
        """
        self._call(_BROADCAST, buff, buff, count, datatype, 0, root, stream)

    @_documented
    def reduceScatter(self, sendbuf, recvbuf, recvcount, datatype, op, stream):
        """Each rank receives its part of the sum (or `op`): `recvcount` of size x recvcount.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> rank.reduceScatter(a.data.ptr, b.data.ptr, 3, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, 0)
        >>> b
        array([0., 1., 2.])
        """
        self._call(_REDUCE_SCATTER, sendbuf, recvbuf, recvcount, datatype, op, 0, stream)

    @_documented
    def allGather(self, sendbuf, recvbuf, count, datatype, stream):
        """All ranks receive what all send, in the order of ranks: size x count elements.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> rank.allGather(a.data.ptr, b.data.ptr, 3, nccl.NCCL_DOUBLE, 0)
        >>> b
        array([0., 1., 2.])
        """
        self._call(_ALL_GATHER, sendbuf, recvbuf, count, datatype, 0, 0, stream)

    @_documented
    def send(self, sendbuf, count, datatype, peer, stream):
        """Sends to rank `peer`, which calls `recv` with the same count and dtype.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> nccl.groupStart()
        >>> rank.send(a.data.ptr, 3, nccl.NCCL_DOUBLE, 0, 0)
        >>> rank.recv(b.data.ptr, 3, nccl.NCCL_DOUBLE, 0, 0)
        >>> nccl.groupEnd()
        >>> b
        array([0., 1., 2.])
        """
        self._call(_SEND, sendbuf, 0, count, datatype, 0, peer, stream)

    @_documented
    def recv(self, recvbuf, count, datatype, peer, stream):
        """Receives from rank `peer`.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.cuda import nccl
        >>> rank = nccl.NcclCommunicator.initAll(1)[0]
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> nccl.groupStart()
        >>> rank.recv(b.data.ptr, 3, nccl.NCCL_DOUBLE, 0, 0)
        >>> rank.send(a.data.ptr, 3, nccl.NCCL_DOUBLE, 0, 0)
        >>> nccl.groupEnd()
        >>> b
        array([0., 1., 2.])
        """
        self._call(_RECEIVE, 0, recvbuf, count, datatype, 0, peer, stream)

    def _call_arrays(self, kind, send, receive, count, op=0, root=0, stream=None):
        """A call by arrays, on a Stream (None: the current one); their memory is not used again
        before it is done."""
        if stream is None:
            stream = _get_current_stream(self.device_id())
        _core._collective_arrays(self._communicator, kind, send, receive, count, op, root, stream)
