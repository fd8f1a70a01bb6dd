"""cuDNN under the names of CuPy 13: functions of handles, descriptors and addresses, for programs
that call it, and its numbers.

They work on the current stream. On the host, and where cuDNN is not installed, the same functions
are Tenorite's own: so `available` is always True, and `getVersion` is then the version that these
names are of. Recurrent networks, dropout, CTC and spatial transformers are always Tenorite's own,
with cuDNN's layout of weights: cuDNN 9 has these recurrent functions no more, and masks are the
same on all backends. `tenorite.cudnn` does the same with arrays.
"""

import ctypes as _ctypes
import functools as _functools
import inspect as _inspect

from tenorite.cuda._raw.dnn import (
    convolution as _convolution,
    ctc as _ctc,
    descriptors as _descriptors,
    dropout as _dropout,
    elementwise as _elementwise,
    fused as _fused,
    norms as _norms,
    pooling as _pooling,
    recurrent as _recurrent,
    spatial as _spatial,
)
from tenorite.cuda._raw.dnn.convolution import CuDNNAlgoPerf
from tenorite.cuda._raw.dnn.descriptors import CuDNNError
from tenorite.cuda._raw.dnn.library import Answers as _Answers
from tenorite.cuda._raw.host_handles import Handles as _Handles
from tenorite.cuda._raw.tables import Library as _Library, functions as _functions_of
from tenorite.cuda.stream import get_current_stream as _get_current_stream

__all__ = ["CUDNN_BN_MIN_EPSILON", "CuDNNAlgoPerf", "CuDNNError", "available", "check_status", "getVersion"]
__all__ += ["get_build_version"]

