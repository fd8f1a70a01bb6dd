"""Convolutions, pooling, normalisation, activations and recurrent networks of arrays: cuDNN's
operations, as ``cupyx.cudnn`` of CuPy 13 has them.

cuDNN works where it is installed and the current device is a GPU. Elsewhere Tenorite's own functions
give the same results. Recurrent networks, dropout, CTC losses and spatial transformers are always
Tenorite's own.
"""

from tenorite.cudnn._convolution import convolution_backward_data, convolution_backward_filter, convolution_forward
from tenorite.cudnn._descriptors import (
    Descriptor,
    create_activation_descriptor,
    create_convolution_descriptor,
    create_filter_descriptor,
    create_op_tensor_descriptor,
    create_pooling_descriptor,
    create_reduce_tensor_descriptor,
    create_tensor_descriptor,
    create_tensor_nd_descriptor,
    create_uninitialized_tensor_descriptor,
    get_data_type,
    get_handle,
    get_max_workspace_size,
    is_tensor_core_available,
    reset_handles,
    set_max_workspace_size,
)
from tenorite.cudnn._elementwise import (
    activation_backward,
    activation_forward,
    add_tensor,
    softmax_backward,
    softmax_forward,
)
from tenorite.cudnn._fused import (
    create_fused_ops_const_param_pack,
    create_fused_ops_plan,
    create_fused_ops_variant_param_pack,
    fused_ops_execute,
    get_fused_ops_const_param_pack_attribute,
    get_fused_ops_variant_param_pack_attribute,
    make_fused_ops_plan,
    set_fused_ops_const_param_pack_attribute,
    set_fused_ops_variant_param_pack_attribute,
)
from tenorite.cudnn._norms import (
    batch_normalization_backward,
    batch_normalization_forward_inference,
    batch_normalization_forward_training,
    batch_normalization_forward_training_ex,
)
from tenorite.cudnn._pooling import pooling_backward, pooling_forward

__all__ = [
    "Descriptor",
    "activation_backward",
    "activation_forward",
    "add_tensor",
    "batch_normalization_backward",
    "batch_normalization_forward_inference",
    "batch_normalization_forward_training",
    "batch_normalization_forward_training_ex",
    "convolution_backward_data",
    "convolution_backward_filter",
    "convolution_forward",
    "create_activation_descriptor",
    "create_convolution_descriptor",
    "create_filter_descriptor",
    "create_fused_ops_const_param_pack",
    "create_fused_ops_plan",
    "create_fused_ops_variant_param_pack",
    "create_op_tensor_descriptor",
    "create_pooling_descriptor",
    "create_reduce_tensor_descriptor",
    "create_tensor_descriptor",
    "create_tensor_nd_descriptor",
    "create_uninitialized_tensor_descriptor",
    "fused_ops_execute",
    "get_data_type",
    "get_fused_ops_const_param_pack_attribute",
    "get_fused_ops_variant_param_pack_attribute",
    "get_handle",
    "get_max_workspace_size",
    "is_tensor_core_available",
    "make_fused_ops_plan",
    "pooling_backward",
    "pooling_forward",
    "reset_handles",
    "set_fused_ops_const_param_pack_attribute",
    "set_fused_ops_variant_param_pack_attribute",
    "set_max_workspace_size",
    "softmax_backward",
    "softmax_forward",
]
