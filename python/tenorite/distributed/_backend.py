"""The calls among ranks, of arrays."""

import tenorite
from tenorite._lib.documents import documenter
from tenorite.cuda import nccl
from tenorite.distributed import _sparse
from tenorite.distributed._key_value_store import DEFAULT_HOST, DEFAULT_PORT
from tenorite.distributed._meeting import MPIMeeting, StoreMeeting
from tenorite.scipy.sparse import issparse

_OPERATIONS = {
    "sum": nccl.NCCL_SUM,
    "prod": nccl.NCCL_PROD,
    "max": nccl.NCCL_MAX,
    "min": nccl.NCCL_MIN,
    "avg": nccl.NCCL_AVG,
}
_GIVEN = ("ndarray or sparse matrix", "What this rank gives.")
_PARTS = ("ndarray, or list of sparse matrices", "What this rank gives, a part for each rank along the first axis.")
_documented = documenter(
    {
        "in_array": _GIVEN,
        "array": _GIVEN,
        "reduce_scatter.in_array": _PARTS,
        "all_to_all.in_array": _PARTS,
        "scatter.in_array": (_PARTS[0], "What rank `root` gives, a part for each rank along the first axis."),
        "in_out_array": ("ndarray or sparse matrix", "What is given, or receives."),
        "out_array": ("ndarray or sparse matrix", "What receives."),
        "all_reduce.out_array": ("ndarray or sparse matrix", "What receives; may be `in_array`."),
        "reduce.out_array": ("ndarray or sparse matrix", "What receives, of rank `root`; others may give None."),
        "all_gather.out_array": (_PARTS[0], "What receives, a part from each rank."),
        "all_to_all.out_array": (_PARTS[0], "What receives, a part from each rank."),
        "gather.out_array": (_PARTS[0], "What receives at rank `root`, along the first axis; others may give None."),
        "count": ("int", "The elements that a rank gives or receives; of no meaning for sparse matrices."),
        "op": (
            "{'sum', 'prod', 'min', 'max', 'avg'}",
            "What is done with the elements; sparse matrices have sum, prod.",
        ),
        "root": ("int", "The rank that gives to all, or receives from all."),
        "stream": ("Stream", "Where the call is queued."),
    }
)


def _operation(op, array):
    if op not in _OPERATIONS:
        raise RuntimeError(f"Unknown op {op}; there are {', '.join(_OPERATIONS)}")
    if array.dtype.kind == "c" and op not in ("sum", "avg"):
        raise ValueError(f"Only sum and avg are there for complex arrays, not {op}")
    return _OPERATIONS[op]


def _check_array(name, array):
    if not isinstance(array, tenorite.ndarray):
        raise TypeError(f"{name} must be a tenorite.ndarray or a sparse matrix, not {type(array).__name__}")


def _check_parts(name, array, count):
    """What has a part for each rank along its first axis."""
    if not isinstance(array, (list, tuple)) and (array.ndim == 0 or array.shape[0] != count):
        raise RuntimeError(f"{name} has shape {array.shape}; its first axis has a part for each of {count} ranks")


