"""Calls that ask for device texts beyond the usual ones, made on the doubles of the driver:

    FAKE_NVRTC_RECORD=FILE python tests/python/programs.py tools/hip/calls.py

Kernels compute nothing there, so that a call may end in an error after it asked for its kernels.
"""

import sys

import numpy
import scipy.sparse
import tenorite as cp
from tenorite.scipy import fft, interpolate, linalg, ndimage, signal, sparse, spatial, special

# Copied from NumPy, since nothing else has values on the doubles.
x = cp.asarray(numpy.linspace(0, 1, 5000, dtype="f4"))
image = cp.asarray(numpy.eye(64, dtype="f4"))
large = cp.ones((2048, 2048), "f4")
points = cp.asarray(numpy.random.default_rng(0).random((600, 3)))
csr = sparse.csr_matrix(scipy.sparse.eye(64, format="csr"))
small = cp.asarray(numpy.broadcast_to(numpy.eye(4), (100, 4, 4)).copy())
labels = cp.asarray(numpy.eye(64, dtype="i4"))
rng = cp.random.default_rng(0)

CALLS = [
    lambda: cp.packbits(x > 0) is cp.unpackbits(cp.ones(8, "u1")),
    lambda: signal.correlate(x, x[:9]),
    lambda: signal.correlate(image, image[:5, :5], method="direct"),
    lambda: fft.dct(x),
    lambda: fft.dst(x, type=3),
    lambda: csr @ csr,
    lambda: csr @ cp.ones(64),
    lambda: csr @ cp.ones((64, 5)),
    lambda: csr + csr,
    lambda: csr.multiply(cp.ones((64, 64))),
    lambda: csr.T.tocsr(),
    lambda: csr.tocsc(),
    lambda: csr.conj() is csr.astype("F").conj(),
    lambda: csr.tocoo().tocsr(),
    lambda: csr[3:9],
    lambda: csr[cp.arange(5)],
    lambda: csr.maximum(csr),
    lambda: csr.sum_duplicates(),
    lambda: csr.diagonal(),
    lambda: csr.toarray(),
    lambda: csr.sum(axis=0),
    lambda: csr.sort_indices(),
    lambda: sparse.kron(csr, csr),
    lambda: cp.linalg.det(small),
    lambda: cp.linalg.inv(small),
    lambda: cp.linalg.solve(small, small),
    lambda: cp.linalg.eigh(small),
    lambda: cp.linalg.cholesky(small),
    lambda: linalg.solve_banded((1, 1), cp.ones((3, 50)), cp.ones(50)),
    lambda: cp.histogram(x, 50),
    lambda: cp.bincount(cp.ones(500, "i8")),
    lambda: cp.digitize(x, x[:9]),
    lambda: cp.interp(x, x, x),
    lambda: cp.add.reduceat(x, [0, 5, 100]),
    lambda: cp.partition(x, 7),
    lambda: cp.median(large),
    lambda: cp.sort(image, axis=0),
    lambda: cp.argsort(cp.ones(1 << 20)),
    lambda: cp.lexsort(cp.ones((2, 5000))),
    lambda: cp.tile(image, 3),
    lambda: cp.tril(image),
    lambda: cp.nan_to_num(x),
    lambda: cp.nansum(x),
    lambda: cp.nanmedian(x),
    lambda: cp.unique(x),
    lambda: rng.random(100),
    lambda: rng.standard_normal(100000),
    lambda: rng.permutation(100),
    lambda: rng.binomial(10, 0.3, 100),
    lambda: rng.poisson(3.0, 100),
    lambda: rng.gamma(2.0, size=100),
    lambda: cp.random.RandomState(0).rand(100),
    lambda: cp.random.rand(100),
    lambda: cp.random.shuffle(x),
    lambda: ndimage.gaussian_filter(image, 2),
    lambda: ndimage.uniform_filter(image, 3),
    lambda: ndimage.median_filter(image, 3),
    lambda: ndimage.convolve(image, image[:3, :3]),
    lambda: ndimage.maximum_filter(image, 5),
    lambda: ndimage.map_coordinates(image, cp.ones((2, 50)), order=3),
    lambda: ndimage.affine_transform(image, cp.eye(2)),
    lambda: ndimage.zoom(image, 2),
    lambda: ndimage.spline_filter(image),
    lambda: ndimage.fourier_gaussian(image.astype("F"), 2),
    lambda: ndimage.label(image > 0),
    lambda: ndimage.distance_transform_edt(image > 0),
    lambda: ndimage.distance_transform_cdt(image > 0),
    lambda: ndimage.mean(image, labels, cp.arange(3)),
    lambda: ndimage.extrema(image, labels, cp.arange(3)),
    lambda: ndimage.find_objects(labels),
    lambda: ndimage.histogram(image, 0, 1, 10),
    lambda: ndimage.binary_erosion(image > 0),
    lambda: signal.lfilter([1.0, 2], [1.0, 0.5], x),
    lambda: signal.sosfilt(cp.ones((2, 6)), x),
    lambda: signal.upfirdn(x[:9], x, 2, 3),
    lambda: signal.hilbert(x),
    lambda: signal.find_peaks(x, prominence=1, width=2),
    lambda: signal.peak_widths(x, cp.arange(3)),
    lambda: signal.medfilt(x, 5),
    lambda: interpolate.CubicSpline(cp.arange(50.0), cp.ones(50))(x),
    lambda: interpolate.make_interp_spline(cp.arange(50.0), cp.ones(50))(x),
    lambda: interpolate.RegularGridInterpolator((cp.arange(64.0), cp.arange(64.0)), image)(cp.ones((5, 2))),
    lambda: spatial.distance.cdist(points, points),
    lambda: spatial.distance.cdist(points, points, "cityblock"),
    lambda: spatial.distance.pdist(points),
    lambda: spatial.KDTree(points).query(points, k=3),
    lambda: spatial.KDTree(points).query_ball_point(points, 0.5),
    lambda: spatial.Delaunay(points[:, :2]),
    lambda: special.softmax(image, axis=1),
    lambda: cp.fuse(lambda a: cp.exp(a - a.max(axis=1, keepdims=True)))(image),
    lambda: cp.asfortranarray(large).sum(axis=0),
    lambda: cp.cumsum(large, axis=0),
    lambda: cp.maximum.accumulate(x),
]

failed = 0
for call in CALLS:
    try:
        call()
        cp.cuda.Device().synchronize()
    except Exception as error:
        failed += 1
        print(f"{type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
print(f"{len(CALLS)} calls, {failed} ended in an error")
