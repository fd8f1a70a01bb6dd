"""Every call of the library as a line of Python.

In a line <...> marks what can be given in a hostile form, as in ``m.sum(<a>, axis=<0>)``; `m` is
the module (tenorite, or numpy as the oracle), and the other names are those of Stage. Lines of
functions are made from their signatures and from NORMAL, the usual value of each parameter; LINES
adds what has no signature.
"""

import copy
import functools
import inspect
import operator
import pickle
import re

import tenorite as tn
from adversary import Stage

MARK = re.compile(r"<(.*?)>")
NAMES = {one.__name__.lstrip("_"): one for one in (copy, operator, pickle)}

# --- Lines made from signatures ---

# The usual values, and the parameters that take them. Any other parameter takes the array a.
NORMAL = {
    "<b>": "b x2 y a2 values vals value fill_value imag",
    "<0>": "axis axis1 offset k ddof correction start obj source slices",
    "<1>": "axis2 destination decimals shift n to_begin to_end prepend append initial period precision pad_width "
    "edge_order indices_or_sections max_work ndmin kth",
    "<-1>": "axisa axisb axisc",
    "<2>": "repeats reps base ord protocol",
    "<3>": "N num step stop number M minlength ndim",
    "<4>": "padding width max_line_width",
    "<0.5>": "nan posinf neginf default",
    "<1.5>": "min a_min rtol atol tol dx beta discont",
    "<4.5>": "max a_max",
    "<True>": "keepdims endpoint retstep equal_nan returned rowvar bias sparse include_initial suppress_small "
    "increasing wrap subok blocking write align uic deg copy",
    "<None>": "out device stream dl_device max_version sorter",
    "<(3, 2)>": "shape dims newshape",
    "<(2, 2)>": "new_shape dimensions",
    "<(1, 0)>": "axes",
    "<(i, i)>": "multi_index",
    "<[a, b]>": "arrays tup choices choicelist",
    "<[q, q]>": "condlist",
    "<[1, 2]>": "funclist",
    "<i>": "indices",
    "<k>": "fweights aweights",
    "<q>": "where mask",
    "<b'12345678'>": "buffer",
    "<'f4'>": "dtype int_type sctype rep arg1 type1 type",
    "<np.dtype('f8')>": "to arg2 type2 from_",
    "<'C'>": "order",
    "<['C']>": "requirements",
    "<'unsafe'>": "casting",
    "<'right'>": "side",
    "<'wrap'>": "mode",
    "<'ij'>": "indexing",
    "<'f'>": "kind typechars trim char",
    "<'2023.12'>": "api_version",
    "<m.triu>": "mask_func",
    "<m.sum>": "func",
    "<lambda one, *rest: one.sum()>": "func1d",
    "<lambda i, j: i + j>": "function",
}
NORMAL = {parameter: text for text, names in NORMAL.items() for parameter in names.split()}
# Of one function's parameter.
SPECIAL = {
    "apply_over_axes.axes": "<0>",
    "bincount.x": "<k>",
    "bincount.weights": "<k>",
    "broadcast_to.shape": "<(2, 2, 3)>",
    "common_type.arrays": "<a>, <b>",
    "compress.condition": "<k>",
    "compress.a": "<k>",
    "dsplit.ary": "<a[..., None]>",
    "fill.value": "<3>",
    "frombuffer.count": "<1>",
    "fromDlpack.dltensor": "<a.__dlpack__()>",
    "geomspace.start": "<1>",
    "gradient.varargs": "<1>",
    "lexsort.keys": "<(a, b)>",
    "sort.kind": "<'stable'>",
    "sort.order": "<None>",
    "argsort.kind": "<'stable'>",
    "argsort.order": "<None>",
    "partition.kind": "<'introselect'>",
    "partition.order": "<None>",
    "argpartition.kind": "<'introselect'>",
    "argpartition.order": "<None>",
    "isin.kind": "<'sort'>",
    "top_k.k": "<1>",
    "searchsorted.a": "<k>",
    "digitize.bins": "<k>",
    "item.index": "<0>, <1>",
    "multi_dot.arrays": "<[s, s]>",
    "reshape.shape": "<(3, 2)>",
    "set.arr": "<h>",
    "squeeze.axis": "<()>",
    "tril_indices.m": "<3>",
    "triu_indices.m": "<3>",
    "view.type": "<m.ndarray>",
}
LEFT_OUT = set(
    # These write files, or change the process.
    "show_config set_printoptions set_string_function setbufsize "
    "install_as_cupy printoptions load loadtxt genfromtxt fromfile fromregex save savez "
    "savez_compressed savetxt DataSource tofile dump seterr seterrcall errstate format_parser "
    # They are NumPy's own.
    "finfo iinfo dtype typename base_repr binary_repr format_float_positional format_float_scientific isdtype "
    "issubdtype issubclass_ issubsctype issctype promote_types min_scalar_type mintypecode obj2sctype sctype2char "
    "broadcast_shapes ndindex iterable".split()
)


