"""CTC losses of arrays."""

import numpy

from tenorite._arguments import as_array, beside
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn import ctc
from tenorite.cuda._raw.dnn.descriptors import check
from tenorite.cudnn._descriptors import Descriptor, get_data_type

__all__ = ["ctc_loss"]


def _create_ctc_loss_descriptor(data_type):
    made = Descriptor(cudnn.createCTCLossDescriptor(), cudnn.destroyCTCLossDescriptor)
    cudnn.setCTCLossDescriptor(made.value, data_type)
    return made


@beside
def ctc_loss(probs, labels, label_length, input_length, algo):
    """Losses of connectionist temporal classification (A. Graves and others, 2006), and gradients.

    Parameters
    ----------
    probs : 3-d ndarray
        Of float32 or float64: the probabilities (steps, samples, classes) that a softmax made;
        class 0 is the blank.
    labels : 1-d numpy.ndarray of int32
        The labels of all samples one after the other, from 1 on.
    label_length, input_length : 1-d numpy.ndarray of int32
        How many labels and steps each sample has.
    algo : int
        CUDNN_CTC_LOSS_ALGO_DETERMINISTIC or the other one; both are deterministic.

    Returns
    -------
    loss : 1-d ndarray
        Of each sample, of the dtype of `probs`; inf where the steps don't suffice for the labels.
    gradients : 3-d ndarray
        Of the shape of `probs`: by what the softmax was given; 0 after the end of a sample and
        where the loss is inf.

    Raises
    ------
    CuDNNError
        Labels or lengths are out of bounds, or their numbers don't fit, or float16 is given.

    Examples
    --------
    >>> import numpy as np
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> even = tn.full((3, 1, 2), 0.5)
    >>> one = np.ones(1, "i")
    >>> loss, gradients = cudnn.ctc_loss(even, one, one, np.array([3], "i"), 0)
    >>> loss  # of 8 paths 6 are the label
    array([0.28768207])
    """
    probs = as_array(probs)
    get_data_type(probs.dtype)
    check(probs.dtype in ("float32", "float64"), f"CTC losses of {probs.dtype}", "NOT_SUPPORTED_DATA_TYPE")
    check(algo in range(2), f"there is no algorithm {algo} of CTC losses")
    if probs.ndim != 3:
        raise ValueError(f"probs has shape {probs.shape}, not (steps, samples, classes)")
    return ctc.loss(probs, *(numpy.asarray(one) for one in (labels, label_length, input_length)))
