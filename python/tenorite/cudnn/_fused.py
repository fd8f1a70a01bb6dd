"""Fused operations of cuDNN."""

import ctypes

from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn.fused import DESCRIPTOR_KINDS, SCALARS
from tenorite.cudnn._descriptors import Descriptor, get_handle
from tenorite.cudnn._documents import documented


@documented
def create_fused_ops_plan(ops):
    """An empty plan of fused operations.

    Returns
    -------
    Descriptor
        For `make_fused_ops_plan`.

    Examples
    --------
    >>> import tenorite as cp
    >>> ops = cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> cp.cudnn.create_fused_ops_plan(ops).value != 0
    True
    """
    return Descriptor(cudnn.createFusedOpsPlan(ops), cudnn.destroyFusedOpsPlan)


@documented
def create_fused_ops_const_param_pack(ops, list_attr_param):
    """A pack of what stays the same from call to call: descriptors, and what is known of addresses.

    Returns
    -------
    Descriptor
        The pack.

    Examples
    --------
    >>> import tenorite as cp
    >>> cudnn, ops = cp.cuda.cudnn, cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> values = [(cudnn.CUDNN_PARAM_BN_MODE, cudnn.CUDNN_BATCHNORM_SPATIAL)]
    >>> pack = cp.cudnn.create_fused_ops_const_param_pack(ops, values)
    >>> cp.cudnn.get_fused_ops_const_param_pack_attribute(pack, cudnn.CUDNN_PARAM_BN_MODE)
    (1, 0)
    """
    pack = Descriptor(cudnn.createFusedOpsConstParamPack(ops), cudnn.destroyFusedOpsConstParamPack)
    for label, value in list_attr_param:
        set_fused_ops_const_param_pack_attribute(pack, label, value)
    return pack


@documented
def set_fused_ops_const_param_pack_attribute(const_pack, param_label, desc_or_scalar):
    """Sets a value of a pack.

    Examples
    --------
    >>> import tenorite as cp
    >>> cudnn, ops = cp.cuda.cudnn, cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> pack = cp.cudnn.create_fused_ops_const_param_pack(ops, [])
    >>> cp.cudnn.set_fused_ops_const_param_pack_attribute(
    ...     pack, cudnn.CUDNN_PARAM_BN_SCALE_PLACEHOLDER, cudnn.CUDNN_PTR_16B_ALIGNED
    ... )
    """
    if param_label in DESCRIPTOR_KINDS:
        cudnn.setFusedOpsConstParamPackAttribute(const_pack.value, param_label, desc_or_scalar.value)
        return
    number = ctypes.c_int(desc_or_scalar)
    cudnn.setFusedOpsConstParamPackAttribute(const_pack.value, param_label, ctypes.addressof(number))


_CREATE = {
    "Activation": cudnn.createActivationDescriptor,
    "Convolution": cudnn.createConvolutionDescriptor,
    "Filter": cudnn.createFilterDescriptor,
    "Tensor": cudnn.createTensorDescriptor,
}


@documented
def get_fused_ops_const_param_pack_attribute(const_pack, param_label):
    """A value of a pack.

    Returns
    -------
    value : int
        A number, or that of a new descriptor.
    is_null : int
        Whether the pack lacks the descriptor; a number is there, and 0 if it was not set.

    Examples
    --------
    >>> import tenorite as cp
    >>> cudnn, ops = cp.cuda.cudnn, cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> pack = cp.cudnn.create_fused_ops_const_param_pack(ops, [])
    >>> cp.cudnn.get_fused_ops_const_param_pack_attribute(pack, cudnn.CUDNN_PARAM_BN_MODE)
    (0, 0)
    """
    kind = DESCRIPTOR_KINDS.get(param_label)
    if kind is not None:
        made = _CREATE[kind.__name__]()
        return made, cudnn.getFusedOpsConstParamPackAttribute(const_pack.value, param_label, made)
    number = ctypes.c_int()
    is_null = cudnn.getFusedOpsConstParamPackAttribute(const_pack.value, param_label, ctypes.addressof(number))
    return number.value, is_null


