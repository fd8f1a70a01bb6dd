"""Convolutions, pooling, normalisation, activations and recurrent networks of arrays: cuDNN's
operations, as ``cupyx.cudnn`` of CuPy 13 has them.

cuDNN works where it is installed and the current device is a GPU. Elsewhere Tenorite's own
functions give the same results. Recurrent networks, dropout, CTC losses and spatial transformers
are always Tenorite's own.
"""

from tenorite.cudnn._convolution import convolution_backward_data, convolution_backward_filter, convolution_forward
from tenorite.cudnn._ctc import ctc_loss
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
from tenorite.cudnn._dropout import (
    DropoutStates,
    create_dropout_descriptor,
    create_dropout_states,
    set_dropout_descriptor,
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
from tenorite.cudnn._recurrent import (
    create_rnn_descriptor,
    get_rnn_lin_layer_bias_params,
    get_rnn_lin_layer_matrix_params,
    rnn_backward_data,
    rnn_backward_data_ex,
    rnn_backward_weights,
    rnn_backward_weights_ex,
    rnn_forward_inference,
    rnn_forward_inference_ex,
    rnn_forward_training,
    rnn_forward_training_ex,
)
from tenorite.cudnn._spatial import create_spatial_transformer_descriptor

__all__ = [
    "Descriptor",
    "DropoutStates",
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
    "create_dropout_descriptor",
    "create_dropout_states",
    "create_filter_descriptor",
    "create_fused_ops_const_param_pack",
    "create_fused_ops_plan",
    "create_fused_ops_variant_param_pack",
    "create_op_tensor_descriptor",
    "create_pooling_descriptor",
    "create_reduce_tensor_descriptor",
    "create_rnn_descriptor",
    "create_spatial_transformer_descriptor",
    "create_tensor_descriptor",
    "create_tensor_nd_descriptor",
    "create_uninitialized_tensor_descriptor",
    "ctc_loss",
    "fused_ops_execute",
    "get_data_type",
    "get_fused_ops_const_param_pack_attribute",
    "get_fused_ops_variant_param_pack_attribute",
    "get_handle",
    "get_max_workspace_size",
    "get_rnn_lin_layer_bias_params",
    "get_rnn_lin_layer_matrix_params",
    "is_tensor_core_available",
    "make_fused_ops_plan",
    "pooling_backward",
    "pooling_forward",
    "reset_handles",
    "rnn_backward_data",
    "rnn_backward_data_ex",
    "rnn_backward_weights",
    "rnn_backward_weights_ex",
    "rnn_forward_inference",
    "rnn_forward_inference_ex",
    "rnn_forward_training",
    "rnn_forward_training_ex",
    "set_dropout_descriptor",
    "set_fused_ops_const_param_pack_attribute",
    "set_fused_ops_variant_param_pack_attribute",
    "set_max_workspace_size",
    "softmax_backward",
    "softmax_forward",
]
