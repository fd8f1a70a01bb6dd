"""cuTENSOR's operations on arrays."""

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite.cuda import cutensor
from tenorite.cuda._raw.tensors import NUMBERS, UNARY
from tenorite.cutensor._descriptors import (
    _Scalar,
    as_mode,
    compute_number,
    create_contraction,
    create_elementwise_binary,
    create_elementwise_trinary,
    create_plan,
    create_plan_preference,
    create_reduction,
    create_tensor_descriptor,
    get_handle,
    type_number,
)
from tenorite.cutensor._documents import operation as documented

# The function that executes plans of each operation.
_EXECUTE = {
    "contraction": "contract",
    "reduction": "reduce",
    "elementwise_binary": "elementwiseBinaryExecute",
    "elementwise_trinary": "elementwiseTrinaryExecute",
}
_NAMES = frozenset({"elementwise", "reduction", "contraction"})


def check_availability(name):
    """Returns: whatever is installed, the operations of this module work.

    Parameters
    ----------
    name : str
        What a program is about to call: "elementwise", "reduction", "contraction".

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.check_availability("contraction")
    """
    if name not in _NAMES:
        raise ValueError(f"Unknown operation {name!r}: there are {', '.join(sorted(_NAMES))}")


def serves(*arrays):
    """Whether cuTENSOR itself contracts such arrays: it is installed, and they lie on a GPU."""
    if not cutensor._library.serves():
        return False
    return all(array.size and array.device.backend == "cuda" and array.dtype.name in NUMBERS for array in arrays)


def _read(name, arrays, modes):
    """The labels of tensors, after a look at both."""
    found = [as_mode(mode) for mode in modes]
    sizes = {}
    for letter, array, mode in zip("ABC" if len(arrays) == 3 else "AC", arrays, found):
        if not isinstance(array, ndarray):
            raise TypeError(f"cutensor.{name}: {letter} must be a tenorite.ndarray, not {type(array)}")
        type_number(array.dtype)
        if mode.ndim != array.ndim:
            raise ValueError(
                f"cutensor.{name}: ndim mismatch: {letter} has shape {array.shape}, its labels are {mode!r}"
            )
        for label, size in zip(mode.labels, array.shape):
            known, where = sizes.setdefault(label, (size, letter))
            if known != size:
                text = f"{label} ({chr(label)!r})" if 32 <= label < 127 else f"{label}"
                raise ValueError(f"cutensor.{name}: axis {text} has size {known} in {where} and {size} in {letter}")
    return found


def _plain(array):
    """The array, or a copy where it has strides that cuTENSOR lacks: 0 and below."""
    return array if all(step > 0 for step in array.strides) else array.copy()


def _run(name, make, scalars, inputs, modes, operators, out, combine, compute_desc, preference=()):
    """make(descriptors, modes, operators ..., compute): the operation; out is also the last input
    of contractions and reductions."""
    if not out.size:
        return out
    if any(not array.size for array in inputs):
        return _run_empty(name, scalars, inputs, operators, out, combine)
    target = out if all(step > 0 for step in out.strides) else out.copy()
    arrays = [target if array is out else _plain(array) for array in inputs]
    handle = get_handle()
    descriptors = [create_tensor_descriptor(array) for array in arrays]
    compute = compute_number(out.dtype, compute_desc)
    words = [word for triple in zip(descriptors, modes, operators) for word in triple]
    if make in (create_elementwise_binary, create_elementwise_trinary):
        words += [create_tensor_descriptor(target), modes[-1]]
    try:
        operation = make(*words, *combine, compute)
    except cutensor.CuTensorError as error:
        dtypes = ", ".join(str(array.dtype) for array in inputs)
        raise type(error)(error.status) from ValueError(
            f"cutensor.{name}: arrays of shapes {', '.join(str(array.shape) for array in inputs)} and dtypes {dtypes}, "
            f"labels {', '.join(map(repr, modes))}, operators {(*operators, *combine)}"
        )
    algo, jit_mode, workspace = preference or (cutensor.ALGO_DEFAULT, cutensor.JIT_MODE_NONE, 0)
    choice = create_plan_preference(algo, jit_mode)
    limit = cutensor.estimateWorkspaceSize(handle.ptr, operation.ptr, choice.ptr, workspace) if workspace else 0
    plan = create_plan(operation, choice, limit)
    dtype = operation._scalar_dtype(handle.ptr)
    factors = [_Scalar(scalar, dtype) for scalar in scalars]
    plan._run(_EXECUTE[name], handle.ptr, factors, [*arrays, target])
    if target is not out:
        out[...] = target
    return out


def _run_empty(name, scalars, inputs, operators, out, combine):
    """Sums of no elements are 0, products 1; there is no extreme."""
    if name == "reduction" and combine[0] not in (cutensor.OP_ADD, cutensor.OP_MUL):
        raise ValueError(
            f"cutensor.reduction: A of shape {inputs[0].shape} has no elements of which to take an extreme"
        )
    start = scalars[0] if name == "reduction" and combine[0] == cutensor.OP_MUL else 0
    last = UNARY.get(operators[-1], lambda x: x)(inputs[-1])
    out[...] = start + (scalars[-1] * last if scalars[-1] != 0 else 0)
    return out


def _checked_out(name, out, C):
    if out is None:
        return _core.empty(C.shape, C.dtype)
    if not isinstance(out, ndarray):
        raise TypeError(f"cutensor.{name}: out must be a tenorite.ndarray, not {type(out)}")
    if out.shape != C.shape or out.dtype != C.dtype:
        raise ValueError(
            f"cutensor.{name}: out has shape {out.shape} and dtype {out.dtype}, C has {C.shape} and {C.dtype}"
        )
    return out