class NCCLBackend:
    """The calls among the ranks of a group; `init_process_group` makes it.

    Parameters
    ----------
    n_devices : int
        The number of ranks.
    rank : int
        The number of this one.
    host : str, optional
        The host of rank 0.
    port : int, optional
        The port of rank 0's store.
    use_mpi : bool, optional
        Whether the ranks find each other through MPI.

    Attributes
    ----------
    rank : int
        The number of this rank.

    Notes
    -----
    All ranks make the same calls in the same order. Arrays lie on the rank's device, in C or F
    order. A call is queued on `stream`, or on the current one without it. Sparse matrices may be
    given in the place of arrays; what the others sent is put into the matrix that receives.

    Examples
    --------
    >>> import tenorite as cp
    >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
    >>> group.rank
    0
    >>> group.stop()
    """

    def __init__(self, n_devices, rank, host=DEFAULT_HOST, port=DEFAULT_PORT, use_mpi=False):
        self.rank, self._n_devices = rank, n_devices
        self._meeting = MPIMeeting(rank, n_devices) if use_mpi else StoreMeeting(rank, n_devices, host, port)
        try:
            made = nccl.get_unique_id() if rank == 0 else None
            self._comm = nccl.NcclCommunicator(n_devices, self._meeting.share(made), rank)
        except BaseException:
            self._meeting.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def _call(self, kind, send, receive, count, op=0, root=0, stream=None):
        self._comm._call_arrays(kind, send, receive, count, op, root, stream)

    def _check_peer(self, name, peer):
        if not 0 <= peer < self._n_devices:
            raise ValueError(f"{name} {peer} of {self._n_devices} ranks, called by rank {self.rank}")

    @_documented
    def all_reduce(self, in_array, out_array, op="sum", stream=None):
        """All ranks receive the sum of what all give.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.all_reduce(a, b)
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        if issparse(in_array):
            return _sparse.all_reduce(self, in_array, out_array, op, stream)
        _check_array("in_array", in_array)
        self._call(nccl._ALL_REDUCE, in_array, out_array, in_array.size, _operation(op, in_array), 0, stream)

    @_documented
    def reduce(self, in_array, out_array, root=0, op="sum", stream=None):
        """Rank `root` receives the sum of what all give.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.reduce(a, b, root=0)
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        self._check_peer("root", root)
        if issparse(in_array):
            return _sparse.reduce(self, in_array, out_array, root, op, stream)
        _check_array("in_array", in_array)
        out = out_array if self.rank == root else None
        self._call(nccl._REDUCE, in_array, out, in_array.size, _operation(op, in_array), root, stream)

    @_documented
    def broadcast(self, in_out_array, root=0, stream=None):
        """All ranks receive what rank `root` gives.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.broadcast(a, root=0)
        >>> a
        array([0., 1., 2.])
        >>> group.stop()
        """
        self._check_peer("root", root)
        if issparse(in_out_array):
            return _sparse.broadcast(self, in_out_array, root, stream)
        _check_array("in_out_array", in_out_array)
        self._call(nccl._BROADCAST, in_out_array, in_out_array, in_out_array.size, 0, root, stream)

    @_documented
    def reduce_scatter(self, in_array, out_array, count, op="sum", stream=None):
        """Each rank receives its part of the sum of what all give.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.reduce_scatter(a, b, 3)
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        if isinstance(in_array, (list, tuple)):
            return _sparse.reduce_scatter(self, in_array, out_array, op, stream)
        _check_array("in_array", in_array)
        self._call(nccl._REDUCE_SCATTER, in_array, out_array, count, _operation(op, in_array), 0, stream)

    @_documented
    def all_gather(self, in_array, out_array, count, stream=None):
        """All ranks receive what all give, in the order of ranks.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.all_gather(a, b, 3)
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        if issparse(in_array):
            return _sparse.all_gather(self, in_array, out_array, stream)
        _check_array("in_array", in_array)
        self._call(nccl._ALL_GATHER, in_array, out_array, count, 0, 0, stream)

    @_documented
    def send(self, array, peer, stream=None):
        """Gives to rank `peer`, which calls `recv`.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.send(a, 1)  # doctest: +SKIP
        >>> group.stop()
        """
        self._check_peer("peer", peer)
        if issparse(array):
            return _sparse.exchange(self, [(array, peer)], [], stream)
        _check_array("array", array)
        self._call(nccl._SEND, array, None, array.size, 0, peer, stream)

    @_documented
    def recv(self, out_array, peer, stream=None):
        """Receives from rank `peer`, which calls `send`.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.recv(a, 1)  # doctest: +SKIP
        >>> group.stop()
        """
        self._check_peer("peer", peer)
        if issparse(out_array):
            return _sparse.exchange(self, [], [(out_array, peer)], stream)
        _check_array("out_array", out_array)
        self._call(nccl._RECEIVE, None, out_array, out_array.size, 0, peer, stream)

    @_documented
    def send_recv(self, in_array, out_array, peer, stream=None):
        """Gives to rank `peer` and receives from it, both at a time.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.send_recv(a, b, 0)
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        self._check_peer("peer", peer)
        if issparse(in_array):
            return _sparse.exchange(self, [(in_array, peer)], [(out_array, peer)], stream)
        self._exchange([(in_array, peer)], [(out_array, peer)], stream)

    @_documented
    def scatter(self, in_array, out_array, root=0, stream=None):
        """Each rank receives its part of what rank `root` gives.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.scatter(a[None], b)
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        self._check_peer("root", root)
        sent = []
        if self.rank == root:
            _check_parts("in_array", in_array, self._n_devices)
            sent = [(in_array[peer], peer) for peer in range(self._n_devices)]
        exchange = self._exchange if not issparse(out_array) else self._exchange_sparse
        exchange(sent, [(out_array, root)], stream)

    @_documented
    def gather(self, in_array, out_array, root=0, stream=None):
        """Rank `root` receives what all give, a part for each rank.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.gather(a, b[None])
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        self._check_peer("root", root)
        received = []
        if self.rank == root:
            _check_parts("out_array", out_array, self._n_devices)
            received = [(out_array[peer], peer) for peer in range(self._n_devices)]
        exchange = self._exchange if not issparse(in_array) else self._exchange_sparse
        exchange([(in_array, root)], received, stream)

    @_documented
    def all_to_all(self, in_array, out_array, stream=None):
        """Each rank gives a part to each, and receives one from each.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.all_to_all(a[None], b[None])
        >>> b
        array([0., 1., 2.])
        >>> group.stop()
        """
        _check_parts("in_array", in_array, self._n_devices)
        _check_parts("out_array", out_array, self._n_devices)
        ranks = range(self._n_devices)
        exchange = self._exchange_sparse if isinstance(in_array, (list, tuple)) else self._exchange
        exchange([(in_array[peer], peer) for peer in ranks], [(out_array[peer], peer) for peer in ranks], stream)

    def _exchange_sparse(self, sent, received, stream):
        _sparse.exchange(self, sent, received, stream)

    def _exchange(self, sent, received, stream):
        """Messages that are begun together: of (array, peer) each."""
        nccl.groupStart()
        try:
            for array, peer in sent:
                _check_array("in_array", array)
                self._call(nccl._SEND, array, None, array.size, 0, peer, stream)
            for array, peer in received:
                _check_array("out_array", array)
                self._call(nccl._RECEIVE, None, array, array.size, 0, peer, stream)
        finally:
            nccl.groupEnd()

    def barrier(self):
        """Waits until all ranks have come here; what is queued on devices may go on.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.barrier()
        >>> group.stop()
        """
        self._meeting.barrier()

    def stop(self):
        """Ends the rank: queued work is done, the store is closed.

        Examples
        --------
        >>> import tenorite as cp
        >>> group = cp.distributed.NCCLBackend(1, 0, port=0)
        >>> a, b = cp.arange(3.0), cp.zeros(3)
        >>> group.stop()
        """
        self._comm.destroy()
        self._meeting.stop()
