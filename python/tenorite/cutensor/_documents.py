"""What parameters of one name mean in the functions of this package."""

from tenorite._lib.documents import documenter

_TENSOR = ("ndarray", "A tensor.")
_LABELS = ("sequence of int or str, or Mode", "The label of each axis of its tensor.")
_PIECES = ("ndarray_mg, numpy.ndarray or ndarray", "A tensor.")
_FACTOR = ("scalar", "A factor; what has the factor 0 is not read.")
_UNARY = ("int", "An operator of one element, ``tenorite.cuda.cutensor.OP_...``.")
_BINARY = ("int", "OP_ADD, OP_MUL, OP_MAX or OP_MIN.")
_DESCRIPTOR = ("TensorDescriptor", "The tensor of that letter.")

_SHARED = {
    **dict.fromkeys(("alpha", "beta", "gamma"), _FACTOR),
    **dict.fromkeys(("op_A", "op_B", "op_C"), _UNARY),
    **dict.fromkeys(("op_AB", "op_AC", "op_ABC", "op_reduce"), _BINARY),
    "compute_desc": ("int", "``tenorite.cuda.cutensor.COMPUTE_DESC_...``; 0: that of the output's dtype."),
    "ws_pref": ("int", "How much memory may be used beside the tensors, ``WORKSPACE_...``."),
    "algo": ("int", "``tenorite.cuda.cutensor.ALGO_...``, of contractions."),
    "jit_mode": ("int", "Whether cuTENSOR may compile kernels, ``JIT_MODE_...``."),
}
# Of functions of arrays.
operation = documenter(
    _SHARED
    | dict.fromkeys(("A", "B", "C"), _TENSOR)
    | dict.fromkeys(("mode_A", "mode_B", "mode_C"), _LABELS)
    | {
        "elementwise_binary.A": ("ndarray", "A tensor; it may lack labels of C, over which it is repeated."),
        "elementwise_trinary.A": ("ndarray", "A tensor; it may lack labels of C, over which it is repeated."),
        "elementwise_trinary.B": ("ndarray", "A tensor; it may lack labels of C, over which it is repeated."),
        "contraction.C": ("ndarray", "The tensor that the result is added to and stored in."),
        "reduction.C": ("ndarray", "The tensor that the result is added to and stored in."),
        "out": ("ndarray", "Where the result is stored, of C's shape and dtype."),
    }
)
# Of functions of descriptors.
described = documenter(
    _SHARED
    | dict.fromkeys(("desc_A", "desc_B", "desc_C", "desc_D"), _DESCRIPTOR)
    | dict.fromkeys(("mode_A", "mode_B", "mode_C", "mode_D"), ("Mode", "The labels of the tensor's axes."))
    | {
        "desc": ("OperationDescriptor", "The operation."),
        "pref": ("PlanPreference", "How an algorithm is looked for."),
        "ws_limit": ("int", "The bytes of memory beside the tensors that the plan may use."),
    }
)
# Of functions of several devices.
spread = documenter(
    _SHARED
    | dict.fromkeys(("A", "B", "C", "dst", "src"), _PIECES)
    | dict.fromkeys(("modeA", "modeB", "modeC", "modeD", "mode_Dst", "mode_Src"), _LABELS)
    | dict.fromkeys(("descA", "descB", "descC", "descD", "descDst", "descSrc"), ("MgTensorDescriptor", "A tensor."))
    | {
        f"{name}.{mode}": ("Mode", "The labels of the tensor's axes.")
        for name in ("create_mg_copy_descriptor", "create_mg_contraction_descriptor")
        for mode in ("modeA", "modeB", "modeC", "modeD", "modeDst", "modeSrc")
    }
    | {
        "a": ("ndarray_mg", "The tensor."),
        "D": (_PIECES[0], "Where the result is stored; the default is C."),
        "contractionMg.modeD": (_LABELS[0], "The labels of its axes; the default are those of C."),
        "create_mg_copy_plan.desc": ("MgCopyDescriptor", "The copy."),
        "create_mg_contraction_plan.desc": ("MgContractionDescriptor", "The contraction."),
        "find": ("MgContractionFind", "How an algorithm is looked for."),
        "create_mg_contraction_find.algo": ("int", "CUTENSORMG_ALGO_DEFAULT."),
        "workspaceDeviceSize": ("numpy.ndarray", "Bytes for each device, int64."),
        "workspaceHostSize": ("int", "Bytes of page-locked memory."),
        "deviceBuf": ("list of ndarray", "Memory beside the tensors, for each device; by default it is taken."),
        "hostBuf": ("numpy.ndarray", "The same of the host."),
        "streams": ("sequence of Stream", "One for each device; the default is the current one."),
        "devices": ("sequence of int", "The devices that share the work; the default is the current one."),
    }
)
