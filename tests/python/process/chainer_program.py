"""A small network that Chainer 7.8 trains with Tenorite in CuPy's place: see test_chainer.py."""

import chainer_names  # noqa: F401, I001

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import tenorite


def network():
    np.random.seed(7)
    return chainer.Sequential(
        L.Linear(8, 32), F.relu, L.BatchNormalization(32), L.Linear(32, 16), F.tanh, L.Linear(16, 3)
    )


def train(xp, points, labels, steps=40):
    """The losses of each step, and how many points are distinguished at the end."""
    model = network()
    if xp is not np:
        model.to_gpu(0)
        points, labels = chainer.backends.cuda.to_gpu((points, labels))
    optimizer = chainer.optimizers.Adam(0.02).setup(model)
    losses = []
    for _ in range(steps):
        out = model(points)
        loss = F.softmax_cross_entropy(out, labels)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        assert type(loss.array) is xp.ndarray
        losses.append(float(loss.array))
    return losses, float(F.accuracy(out, labels).array)


assert chainer.backends.cuda.available and chainer.backends.cuda.cupy is tenorite
rng = np.random.default_rng(7)
labels = rng.integers(3, size=120).astype("i4")
points = (rng.standard_normal((120, 8)) + 2 * np.eye(3, 8)[labels]).astype("f4")
expected, _ = train(np, points, labels)
losses, accuracy = train(tenorite, points, labels)
np.testing.assert_allclose(losses[:10], expected[:10], rtol=1e-3)
print(f"accuracy {accuracy:.3f}, the loss falls from {losses[0]:.3f} to {losses[-1]:.3f}")