def parameters(function):
    """(those that must be given, the others), as (name, kind); None where there is no signature."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    must = [one for one in found if one.default is one.empty and one.kind <= one.POSITIONAL_OR_KEYWORD]
    return must, [one for one in found if one not in must and one.kind != one.VAR_KEYWORD]


def lines_of(name, function, shown):
    """A call with what it needs, and one more for each argument that it can have."""
    found = parameters(function)
    if found is None:
        return
    must, may = found
    given = [text_of(name, one.name) for one in must if one.name != "self"]
    yield f"{shown}({', '.join(given)})"
    for one in may:
        text = text_of(name, one.name)
        yield f"{shown}({', '.join([*given, text if one.kind == one.VAR_POSITIONAL else f'{one.name}={text}'])})"


def text_of(function, parameter):
    return SPECIAL.get(f"{function}.{parameter}") or NORMAL.get(parameter, "<a>")


# --- Lines of what has no signature ---

UFUNC = """
m.{u}({x})
m.{u}({x}, out=<c>)
m.{u}({x}, where=<q>, out=<c>)
m.{u}({x}, dtype=<'f8'>)
m.{u}({x}, casting=<'unsafe'>, order=<'C'>)
m.{u}({x}, out=(<c>,), dtype=<'f8'>)
"""
UFUNC_METHODS = """
m.{u}.reduce(<a>, <0>)
m.{u}.reduce(<a>, axis=<0>, out=<v>, keepdims=<False>)
m.{u}.reduce(<a>, axis=<(0, 1)>, dtype=<'f8'>, initial=<1>, where=<q>)
m.{u}.accumulate(<a>, <1>, <'f8'>, <c>)
m.{u}.reduceat(<a>, <k>, <0>, <'f8'>, <c>)
m.{u}.reduceat(<a>, <[0, 1]>, axis=<1>)
m.{u}.outer(<a>, <b>)
m.{u}.at(<c>, <0>, <1>)
m.{u}.at(<c>, (<k>, <0>), <v[:2]>)
m.{u}.at(<c>, <[0, 1]>, <a>)
"""
KEYS = (
    "<0>, <1>",
    "<0>",
    "<k>",
    "<[0, 1]>",
    "<q>",
    "<(0, 1)>",
    "<slice(0, 2)>",
    "<slice(0, 2)>, <[0, 1]>",
    "None, <0>",
    "..., <1>",
    "<True>",
    "<[True, False]>",
    "<k>, <[1, 0]>",
    "<k>, None, <k>",
)
OPERATORS = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge iadd isub imul "
    "itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift contains"
).split()
LINES = """
divmod(<a>, <b>)
divmod(<a>, <2>)
divmod(<2>, <b>)
pow(<a>, <2>)
len(<a>)
bool(<v[:1]>)
int(<v[0]>)
float(<v[0]>)
complex(<v[0]>)
operator.index(<i[0, 0]>)
list(<a>)
str(<a>)
repr(<a>)
format(<a>, <''>)
copy.copy(<a>)
copy.deepcopy(<a>)
pickle.loads(pickle.dumps(<a>))
a.shape = <(3, 2)>
a.shape = <6>
a.flat = <1>
a.flat = <b>
a.real = <1>
a.real = <b>
a.imag = <0>
a.flags.writeable = <False>
a.flat[<0>]
a.flat[<[0, 1]>]
a.flat[<slice(0, 2)>]
a.flat[<k>]
a.flat[<0>] = <1>
a.flat[<[0, 1]>] = <[1, 2]>
a.flat[<slice(0, 2)>] = <v>
del a[<0>]
a.astype(<'f4'>, <'C'>, <'unsafe'>, <True>, <False>)
a.astype(<'i4'>, copy=<True>)
a.astype('i4', order=<'F'>, casting=<'unsafe'>)
a.view(<'i8'>)
a.view(<'u1'>, <m.ndarray>)
a.view(dtype=<'f4'>)
a.reshape(<3>, <2>)
a.reshape(<(3, 2)>, order=<'F'>, copy=<True>)
a.reshape(<-1>)
a.transpose(<1>, <0>)
a.transpose(<(1, 0)>)
a.item(<1>)
a.item(<0>, <1>)
a.item(<(0, 1)>)
a.set(<h>)
a.set(<h>, stream=<None>)
a.get(stream=<None>, order=<'C'>, out=<h>)
a.__dlpack__(stream=<None>, copy=<True>)
a.__dlpack__(dl_device=<(1, 0)>, max_version=<(1, 0)>)
a.__array__(<'f4'>)
a.sum(<0>, <'f8'>, <v>, <False>)
a.sum(axis=<0>, out=<v>, keepdims=<False>)
a.sum(axis=<(0, 1)>, keepdims=<True>, initial=<1>, where=<q>)
a.mean(axis=<0>, dtype=<'f8'>, out=<v>, keepdims=<False>, where=<q>)
a.std(axis=<0>, ddof=<1>, out=<v>, keepdims=<False>)
a.max(axis=<0>, out=<v>, keepdims=<False>)
a.argmax(axis=<0>, keepdims=<True>)
a.cumsum(axis=<0>, dtype=<'f8'>, out=<c>)
a.clip(<1>, <2>, out=<c>)
a.dot(<s>, out=<c>)
a.take(<k>, axis=<1>, mode=<'wrap'>)
a.take(<[0, 1]>, <0>)
a.put(<k>, <v>, mode=<'wrap'>)
a.put(<[0, 1]>, <[5, 6]>)
i.choose([<a>, <b>])
a.fill(<3>)
a.repeat(<[1, 2]>, axis=<0>)
a.diagonal(<0>, <0>, <1>)
a.trace(<0>, <0>, <1>, <'f8'>)
a.swapaxes(<0>, <1>)
a.squeeze(<()>)
a.compress(<[True, False]>, axis=<0>)
a.tobytes(<'C'>)
m.ndarray(<(2, 3)>, <'f4'>, order=<'C'>)
m.ndarray(<(2, 3)>, <'f8'>, <a.data>, <(24, 8)>)
m.array(<[[1, 2], [3, 4]]>, dtype=<'f4'>, copy=<True>, order=<'C'>, ndmin=<2>)
m.array(<[a, b]>, <'f4'>)
m.array([<a>, <1>, <b>])
m.array([[<1>, <2>], [<3>, <4>]])
m.asarray(<[a, b]>, dtype=<'f4'>)
m.asarray([[<a>, <b>], [<a>, <b>]])
m.array(<w>)
m.asarray([<a>, <w>])
m.stack(<w>, <0>)
m.concatenate(<w>, <0>, <None>)
m.hstack(<w>)
m.block(<w>)
m.choose(<i>, <w>)
m.select([<q>, <q>], <w>)
m.column_stack(<w>)
m.result_type(<a>, <'f4'>, <1>)
a[<k>] = <w>
a.sum(**{<'axis'>: <0>})
m.concatenate([<a>, <b>], axis=<0>, out=<m.empty((4, 3))>)
m.concatenate([<a>, <b>], axis=<0>, dtype=<'f4'>, casting=<'unsafe'>)
m.stack([<a>, <b>], <0>, <m.empty((2, 2, 3))>)
m.block([[<a>, <b>]])
m.where(<q>, <a>, <b>)
m.where(<q>, <1>, <2>)
m.copyto(<c>, <a>, <'unsafe'>, <q>)
m.arange(<1>, <9>, <2>, <'i4'>)
m.linspace(<0>, <1>, <5>, <True>, <False>, <'f8'>, <0>)
m.full(<(2, 3)>, <1>, dtype=<'f4'>, order=<'C'>)
m.eye(<3>, <4>, <1>, <'f4'>, <'C'>)
m.frombuffer(<b'12345678'>, <'i2'>, <2>, <1>)
m.tensordot(<a>, <b>, (<[0, 1]>, <[0, 1]>))
m.ix_(<k>, <[0, 1]>)
m.meshgrid(<v>, <k>, indexing=<'ij'>)
m.broadcast_arrays(<a>, <v>)
m.broadcast_to(<a>, <(2, 2, 3)>, subok=<True>)
m.broadcast(<a>, <v>)
m.atleast_3d(<a>, <1>)
m.gradient(<a>, <1>, axis=<0>)
m.roll(<a>, <(1, 2)>, <(0, 1)>)
m.rot90(<a>, <1>, <(0, 1)>)
m.moveaxis(<a>, <[0]>, <[1]>)
m.pad(<a>, <((1, 1), (0, 2))>, <'constant'>, constant_values=<1>)
m.split(<a>, <[1]>, <0>)
m.insert(<a>, <[1]>, <v>, <0>)
m.delete(<a>, <[1]>, <0>)
m.average(<a>, <0>, <b>, <True>)
m.ravel_multi_index((<i>, <i>), <(2, 3)>, <'wrap'>, <'C'>)
m.unravel_index(<i>, <(2, 3)>, <'C'>)
m.take_along_axis(<a>, <i>, <0>)
m.put_along_axis(<c>, <i>, <a>, <0>)
m.piecewise(<a>, [<q>], [<1>, <2>])
m.select([<q>], [<a>], <0>)
m.apply_along_axis(<lambda one: one.sum()>, <0>, <a>)
m.r_[<a>, <b>]
m.c_[<v>, <v>]
m.mgrid[<slice(0, 2)>]
m.linalg.norm(<a>, <2>, <0>, <True>)
m.linalg.multi_dot([<s>, <s>, <s>])
m.cuda.Device(<0>)
m.cuda.Device(<'host:0'>)
m.cuda.Device(0) == <0>
m.cuda.Stream(null=<False>, non_blocking=<True>, ptds=<False>, priority=<0>)
m.cuda.Event(<False>, <False>, <False>)
m.cuda.Event().record(<None>)
m.cuda.Stream.null.record(<m.cuda.Event()>)
m.cuda.Stream.null.wait_event(<m.cuda.Event()>)
m.cuda.Stream.null.launch_host_func(<lambda given: None>, <1>)
m.cuda.Stream.null.add_callback(<lambda stream, error, given: None>, <1>)
m.cuda.Stream.null == <None>
m.cuda.Stream.from_external(<m.cuda.Stream.null>)
m.cuda.get_current_stream(<0>)
m.cuda.ExternalStream(<0>, <-1>)
m.cuda.alloc(<512>)
m.cuda.alloc_pinned_memory(<512>)
m.cuda.Memory(<512>)
m.cuda.MemoryPointer(<m.cuda.Memory(512)>, <8>)
m.cuda.MemoryPointer(m.cuda.Memory(512), 8) + <8>
m.cuda.MemoryPool().malloc(<512>)
m.cuda.MemoryPool(<m.cuda.alloc>).malloc(<512>)
m.cuda.MemoryPool().set_limit(<512>)
m.cuda.MemoryPool().set_limit(fraction=<0.5>)
m.cuda.MemoryPool().free_all_blocks(<None>)
m.cuda.PythonFunctionAllocator(<lambda size, device: 0>, <lambda ptr, device: None>).malloc(<512>)
m.cuda.using_allocator(<None>)
m.cuda.pinned_memory.is_memory_pinned(<0>)
m.cuda.device.from_pointer(<a.data.ptr>)
m.cuda.get_elapsed_time(<m.cuda.Event()>, <m.cuda.Event()>)
a.data.copy_from(<b.data>, <16>)
a.data.copy_from_device(<b.data>, <16>)
a.data.copy_from_device_async(<b.data>, <16>, <None>)
a.data.memset(<0>, <16>)
a.data.memset_async(<0>, <16>, <None>)
a.data + <8>
a.to_device(<'host:0'>, stream=<None>)
a.to_device(<m.cuda.Device(0)>)
m.asnumpy(<a>, <None>, <'C'>, <h>)
m.from_dlpack(<a>, device=<None>, copy=<True>)
m.array(<b>, copy=<None>)
m.lib.stride_tricks.as_strided(<a>, <(2, 2)>, <(8, 8)>)
m.lib.stride_tricks.sliding_window_view(<a>, <2>, <0>)
"""

# Of scipy's families, which NumPy has not.
FAMILIES = """
ndimage.gaussian_filter(<a>, <1.5>, order=<(0, 1)>, truncate=<3.0>, radius=<2>, axes=<(0, 1)>)
ndimage.correlate(<a>, <s>, output=<c>, mode=<'wrap'>, cval=<1.0>, origin=<(0, 1)>)
ndimage.correlate1d(<a>, <v>, <0>, output=<'f4'>, origin=<1>)
ndimage.uniform_filter(<a>, <(1, 3)>, origin=<0>, axes=<(0, 1)>)
ndimage.median_filter(<a>, size=<3>, mode=<'mirror'>)
ndimage.rank_filter(<a>, <1>, footprint=<q>, origin=<0>)
ndimage.maximum_filter(<a>, footprint=<q>, output=<c>)
ndimage.grey_opening(<a>, structure=<b>, footprint=<q>)
ndimage.binary_erosion(<q>, <q>, iterations=<2>, mask=<q>, border_value=<1>, origin=<0>)
ndimage.generic_filter(<a>, <np.max>, size=<2>, extra_keywords=<{}>)
ndimage.map_coordinates(<a>, <b>, order=<1>, mode=<'nearest'>, cval=<0.0>)
ndimage.affine_transform(<a>, <m.eye(2)>, <(0.5, 0)>, <(2, 3)>, order=<3>)
ndimage.zoom(<a>, <(2, 1.5)>, order=<2>, grid_mode=<True>)
ndimage.rotate(<a>, <30.0>, <(1, 0)>, reshape=<False>)
ndimage.shift(<a>, <[0.5, 1]>, output=<c>, prefilter=<False>)
ndimage.label(<q>, <m.ones((3, 3))>, <m.zeros((2, 3), 'i4')>)
ndimage.find_objects(<i>, <3>)
ndimage.sum_labels(<a>, <i>, <[0, 1]>)
ndimage.center_of_mass(<a>, <i>, <k>)
ndimage.labeled_comprehension(<a>, <i>, <k>, <m.sum>, <'f8'>, <0>, <False>)
ndimage.distance_transform_edt(<q>, <(1, 2.0)>, <True>, <True>)
ndimage.fourier_shift(<a + 0j>, <(1, 2)>, <-1>, <-1>)
signal.convolve(<a>, <b>, <'same'>, <'direct'>)
signal.fftconvolve(<a>, <b>, axes=<(0, 1)>)
signal.lfilter(<v + 1>, <[2.0, 1.0]>, <a>, <0>, zi=<m.zeros((2, 3))>)
signal.sosfilt(<m.asarray([[1.0, 0, 0, 1, 0.5, 0]])>, <a>, <-1>)
signal.filtfilt(<[1.0, 2]>, <[2.0, 1]>, <a>, <1>, <'odd'>, <1>)
signal.upfirdn(<v>, <a>, <2>, <1>, <0>, <'constant'>)
signal.resample(<a>, <5>, axis=<1>, window=<'hann'>)
signal.resample_poly(<a>, <2>, <3>, <1>, <[1.0, 2]>)
signal.welch(<a>, <2.0>, <'hann'>, <2>, <1>, <4>, axis=<-1>)
signal.stft(<a>, nperseg=<2>, noverlap=<1>, boundary=<'zeros'>)
signal.find_peaks(<v>, height=<(0, 4)>, distance=<1>, prominence=<0.5>)
signal.savgol_filter(<a>, <3>, <1>, deriv=<0>, axis=<1>, mode=<'nearest'>)
signal.medfilt(<a>, <(1, 3)>)
signal.detrend(<a>, <1>, <'linear'>, <[1]>)
signal.firwin(<5>, <[0.2, 0.4]>, window=<'hamming'>, pass_zero=<False>)
interpolate.make_interp_spline(<k>, <a>, <1>, axis=<0>)(<v>)
interpolate.CubicSpline(<[0.0, 1, 2]>, <s>, <0>, <'natural'>)(<v>, <1>)
interpolate.PPoly(<s>, <[0.0, 1, 2, 3]>)(<v>, <0>, <False>)
interpolate.RegularGridInterpolator((<k>, <[0.0, 1, 2]>), <a>, <'linear'>, <False>, <0.0>)(<a[:, :2] * 0>)
interpolate.interp1d(<[0.0, 1, 2]>, <a>, <'linear'>, <1>)(<[0.5, 1]>)
spatial.distance.cdist(<a>, <b>, <'minkowski'>, p=<3.0>, w=<v + 1>)
spatial.distance.pdist(<a>, <'cosine'>, out=<m.zeros(1)>)
spatial.distance.euclidean(<v>, <v + 1>, <v>)
spatial.KDTree(<a>, <2>).query(<b>, <[1, 2]>, distance_upper_bound=<9.0>)
spatial.KDTree(<a>).query_ball_point(<b>, <2.0>, <2>)
stats.zscore(<a>, <1>, <0>, <'omit'>)
stats.ttest_ind(<a>, <b>, axis=<1>, equal_var=<False>, alternative=<'less'>)
stats.moment(<a>, <[1, 2]>, <0>, center=<0.5>)
stats.iqr(<a>, <0>, <(25, 75)>, <'normal'>)
stats.rankdata(<a>, <'min'>, axis=<1>)
stats.mannwhitneyu(<v>, <v + 1>, <True>, <'greater'>, <0>, <'exact'>)
stats.norm.cdf(<a>, <b>, <2.0>)
stats.gamma.ppf(<[0.1, 0.5]>, <v[1:]>, scale=<2.0>)
stats.gaussian_kde(<v>, <0.3>, <v + 1>)(<v>)
"""

# Of cudnn: convolutions of (1, 1, 2, 3) by (1, 1, 1, 2), pooling, norms, recurrent networks.
NETWORKS = """
convolution_forward(<a.reshape(1, 1, 2, 3)>, <v[:2].reshape(1, 1, 1, 2)>, <v[:1]>, <m.zeros((1, 1, 2, 2))>, <(0, 0)>, \
<(1, 1)>, <(1, 1)>, <1>, auto_tune=<False>, tensor_core=<'auto'>, d_layout=<0>)
convolution_backward_data(<v[:2].reshape(1, 1, 1, 2)>, <a[:, :2].reshape(1, 1, 2, 2)>, <None>, <c.reshape(1, 1, 2, 3)>, \
<[0, 0]>, <[1, 1]>, <None>, <1>, deterministic=<True>, auto_tune=<True>, tensor_core=<'never'>)
convolution_backward_filter(<a.reshape(1, 1, 2, 3)>, <b[:, :2].reshape(1, 1, 2, 2)>, <m.zeros((1, 1, 1, 2))>, <(0, 0)>, \
<(1, 1)>, <(1, 1)>, <1>, deterministic=<False>, auto_tune=<False>, tensor_core=<'always'>, w_layout=<0>)
pooling_forward(<a.reshape(1, 1, 2, 3)>, <m.zeros((1, 1, 1, 2))>, <(2, 2)>, <(2, 1)>, <(0, 0)>, <0>)
pooling_backward(<a.reshape(1, 1, 2, 3)>, <b[:1, :2].reshape(1, 1, 1, 2)>, <c[:1, :2].reshape(1, 1, 1, 2)>, <[2, 2]>, \
<[2, 1]>, <[0, 0]>, <1>)
activation_forward(<a>, <3>, <4.5>)
activation_backward(<a>, <b>, <c>, <4>, <0.5>)
softmax_forward(<a>, <1>, <2>)
softmax_backward(<a>, <b>, <-1>, <1>)
batch_normalization_forward_training(<a>, <v>, <v + 1>, <v * 0>, <v * 2>, <None>, <None>, <0.5>, <0.5>, <False>, <1>, \
<False>)
batch_normalization_forward_training_ex(<a.reshape(1, 1, 3, 2)>, <v[:2]>, <v[1:]>, <k * 0.5>, <k * 2.0>, <v[:2] * 0>, \
<v[:2] * 1>, <0.5>, <0.5>, <True>, <1>, <True>, <1>)
batch_normalization_forward_inference(<a>, <v>, <v + 1>, <v * 2>, <v + 2>, <0.5>, <False>, <0>)
batch_normalization_backward(<a>, <v>, <b>, <v + 1>, <v + 2>, <0.5>, <False>, <1>, <False>, reserve_space=<None>)
DropoutStates(<None>, <7>).forward(<None>, <a>, <0.5>)
ctc_loss(<a.reshape(2, 1, 3)>, <[1]>, <[1]>, <[2]>, <0>)
rnn_forward_inference(m.cudnn.DropoutStates(None, 1), <0>, <1>, <m.zeros((1, 1, 2))>, <None>, <m.ones(14)>, \
<a>, <[1, 1]>)
rnn_forward_inference_ex(m.cudnn.DropoutStates(None, 1), <0>, <1>, <m.zeros((1, 1, 2))>, <None>, <m.ones(14)>, \
<a.reshape(2, 1, 3)>, <[2]>)
create_tensor_descriptor(<a>, <0>)
create_filter_descriptor(<a.reshape(1, 1, 2, 3)>, <1>)
create_convolution_descriptor(<(0, 1)>, <(1, 1)>, <np.dtype('f4')>, <1>, <[1, 1]>, <False>, <2>)
create_pooling_descriptor(<(2, 2)>, <(1, 1)>, <[0, 0]>, <0>)
"""


# --- All lines ---

# Other arrays in the place of a and b, where a function takes no matrices of floats, or no such
# two.
STAND_INS = ("ab", "ii", "ss", "as", "vv", "kk", "ak", "ia", "ba", "qa", "av")


def runs(line):
    names = Stage(tn).names
    try:
        exec(MARK.sub(r"\1", line), NAMES | names)
    except Exception:
        return False
    return True


@functools.cache
def lines():
    """All lines, in an order that depends on nothing; with arrays that the call takes, if there are
    such."""
    made = []
    for line in all_lines():
        others = (line.replace("<a>", f"<{x}>").replace("<b>", f"<{y}>") for x, y in STAND_INS)
        made.append(next(filter(runs, others), line))
    return list(dict.fromkeys(made))


def all_lines():
    found = {}  # ordered, each once
    for name in dir(tn):
        value = getattr(tn, name)
        if name[0] == "_" or name in LEFT_OUT or not callable(value) or isinstance(value, type):
            continue
        if isinstance(value, tn.ufunc):
            found.update(dict.fromkeys(ufunc_lines(name, value)))
        else:
            found.update(dict.fromkeys(lines_of(name, value, f"m.{name}")))
    for name in tn.linalg.__all__:
        if not isinstance(getattr(tn.linalg, name), type):
            found.update(dict.fromkeys(lines_of(name, getattr(tn.linalg, name), f"m.linalg.{name}")))
    for name in dir(tn.ndarray):
        value = getattr(tn.ndarray, name)
        if name in LEFT_OUT or name.startswith("__"):
            continue
        of_it = lines_of(name, value, f"a.{name}") if callable(value) else [f"getattr(<a>, '{name}')"]
        found.update(dict.fromkeys(of_it))
    for name in OPERATORS:
        for pair in ("<a>, <b>", "<a>, <2>", "<2>, <a>", "<a>, <s>"):
            found[f"operator.{name}({pair})"] = None
    for key in KEYS:
        written = (f"a[{key}] = {value}" for value in ("<1>", "<v[:1]>", "<[4]>"))
        found.update(dict.fromkeys((f"a[{key}]", *written)))
    found.update(dict.fromkeys(LINES.strip().splitlines()))
    found.update(dict.fromkeys(f"m.scipy.{line}" for line in FAMILIES.strip().splitlines()))
    found.update(dict.fromkeys(f"m.cudnn.{line}" for line in NETWORKS.strip().splitlines()))
    return found


def ufunc_lines(name, ufunc):
    inputs = ", ".join("<a>" if k == 0 else "<b>" for k in range(ufunc.nin))
    text = UFUNC if ufunc.nout == 1 else f"m.{name}({inputs})"
    if name in ("add", "maximum", "logical_and", "bitwise_or"):
        text += UFUNC_METHODS
    return text.format(u=name, x=inputs).strip().splitlines()