# Names and numbers, after the headers of cuDNN and, for what it has no more, CuPy 13.
_NUMBERS = {
    "": "16BIT_INDICES 2 32BIT_INDICES 0 64BIT_INDICES 1 8BIT_INDICES 3 BIDIRECTIONAL 1 CONVOLUTION 0 "
    "CROSS_CORRELATION 1 DEFAULT_MATH 0 DETERMINISTIC 1 DIVNORM_PRECOMPUTED_MEANS 0 GRU 3 LINEAR_INPUT 0 "
    "LRN_CROSS_CHANNEL_DIM1 0 LSTM 2 NON_DETERMINISTIC 0 NOT_PROPAGATE_NAN 0 PROPAGATE_NAN 1 SAMPLER_BILINEAR "
    "0 SKIP_INPUT 1 UNIDIRECTIONAL 0",
    "ACTIVATION_": "CLIPPED_RELU 3 ELU 4 IDENTITY 5 RELU 1 SIGMOID 0 TANH 2",
    "ADD_": "FEATURE_MAP 1 FULL_TENSOR 3 IMAGE 0 SAME_C 2 SAME_CHW 1 SAME_HW 0",
    "BATCHNORM_": "OPS_BN 0 OPS_BN_ACTIVATION 1 OPS_BN_ADD_ACTIVATION 2 PER_ACTIVATION 0 SPATIAL 1 "
    "SPATIAL_PERSISTENT 2",
    "CONVOLUTION_BWD_DATA_": "ALGO_0 0 ALGO_1 1 ALGO_FFT 2 ALGO_FFT_TILING 3 ALGO_WINOGRAD 4 "
    "ALGO_WINOGRAD_NONFUSED 5 NO_WORKSPACE 0 PREFER_FASTEST 1 SPECIFY_WORKSPACE_LIMIT 2",
    "CONVOLUTION_BWD_FILTER_": "ALGO_0 0 ALGO_1 1 ALGO_3 3 ALGO_FFT 2 ALGO_WINOGRAD 4 ALGO_WINOGRAD_NONFUSED 5 "
    "NO_WORKSPACE 0 PREFER_FASTEST 1 SPECIFY_WORKSPACE_LIMIT 2",
    "CONVOLUTION_FWD_": "ALGO_DIRECT 3 ALGO_FFT 4 ALGO_FFT_TILING 5 ALGO_GEMM 2 ALGO_IMPLICIT_GEMM 0 "
    "ALGO_IMPLICIT_PRECOMP_GEMM 1 ALGO_WINOGRAD 6 ALGO_WINOGRAD_NONFUSED 7 NO_WORKSPACE 0 "
    "PREFER_FASTEST 1 SPECIFY_WORKSPACE_LIMIT 2",
    "CTC_LOSS_ALGO_": "DETERMINISTIC 0 NON_DETERMINISTIC 1",
    "DATA_": "BFLOAT16 9 DOUBLE 1 FLOAT 0 HALF 2",
    "ERRQUERY_": "BLOCKING 2 NONBLOCKING 1 RAWCODE 0",
    "FUSED_": "BN_FINALIZE_STATISTICS_INFERENCE 3 BN_FINALIZE_STATISTICS_TRAINING 2 "
    "CONV_SCALE_BIAS_ADD_ACTIVATION 4 DACTIVATION_FORK_DBATCHNORM 6 SCALE_BIAS_ACTIVATION_CONV_BNSTATS "
    "0 SCALE_BIAS_ACTIVATION_WGRAD 1 SCALE_BIAS_ADD_ACTIVATION_GEN_BITMASK 5",
    "OP_TENSOR_": "ADD 0 MAX 3 MIN 2 MUL 1 NOT 5 SQRT 4",
    "PARAM_": "ACTIVATION_BITMASK_DESC 31 ACTIVATION_BITMASK_PLACEHOLDER 32 ACTIVATION_DESC 6 CONV_DESC 7 "
    "DWDATA_PLACEHOLDER 11 DWDESC 10 DXDATA_PLACEHOLDER 34 DXDESC 33 DYDATA_PLACEHOLDER 15 DYDESC 14 "
    "DZDATA_PLACEHOLDER 36 DZDESC 35 WDATA_PLACEHOLDER 9 WDESC 8 XDATA_PLACEHOLDER 1 XDESC 0 "
    "YDATA_PLACEHOLDER 13 YDESC 12 YSQSUM_PLACEHOLDER 18 YSTATS_DESC 16 YSUM_PLACEHOLDER 17 "
    "ZDATA_PLACEHOLDER 27 ZDESC 26",
    "PARAM_BN_": "BIAS_PLACEHOLDER 21 DBIAS_PLACEHOLDER 38 DSCALE_PLACEHOLDER 37 EQBIAS_PLACEHOLDER 5 "
    "EQSCALEBIAS_DESC 3 EQSCALE_PLACEHOLDER 4 MODE 2 RUNNING_MEAN_PLACEHOLDER 24 "
    "RUNNING_VAR_PLACEHOLDER 25 SAVED_INVSTD_PLACEHOLDER 23 SAVED_MEAN_PLACEHOLDER 22 "
    "SCALEBIAS_MEANVAR_DESC 19 SCALE_PLACEHOLDER 20 Z_EQBIAS_PLACEHOLDER 30 Z_EQSCALEBIAS_DESC 28 "
    "Z_EQSCALE_PLACEHOLDER 29",
    "POOLING_": "AVERAGE_COUNT_EXCLUDE_PADDING 2 AVERAGE_COUNT_INCLUDE_PADDING 1 MAX 0 MAX_DETERMINISTIC 3",
    "PTR_": "16B_ALIGNED 2 ACTIVATION_BITMASK 19 DWDATA 4 DXDATA 20 DYDATA 6 DZDATA 21 ELEM_ALIGNED 1 NULL 0 "
    "WDATA 3 WORKSPACE 9 XDATA 0 YDATA 5 YSQSUM 8 YSUM 7 ZDATA 16",
    "PTR_BN_": "BIAS 11 DBIAS 23 DSCALE 22 EQBIAS 2 EQSCALE 1 RUNNING_MEAN 14 RUNNING_VAR 15 SAVED_INVSTD 13 "
    "SAVED_MEAN 12 SCALE 10 Z_EQBIAS 18 Z_EQSCALE 17",
    "REDUCE_TENSOR_": "ADD 0 AMAX 4 AVG 5 FLATTENED_INDICES 1 MAX 3 MIN 2 MUL 1 MUL_NO_ZEROS 8 NORM1 6 NORM2 7 "
    "NO_INDICES 0",
    "RNN_": "ALGO_PERSIST_DYNAMIC 2 ALGO_PERSIST_STATIC 1 ALGO_STANDARD 0 DATA_LAYOUT_BATCH_MAJOR_UNPACKED 2 "
    "DATA_LAYOUT_SEQ_MAJOR_PACKED 1 DATA_LAYOUT_SEQ_MAJOR_UNPACKED 0 PADDED_IO_DISABLED 0 "
    "PADDED_IO_ENABLED 1 RELU 0 TANH 1",
    "SCALAR_": "DOUBLE_BN_EPSILON 103 DOUBLE_BN_EXP_AVG_FACTOR 102 INT64_T_BN_ACCUMULATION_COUNT 101 "
    "SIZE_T_WORKSPACE_SIZE_IN_BYTES 100",
    "SOFTMAX_": "ACCURATE 1 FAST 0 LOG 2 MODE_CHANNEL 1 MODE_INSTANCE 0",
    "STATUS_": "RUNTIME_FP_OVERFLOW 13 RUNTIME_IN_PROGRESS 12 RUNTIME_PREREQUISITE_MISSING 11 SUCCESS 0",
    "TENSOR_": "NCHW 0 NHWC 1 OP_MATH 1",
}
for _prefix, _text in _NUMBERS.items():
    _words = _text.split()
    globals().update({f"CUDNN_{_prefix}{_name}": int(_value) for _name, _value in zip(_words[::2], _words[1::2])})
    __all__ += [f"CUDNN_{_prefix}{_name}" for _name in _words[::2]]