@documented
def make_fused_ops_plan(plan, const_pack):
    """Makes a plan of a pack.

    Returns
    -------
    int
        The bytes of workspace that it needs.

    Raises
    ------
    CuDNNError
        For operations that have no plan.

    Examples
    --------
    >>> import tenorite as cp
    >>> ops = cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> plan, pack = cp.cudnn.create_fused_ops_plan(ops), cp.cudnn.create_fused_ops_const_param_pack(ops, [])
    >>> cp.cudnn.make_fused_ops_plan(plan, pack)  # doctest: +SKIP
    0
    """
    return cudnn.makeFusedOpsPlan(get_handle(), plan.value, const_pack.value)


@documented
def create_fused_ops_variant_param_pack(ops, list_attr_param):
    """A pack of what changes from call to call: arrays and numbers.

    Returns
    -------
    Descriptor
        The pack.

    Examples
    --------
    >>> import tenorite as cp
    >>> cudnn, ops = cp.cuda.cudnn, cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> values = [(cudnn.CUDNN_SCALAR_DOUBLE_BN_EPSILON, 0.5)]
    >>> pack = cp.cudnn.create_fused_ops_variant_param_pack(ops, values)
    >>> cp.cudnn.get_fused_ops_variant_param_pack_attribute(
    ...     pack.value, cudnn.CUDNN_SCALAR_DOUBLE_BN_EPSILON
    ... )  # doctest: +SKIP
    0.5
    """
    pack = Descriptor(cudnn.createFusedOpsVariantParamPack(ops), cudnn.destroyFusedOpsVariantParamPack)
    for label, value in list_attr_param:
        set_fused_ops_variant_param_pack_attribute(pack, label, value)
    return pack


@documented
def set_fused_ops_variant_param_pack_attribute(var_pack, param_label, arr_or_scaler):
    """Sets a value of a pack.

    Examples
    --------
    >>> import tenorite as cp
    >>> cudnn, ops = cp.cuda.cudnn, cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> pack, x = cp.cudnn.create_fused_ops_variant_param_pack(ops, []), cp.ones(3)
    >>> cp.cudnn.set_fused_ops_variant_param_pack_attribute(pack, cudnn.CUDNN_PTR_BN_SCALE, x)
    """
    if param_label in SCALARS:
        number = SCALARS[param_label](arr_or_scaler)
        cudnn.setFusedOpsVariantParamPackAttribute(var_pack.value, param_label, ctypes.addressof(number))
    else:
        cudnn.setFusedOpsVariantParamPackAttribute(var_pack.value, param_label, arr_or_scaler.data.ptr)


@documented
def get_fused_ops_variant_param_pack_attribute(var_pack, param_label):
    """A value of a pack.

    Returns
    -------
    int or float
        An address, or a number.

    Examples
    --------
    >>> import tenorite as cp
    >>> cudnn, ops = cp.cuda.cudnn, cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> pack = cp.cudnn.create_fused_ops_variant_param_pack(ops, [(cudnn.CUDNN_SCALAR_DOUBLE_BN_EPSILON, 0.5)])
    >>> cp.cudnn.get_fused_ops_variant_param_pack_attribute(
    ...     pack.value, cudnn.CUDNN_SCALAR_DOUBLE_BN_EPSILON
    ... )  # doctest: +SKIP
    0.5
    """
    number = SCALARS.get(param_label, ctypes.c_size_t)()
    cudnn.getFusedOpsVariantParamPackAttribute(var_pack, param_label, ctypes.addressof(number))
    return number.value


@documented
def fused_ops_execute(plan, var_pack):
    """Computes what a plan says with the arrays of a pack.

    Raises
    ------
    CuDNNError
        For a plan that was not made, and for a pack that lacks an array.

    Examples
    --------
    >>> import tenorite as cp
    >>> ops = cp.cuda.cudnn.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE
    >>> plan, pack = cp.cudnn.create_fused_ops_plan(ops), cp.cudnn.create_fused_ops_variant_param_pack(ops, [])
    >>> cp.cudnn.fused_ops_execute(plan, pack)  # doctest: +SKIP
    """
    cudnn.fusedOpsExecute(get_handle(), plan.value, var_pack.value)
