"""The descriptor of spatial transformers; their functions are those of addresses."""

import numpy

from tenorite.cuda import cudnn
from tenorite.cudnn._descriptors import Descriptor, get_data_type

__all__ = ["create_spatial_transformer_descriptor"]


def create_spatial_transformer_descriptor(sampler_type, dtype, nb_dims, dim_A):
    """A descriptor of a spatial transformer, for ``cuda.cudnn.spatialTfSamplerForward`` and others.

    Parameters
    ----------
    sampler_type : int
        CUDNN_SAMPLER_BILINEAR.
    dtype : dtype
        Of maps, grids and images.
    nb_dims : int
        4.
    dim_A : int
        The address of the sizes of the images made, as C's type int in the host's memory:
        samples, channels, height and width.

    Returns
    -------
    Descriptor
        New.

    Examples
    --------
    >>> import numpy as np
    >>> from tenorite import cudnn
    >>> shape = np.array([1, 3, 16, 16], "i")
    >>> desc = cudnn.create_spatial_transformer_descriptor(0, "float32", 4, shape.ctypes.data)
    """
    made = Descriptor(cudnn.createSpatialTransformerDescriptor(), cudnn.destroySpatialTransformerDescriptor)
    cudnn.setSpatialTransformerDescriptor(made.value, sampler_type, get_data_type(numpy.dtype(dtype)), nb_dims, dim_A)
    return made