CUDNN_BN_MIN_EPSILON = _norms.MIN_EPSILON
# The version whose functions these are.
_VERSION = 90000
available = True


def check_status(status):
    """Raises CuDNNError for the number of a failure.

    Parameters
    ----------
    status : int
        What a function of cuDNN has returned.

    Raises
    ------
    CuDNNError
        For another number than 0.

    Examples
    --------
    >>> tenorite.cuda.cudnn.check_status(0)
    """
    if status != 0:
        raise CuDNNError(status)


def _begin(handle):
    """Work goes to the current stream."""
    _library.call("cudnnSetStream", handle, _get_current_stream().ptr)


_handles = _Handles(lambda: _descriptors.fail("NOT_INITIALIZED", "there is no such handle"))
# By chapter: what cuDNN has, and what is always ours.
_ON_HOST = {
    **_handles.functions("Stream"),
    "queryRuntimeError": lambda handle, mode: _handles.state(handle) and 0 or 0,
    **_descriptors.FUNCTIONS,
    **_convolution.FUNCTIONS,
    **_pooling.FUNCTIONS,
    **_norms.FUNCTIONS,
    **_elementwise.FUNCTIONS,
    **_fused.FUNCTIONS,
}
_FUNCTIONS = {**_recurrent.FUNCTIONS, **_ctc.FUNCTIONS, **_dropout.FUNCTIONS, **_spatial.FUNCTIONS}


class _Ours(_Library):
    """Functions that cuDNN never serves."""

    def serves(self):
        return False