@documented
def elementwise_trinary(
    alpha,
    A,
    mode_A,
    beta,
    B,
    mode_B,
    gamma,
    C,
    mode_C,
    out=None,
    op_A=cutensor.OP_IDENTITY,
    op_B=cutensor.OP_IDENTITY,
    op_C=cutensor.OP_IDENTITY,
    op_AB=cutensor.OP_ADD,
    op_ABC=cutensor.OP_ADD,
    compute_desc=0,
):
    """``op_ABC(op_AB(alpha * op_A(A), beta * op_B(B)), gamma * op_C(C))`` of three tensors.

    Returns
    -------
    ndarray
        `out` or a new array, of C's shape and dtype.

    Raises
    ------
    ValueError
        For labels that do not fit the arrays.
    CuTensorError
        For what cuTENSOR refuses.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> a = cp.arange(3.0)
    >>> cutensor.elementwise_trinary(1, a, "i", 2, a, "i", 1, cp.ones((2, 3)), "ji")
    array([[1., 4., 7.],
           [1., 4., 7.]])
    """
    modes = _read("elementwise_trinary", (A, B, C), (mode_A, mode_B, mode_C))
    out = _checked_out("elementwise_trinary", out, C)
    return _run(
        "elementwise_trinary",
        create_elementwise_trinary,
        (alpha, beta, gamma),
        (A, B, C),
        modes,
        (op_A, op_B, op_C),
        out,
        (op_AB, op_ABC),
        compute_desc,
    )


@documented
def elementwise_binary(
    alpha,
    A,
    mode_A,
    gamma,
    C,
    mode_C,
    out=None,
    op_A=cutensor.OP_IDENTITY,
    op_C=cutensor.OP_IDENTITY,
    op_AC=cutensor.OP_ADD,
    compute_desc=0,
):
    """Combines the elements of two tensors: ``op_AC(alpha * op_A(A), gamma * op_C(C))``.

    Returns
    -------
    ndarray
        `out` or a new array, of C's shape and dtype.

    Raises
    ------
    ValueError
        For labels that do not fit the arrays.
    CuTensorError
        For what cuTENSOR refuses.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> cutensor.elementwise_binary(10, cp.arange(3.0), "i", 1, cp.ones((3, 2)), "ij")
    array([[ 1.,  1.],
           [11., 11.],
           [21., 21.]])
    """
    modes = _read("elementwise_binary", (A, C), (mode_A, mode_C))
    out = _checked_out("elementwise_binary", out, C)
    return _run(
        "elementwise_binary",
        create_elementwise_binary,
        (alpha, gamma),
        (A, C),
        modes,
        (op_A, op_C),
        out,
        (op_AC,),
        compute_desc,
    )


@documented
def contraction(
    alpha,
    A,
    mode_A,
    B,
    mode_B,
    beta,
    C,
    mode_C,
    op_A=cutensor.OP_IDENTITY,
    op_B=cutensor.OP_IDENTITY,
    op_C=cutensor.OP_IDENTITY,
    algo=cutensor.ALGO_DEFAULT,
    jit_mode=cutensor.JIT_MODE_NONE,
    compute_desc=0,
    ws_pref=cutensor.WORKSPACE_RECOMMENDED,
):
    """``C = alpha * op_A(A) * op_B(B) + beta * op_C(C)``, summed over labels that C lacks.

    Returns
    -------
    ndarray
        C.

    Raises
    ------
    ValueError
        For labels that do not fit the arrays.
    CuTensorError
        For what cuTENSOR refuses.

    See Also
    --------
    tenorite.einsum : Contractions of any number of arrays.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> a = cp.arange(6.0).reshape(2, 3)
    >>> cutensor.contraction(1, a, "ik", a, "jk", 0, cp.empty((2, 2)), "ij")
    array([[ 5., 14.],
           [14., 50.]])
    """
    modes = _read("contraction", (A, B, C), (mode_A, mode_B, mode_C))
    return _run(
        "contraction",
        create_contraction,
        (alpha, beta),
        (A, B, C),
        modes,
        (op_A, op_B, op_C),
        C,
        (),
        compute_desc,
        (algo, jit_mode, ws_pref),
    )


@documented
def reduction(
    alpha,
    A,
    mode_A,
    beta,
    C,
    mode_C,
    op_A=cutensor.OP_IDENTITY,
    op_C=cutensor.OP_IDENTITY,
    op_reduce=cutensor.OP_ADD,
    compute_desc=0,
):
    """``C = alpha * op_reduce(op_A(A)) + beta * op_C(C)``, folded over the labels that C lacks.

    Returns
    -------
    ndarray
        C.

    Raises
    ------
    ValueError
        For labels that do not fit the arrays, and for the extreme of no elements.
    CuTensorError
        For what cuTENSOR refuses.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> cutensor.reduction(2, cp.arange(6.0).reshape(2, 3), "ij", 1, cp.ones(3), "j")
    array([ 7., 11., 15.])
    """
    modes = _read("reduction", (A, C), (mode_A, mode_C))
    return _run(
        "reduction",
        create_reduction,
        (alpha, beta),
        (A, C),
        modes,
        (op_A, op_C),
        C,
        (op_reduce,),
        compute_desc,
        (cutensor.ALGO_DEFAULT, cutensor.JIT_MODE_NONE, cutensor.WORKSPACE_RECOMMENDED),
    )