_OPTIONS = dict(on_host=_ON_HOST, probe="cudnnBackendExecute", first=("cublas", "cublasCreate_v2"))
_library = _Library("cudnn", check_status, **_OPTIONS)
_computing = _Library("cudnn", check_status, _begin, **_OPTIONS)
_SETTINGS = """
create: cudnnCreate: >p
destroy: cudnnDestroy: handle
setStream: cudnnSetStream: handle stream
getStream: cudnnGetStream: handle >p
"""
# Descriptors of tensors and filters are objects here as well (`_mirrored`).
_DESCRIPTORS = """
create{Tensor,Filter}Descriptor: cudnnCreate{Tensor,Filter}Descriptor: >p
destroyTensorDescriptor: cudnnDestroyTensorDescriptor: tensorDesc
destroyFilterDescriptor: cudnnDestroyFilterDescriptor: filterDesc
setTensor4dDescriptor: cudnnSetTensor4dDescriptor: tensorDesc format dataType n c h w
setTensor4dDescriptorEx: cudnnSetTensor4dDescriptorEx: tensorDesc dataType n c h w nStride cStride hStride wStride
setTensorNdDescriptor: cudnnSetTensorNdDescriptor: tensorDesc dataType nbDims dimA strideA
setFilter4dDescriptor_v4: cudnnSetFilter4dDescriptor: filterDesc dataType format k c h w
setFilterNdDescriptor_v4: cudnnSetFilterNdDescriptor: filterDesc dataType format nbDims filterDimA
deriveBNTensorDescriptor: cudnnDeriveBNTensorDescriptor: derivedBnDesc xDesc mode
"""
_TABLE = """
getTensor4dDescriptor: cudnnGetTensor4dDescriptor: tensorDesc >i >i >i >i >i >i >i >i >i
createConvolutionDescriptor: cudnnCreateConvolutionDescriptor: >p
destroyConvolutionDescriptor: cudnnDestroyConvolutionDescriptor: convDesc
setConvolution2dDescriptor_v5: cudnnSetConvolution2dDescriptor: convDesc pad_h pad_w u v dilation_h dilation_w mode \
computeType
setConvolutionNdDescriptor_v3: cudnnSetConvolutionNdDescriptor: convDesc arrayLength padA filterStrideA dilationA mode \
dataType
setConvolutionMathType: cudnnSetConvolutionMathType: convDesc mathType
getConvolutionMathType: cudnnGetConvolutionMathType: convDesc >i
setConvolutionGroupCount: cudnnSetConvolutionGroupCount: convDesc groupCount
getConvolutionGroupCount: cudnnGetConvolutionGroupCount: convDesc >i
createPoolingDescriptor: cudnnCreatePoolingDescriptor: >p
destroyPoolingDescriptor: cudnnDestroyPoolingDescriptor: poolingDesc
setPooling2dDescriptor_v4: cudnnSetPooling2dDescriptor: poolingDesc mode maxpoolingNanOpt windowHeight windowWidth \
verticalPadding horizontalPadding verticalStride horizontalStride
setPoolingNdDescriptor_v4: cudnnSetPoolingNdDescriptor: poolingDesc mode maxpoolingNanOpt nbDims windowDimA paddingA \
strideA
createActivationDescriptor: cudnnCreateActivationDescriptor: >p
destroyActivationDescriptor: cudnnDestroyActivationDescriptor: activationDesc
setActivationDescriptor: cudnnSetActivationDescriptor: activationDesc mode reluNanOpt reluCeiling:d
createOpTensorDescriptor: cudnnCreateOpTensorDescriptor: >p
destroyOpTensorDescriptor: cudnnDestroyOpTensorDescriptor: opTensorDesc
setOpTensorDescriptor: cudnnSetOpTensorDescriptor: opTensorDesc opTensorOp opTensorCompType opTensorNanOpt
getOpTensorDescriptor: cudnnGetOpTensorDescriptor: opTensorDesc >i >i >i
createReduceTensorDescriptor: cudnnCreateReduceTensorDescriptor: >p
destroyReduceTensorDescriptor: cudnnDestroyReduceTensorDescriptor: reduceTensorDesc
setReduceTensorDescriptor: cudnnSetReduceTensorDescriptor: reduceTensorDesc reduceTensorOp reduceTensorCompType \
reduceTensorNanOpt reduceTensorIndices reduceTensorIndicesType
getReduceTensorDescriptor: cudnnGetReduceTensorDescriptor: reduceTensorDesc >i >i >i >i >i
getReductionIndicesSize: cudnnGetReductionIndicesSize: handle reduceTensorDesc aDesc cDesc >p
getReductionWorkspaceSize: cudnnGetReductionWorkspaceSize: handle reduceTensorDesc aDesc cDesc >p
getConvolutionForwardWorkspaceSize: cudnnGetConvolutionForwardWorkspaceSize: handle srcDesc filterDesc convDesc \
destDesc algo >p
getConvolutionBackwardFilterWorkspaceSize: cudnnGetConvolutionBackwardFilterWorkspaceSize: handle srcDesc diffDesc \
convDesc filterDesc algo >p
getConvolutionBackwardDataWorkspaceSize: cudnnGetConvolutionBackwardDataWorkspaceSize: handle filterDesc diffDesc \
convDesc gradDesc algo >p
getBatchNormalizationForwardTrainingExWorkspaceSize: cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize: \
handle mode bnOps xDesc zDesc yDesc bnScaleBiasMeanVarDesc activationDesc >p
getBatchNormalizationBackwardExWorkspaceSize: cudnnGetBatchNormalizationBackwardExWorkspaceSize: handle mode bnOps \
xDesc yDesc dyDesc dzDesc dxDesc dBnScaleBiasDesc activationDesc >p
getBatchNormalizationTrainingExReserveSpaceSize: cudnnGetBatchNormalizationTrainingExReserveSpaceSize: handle mode \
bnOps activationDesc xDesc >p
createFusedOps{ConstParamPack,VariantParamPack,Plan}: cudnnCreateFusedOps{ConstParamPack,VariantParamPack,Plan}: >p ops
destroyFusedOpsConstParamPack: cudnnDestroyFusedOpsConstParamPack: constPack
destroyFusedOpsVariantParamPack: cudnnDestroyFusedOpsVariantParamPack: varPack
destroyFusedOpsPlan: cudnnDestroyFusedOpsPlan: plan
setFusedOpsConstParamPackAttribute: cudnnSetFusedOpsConstParamPackAttribute: constPack paramLabel param
getFusedOpsConstParamPackAttribute: cudnnGetFusedOpsConstParamPackAttribute: constPack paramLabel param >i
setFusedOpsVariantParamPackAttribute: cudnnSetFusedOpsVariantParamPackAttribute: varPack paramLabel ptr
getFusedOpsVariantParamPackAttribute: cudnnGetFusedOpsVariantParamPackAttribute: varPack paramLabel ptr
makeFusedOpsPlan: cudnnMakeFusedOpsPlan: handle plan constPack >p
"""
# What computes, on the current stream.
_COMPUTING = """
addTensor_v3: cudnnAddTensor: handle alpha bDesc b beta yDesc y
opTensor: cudnnOpTensor: handle opTensorDesc alpha1 aDesc A alpha2 bDesc B beta cDesc C
reduceTensor: cudnnReduceTensor: handle reduceTensorDesc indices indicesSizeInBytes workspace workspaceSizeInBytes \
alpha aDesc A beta cDesc C
setTensor: cudnnSetTensor: handle yDesc y valuePtr
scaleTensor: cudnnScaleTensor: handle yDesc y alpha
convolutionForward: cudnnConvolutionForward: handle alpha srcDesc srcData filterDesc filterData convDesc algo \
workSpace workSpaceSizeInBytes beta destDesc destData
convolutionBackwardBias: cudnnConvolutionBackwardBias: handle alpha srcDesc srcData beta destDesc destData
convolutionBackwardFilter_v3: cudnnConvolutionBackwardFilter: handle alpha srcDesc srcData diffDesc diffData convDesc \
algo workSpace workSpaceSizeInBytes beta gradDesc gradData
convolutionBackwardData_v3: cudnnConvolutionBackwardData: handle alpha filterDesc filterData diffDesc diffData \
convDesc algo workSpace workSpaceSizeInBytes beta gradDesc gradData
poolingForward: cudnnPoolingForward: handle poolingDesc alpha srcDesc srcData beta dstDesc dstData
poolingBackward: cudnnPoolingBackward: handle poolingDesc alpha srcDesc srcData srcDiffDesc srcDiffData destDesc \
destData beta destDiffDesc destDiffData
batchNormalizationForwardTraining: cudnnBatchNormalizationForwardTraining: handle mode alpha beta xDesc x yDesc y \
bnScaleBiasMeanVarDesc bnScale bnBias exponentialAverageFactor:d resultRunningMean resultRunningVariance epsilon:d \
resultSaveMean resultSaveInvVariance
batchNormalizationForwardTrainingEx: cudnnBatchNormalizationForwardTrainingEx: handle mode bnOps alpha beta xDesc x \
zDesc z yDesc y bnScaleBiasMeanVarDesc bnScale bnBias exponentialAverageFactor:d resultRunningMean \
resultRunningVariance epsilon:d resultSaveMean resultSaveInvVariance activationDesc workSpace workSpaceSizeInBytes \
reserveSpace reserveSpaceSizeInBytes
batchNormalizationForwardInference: cudnnBatchNormalizationForwardInference: handle mode alpha beta xDesc x yDesc y \
bnScaleBiasMeanVarDesc bnScale bnBias estimatedMean estimatedVariance epsilon:d
batchNormalizationBackward: cudnnBatchNormalizationBackward: handle mode alphaDataDiff betaDataDiff alphaParamDiff \
betaParamDiff xDesc x dyDesc dy dxDesc dx dBnScaleBiasDesc bnScale dBnScaleResult dBnBiasResult epsilon:d savedMean \
savedInvVariance
batchNormalizationBackwardEx: cudnnBatchNormalizationBackwardEx: handle mode bnops alphaDataDiff betaDataDiff \
alphaParamDiff betaParamDiff xDesc x yDesc y dyDesc dy dzDesc dz dxDesc dx dBnScaleBiasDesc bnScaleData bnBiasData \
dBnScaleData dBnBiasData epsilon:d savedMean savedInvVariance activationDesc workSpace workSpaceSizeInBytes \
reserveSpace reserveSpaceSizeInBytes
softmaxForward: cudnnSoftmaxForward: handle algorithm mode alpha srcDesc srcData beta dstDesc dstData
softmaxBackward: cudnnSoftmaxBackward: handle algorithm mode alpha srcDesc srcData srcDiffDesc srcDiffData beta \
destDiffDesc destDiffData
activationForward_v4: cudnnActivationForward: handle activationDesc alpha srcDesc srcData beta dstDesc dstData
activationBackward_v4: cudnnActivationBackward: handle activationDesc alpha srcDesc srcData srcDiffDesc srcDiffData \
destDesc destData beta destDiffDesc destDiffData
fusedOpsExecute: cudnnFusedOpsExecute: handle plan varPack
"""
# What is always ours.
_OURS = """
createRNNDescriptor: cudnnCreateRNNDescriptor:
destroyRNNDescriptor: cudnnDestroyRNNDescriptor: rnnDesc
setRNNDescriptor_v5: cudnnSetRNNDescriptor_v5: rnnDesc hiddenSize numLayers dropoutDesc inputMode direction mode \
dataType
setRNNDescriptor_v6: cudnnSetRNNDescriptor_v6: handle rnnDesc hiddenSize numLayers dropoutDesc inputMode direction \
mode algo dataType
setRNNPaddingMode: cudnnSetRNNPaddingMode: rnnDesc paddingMode
getRNNPaddingMode: cudnnGetRNNPaddingMode: rnnDesc
createPersistentRNNPlan: cudnnCreatePersistentRNNPlan: rnnDesc minibatch dataType
setPersistentRNNPlan: cudnnSetPersistentRNNPlan: rnnDesc plan
destroyPersistentRNNPlan: cudnnDestroyPersistentRNNPlan: plan
createRNNDataDescriptor: cudnnCreateRNNDataDescriptor:
destroyRNNDataDescriptor: cudnnDestroyRNNDataDescriptor: RNNDataDesc
setRNNDataDescriptor: cudnnSetRNNDataDescriptor: RNNDataDesc dataType layout maxSeqLength batchSize vectorSize \
seqLengthArray paddingFill
getRNNDataDescriptor: cudnnGetRNNDataDescriptor: RNNDataDesc dataType layout maxSeqLength batchSize vectorSize \
arrayLengthRequested seqLengthArray paddingFill
getRNNParamsSize: cudnnGetRNNParamsSize: handle rnnDesc xDesc dataType
getRNNWorkspaceSize: cudnnGetRNNWorkspaceSize: handle rnnDesc seqLength xDesc
getRNNTrainingReserveSize: cudnnGetRNNTrainingReserveSize: handle rnnDesc seqLength xDesc
getRNNLinLayerMatrixParams: cudnnGetRNNLinLayerMatrixParams: handle rnnDesc layer xDesc wDesc w linLayerID \
linLayerMatDesc linLayerMat
getRNNLinLayerBiasParams: cudnnGetRNNLinLayerBiasParams: handle rnnDesc layer xDesc wDesc w linLayerID \
linLayerBiasDesc linLayerBias
RNNForwardInference: cudnnRNNForwardInference: handle rnnDesc seqLength xDesc x hxDesc hx cxDesc cx wDesc w yDesc y \
hyDesc hy cyDesc cy workspace workSpaceSizeInBytes
RNNForwardTraining: cudnnRNNForwardTraining: handle rnnDesc seqLength xDesc x hxDesc hx cxDesc cx wDesc w yDesc y \
hyDesc hy cyDesc cy workspace workSpaceSizeInBytes reserveSpace reserveSpaceSizeInBytes
RNNForwardInferenceEx: cudnnRNNForwardInferenceEx: handle rnnDesc xDesc x hxDesc hx cxDesc cx wDesc w yDesc y hyDesc \
hy cyDesc cy kDesc keys cDesc cAttn iDesc iAttn qDesc queries workSpace workSpaceSizeInBytes
RNNForwardTrainingEx: cudnnRNNForwardTrainingEx: handle rnnDesc xDesc x hxDesc hx cxDesc cx wDesc w yDesc y hyDesc hy \
cyDesc cy kDesc keys cDesc cAttn iDesc iAttn qDesc queries workSpace workSpaceSizeInBytes reserveSpace \
reserveSpaceSizeInBytes
RNNBackwardData: cudnnRNNBackwardData: handle rnnDesc seqLength yDesc y dyDesc dy dhyDesc dhy dcyDesc dcy wDesc w \
hxDesc hx cxDesc cx dxDesc dx dhxDesc dhx dcxDesc dcx workspace workSpaceSizeInBytes reserveSpace \
reserveSpaceSizeInBytes
RNNBackwardDataEx: cudnnRNNBackwardDataEx: handle rnnDesc yDesc y dyDesc dy dcDesc dcAttn dhyDesc dhy dcyDesc dcy \
wDesc w hxDesc hx cxDesc cx dxDesc dx dhxDesc dhx dcxDesc dcx dkDesc dkeys workSpace workSpaceSizeInBytes \
reserveSpace reserveSpaceSizeInBytes
RNNBackwardWeights: cudnnRNNBackwardWeights: handle rnnDesc seqLength xDesc x hxDesc hx yDesc y workspace \
workSpaceSizeInBytes dwDesc dw reserveSpace reserveSpaceSizeInBytes
RNNBackwardWeightsEx: cudnnRNNBackwardWeightsEx: handle rnnDesc xDesc x hxDesc hx yDesc y workSpace \
workSpaceSizeInBytes dwDesc dw reserveSpace reserveSpaceSizeInBytes
createCTCLossDescriptor: cudnnCreateCTCLossDescriptor:
destroyCTCLossDescriptor: cudnnDestroyCTCLossDescriptor: ctcLossDesc
setCTCLossDescriptor: cudnnSetCTCLossDescriptor: ctcLossDesc dataType
getCTCLossDescriptor: cudnnGetCTCLossDescriptor: ctcLossDesc
getCTCLossWorkspaceSize: cudnnGetCTCLossWorkspaceSize: handle probsDesc gradientsDesc labels labelLengths \
inputLengths algo ctcLossDesc
CTCLoss: cudnnCTCLoss: handle probsDesc probs labels labelLengths inputLengths costs gradientsDesc gradients algo \
ctcLossDesc workspace workSpaceSizeInBytes
createDropoutDescriptor: cudnnCreateDropoutDescriptor:
destroyDropoutDescriptor: cudnnDestroyDropoutDescriptor: dropoutDesc
setDropoutDescriptor: cudnnSetDropoutDescriptor: dropoutDesc handle dropout:f states stateSizeInBytes seed
dropoutGetStatesSize: cudnnDropoutGetStatesSize: handle
getDropoutReserveSpaceSize: cudnnGetDropoutReserveSpaceSize: xDesc
dropoutForward: cudnnDropoutForward: handle dropoutDesc srcDesc srcData dstDesc dstData reserveSpace \
reserveSpaceSizeInBytes
dropoutBackward: cudnnDropoutBackward: handle dropoutDesc dyDesc dyData dxDesc dxData reserveSpace \
reserveSpaceSizeInBytes
createSpatialTransformerDescriptor: cudnnCreateSpatialTransformerDescriptor:
destroySpatialTransformerDescriptor: cudnnDestroySpatialTransformerDescriptor: stDesc
setSpatialTransformerDescriptor: cudnnSetSpatialTransformerDescriptor: stDesc samplerType dataType nbDims dimA
spatialTfGridGeneratorForward: cudnnSpatialTfGridGeneratorForward: handle stDesc theta grid
spatialTfGridGeneratorBackward: cudnnSpatialTfGridGeneratorBackward: handle stDesc dgrid dtheta
spatialTfSamplerForward: cudnnSpatialTfSamplerForward: handle stDesc alpha xDesc x grid beta yDesc y
spatialTfSamplerBackward: cudnnSpatialTfSamplerBackward: handle stDesc alpha xDesc x beta dxDesc dx alphaDgrid dyDesc \
dy grid betaDgrid dgrid
"""
_made = {
    **_functions_of(_library, _SETTINGS, __name__),
    **_functions_of(_library, _DESCRIPTORS, __name__),
    **_functions_of(_library, _TABLE, __name__),
    **_functions_of(_computing, _COMPUTING, __name__),
    **_functions_of(_Ours("cudnn", check_status, on_host=_FUNCTIONS), _OURS, __name__),
}


def _mirrored(name):
    """The function, which does to the object of a descriptor what cuDNN does to its own."""
    call, ours = _made[name], _ON_HOST[name]
    kind = {"createTensorDescriptor": _descriptors.Tensor, "createFilterDescriptor": _descriptors.Filter}.get(name)

    @_functools.wraps(call)
    def function(*args, **kwargs):
        found = call(*args, **kwargs)
        if _library.serves():
            if kind:
                _descriptors.REGISTRY.keep(kind(), found)
            else:
                ours(*_inspect.signature(call).bind(*args, **kwargs).arguments.values())
        return found

    return function


def _tell_filter(desc, number, format, shape):
    if _library.serves():
        sizes = (_ctypes.c_int * len(shape))(*shape)
        _library.call("cudnnSetFilterNdDescriptor", desc, number, format, len(shape), sizes)


_descriptors.REGISTRY.tell = _tell_filter
_made |= {_name: _mirrored(_name) for _name in _functions_of(_library, _DESCRIPTORS, __name__)}
_made |= _Answers(_library, _computing, __name__).functions()
globals().update(_made)
__all__ += list(_made)


def getVersion():
    """The version of cuDNN, 10,000 times the major one and so on; 90000 where it is not installed,
    whose functions Tenorite's own are.

    Returns
    -------
    int
        As 91900; version 8 counts in thousands, as 8907.

    Examples
    --------
    >>> tenorite.cuda.cudnn.getVersion() >= 8000
    True
    """
    return _library.number_of("cudnnGetVersion") if _library.is_found() else _VERSION


def get_build_version():
    """The version of cuDNN whose names and numbers these are.

    Returns
    -------
    int
        90000.

    Examples
    --------
    >>> tenorite.cuda.cudnn.get_build_version()
    90000
    """
    return _VERSION
