"""Digits, made by the program, read by a small convolutional network: the calls of cuDNN, forward
and backward, on the host and on a GPU.

    python examples/digits_network.py [--train N] [--epochs E] [--check] [--output losses.png]

Two convolutions, each with batch normalisation, relu and pooling, then dropout and a dense layer,
trained by Adam on the cross entropy. All are functions of `tenorite.cudnn`: cuDNN computes them on
a GPU where it is installed, and Tenorite itself elsewhere. Dropout has the same masks everywhere,
so that a GPU's losses are the host's within rounding errors; where there is a GPU, both run.
`--check` compares a step with NumPy in float64: the loss, and how it changes along each parameter.
The picture has the losses, and digits of the test with what was read wrong in frames.
"""

# pyright: reportCallIssue=false
# It counts an argument *x as all that are left.

import argparse

import numpy as np
import side_by_side
import tenorite as tn
from digits import SIDE, draw
from tenorite import cudnn
from tenorite.cuda.cudnn import (
    CUDNN_ACTIVATION_RELU as RELU,
    CUDNN_BATCHNORM_SPATIAL as SPATIAL,
    CUDNN_POOLING_MAX as MAX,
    CUDNN_SOFTMAX_LOG as LOG,
)

CHANNELS, DROPPED, EPSILON = (8, 16), 0.25, 1e-5
WINDOW = (2, 2), (2, 2), (0, 0)  # of pooling: its size, step and padding


class Convolution:
    """3x3, of the same size; without a bias, which the normalisation has."""

    GEOMETRY = (1, 1), (1, 1), (1, 1), 1  # padding, step, dilation, groups
    HOW = {"auto_tune": False, "tensor_core": "never"}

    def __init__(self, inputs, outputs, rng):
        w = rng.normal(0, np.sqrt(2 / (9 * inputs)), (outputs, inputs, 3, 3))
        self.parameters = {"w": tn.asarray(w, dtype="f")}

    def forward(self, x, is_training):
        self.x, w = x, self.parameters["w"]
        y = tn.empty((len(x), len(w), *x.shape[2:]), "f")
        cudnn.convolution_forward(x, w, None, y, *self.GEOMETRY, **self.HOW)
        return y

    def backward(self, dy):
        w = self.parameters["w"]
        dx, dw = tn.empty_like(self.x), tn.empty_like(w)
        cudnn.convolution_backward_filter(self.x, dy, dw, *self.GEOMETRY, deterministic=True, **self.HOW)
        cudnn.convolution_backward_data(w, dy, None, dx, *self.GEOMETRY, deterministic=True, **self.HOW)
        self.gradients = {"w": dw}
        return dx


class Normalization:
    """Each channel with mean 0 and variance 1 over the batch, times gamma plus beta."""

    def __init__(self, channels):
        self.parameters = {"gamma": tn.ones(channels, "f"), "beta": tn.zeros(channels, "f")}
        self.running = tn.zeros(channels, "f"), tn.ones(channels, "f")

    def forward(self, x, is_training):
        self.x, given = x, self.parameters.values()
        if not is_training:
            return cudnn.batch_normalization_forward_inference(x, *given, *self.running, EPSILON, True, SPATIAL)
        y, *self.saved = cudnn.batch_normalization_forward_training(
            x, *given, *self.running, None, None, EPSILON, 0.9, True, SPATIAL, False
        )
        return y

    def backward(self, dy):
        dx, *found = cudnn.batch_normalization_backward(
            self.x, self.parameters["gamma"], dy, *self.saved, EPSILON, True, SPATIAL, False
        )
        self.gradients = dict(zip(self.parameters, found))
        return dx


class Relu:
    parameters: dict = {}
    gradients: dict = {}

    def forward(self, x, is_training):
        self.x, self.y = x, cudnn.activation_forward(x, RELU)
        return self.y

    def backward(self, dy):
        return cudnn.activation_backward(self.x, self.y, dy, RELU)


class Pooling:
    parameters: dict = {}
    gradients: dict = {}

    def forward(self, x, is_training):
        self.x, self.y = x, tn.empty((*x.shape[:2], x.shape[2] // 2, x.shape[3] // 2), "f")
        return cudnn.pooling_forward(x, self.y, *WINDOW, MAX)

    def backward(self, dy):
        return cudnn.pooling_backward(self.x, self.y, dy, *WINDOW, MAX)


class Dropout:
    parameters: dict = {}
    gradients: dict = {}

    def __init__(self, seed):
        self.states = cudnn.DropoutStates(None, seed)

    def forward(self, x, is_training):
        if is_training:
            self.kept, x = self.states.forward(None, x, DROPPED)
        return x

    def backward(self, dy):
        return self.states.backward(None, dy, DROPPED, self.kept)


class Dense:
    def __init__(self, inputs, outputs, rng):
        w = rng.normal(0, np.sqrt(1 / inputs), (inputs, outputs))
        self.parameters = {"w": tn.asarray(w, dtype="f"), "b": tn.zeros(outputs, "f")}

    def forward(self, x, is_training):
        self.shape, self.x = x.shape, x.reshape(len(x), -1)
        return self.x @ self.parameters["w"] + self.parameters["b"]

    def backward(self, dy):
        self.gradients = {"w": self.x.T @ dy, "b": dy.sum(axis=0)}
        return (dy @ self.parameters["w"].T).reshape(self.shape)


@tn.fuse
def adam(w, g, m, v, rate):
    """A step in place (D. Kingma, J. Ba, Adam: a method for stochastic optimization, 2015)."""
    m[...] = 0.9 * m + 0.1 * g
    v[...] = 0.999 * v + 0.001 * g * g
    w -= rate * m / (tn.sqrt(v) + 1e-8)


class Network:
    def __init__(self, seed):
        rng, inputs, self.layers = np.random.default_rng(seed), 1, []
        for channels in CHANNELS:
            self.layers += [Convolution(inputs, channels, rng), Normalization(channels), Relu(), Pooling()]
            inputs = channels
        self.layers += [Dropout(seed), Dense(inputs * (SIDE // 4) ** 2, 10, rng)]
        self.steps = 0
        self.moments = [
            {name: (tn.zeros_like(w), tn.zeros_like(w)) for name, w in layer.parameters.items()}
            for layer in self.layers
        ]

    def forward(self, x, is_training=False):
        """The logarithms of the ten probabilities."""
        for layer in self.layers:
            x = layer.forward(x, is_training)
        return cudnn.softmax_forward(x, 1, LOG)

    def gradients(self, x, labels):
        """The loss of a batch; the layers keep the gradients by their parameters."""
        logarithms = self.forward(x, True)
        dy = -(labels[:, None] == tn.arange(10)).astype("f") / len(x)
        loss = (logarithms * dy).sum()
        dx = cudnn.softmax_backward(logarithms, dy, 1, LOG)
        for layer in reversed(self.layers):
            dx = layer.backward(dx)
        return loss

    def learn(self, x, labels, rate):
        """A step of Adam; the loss before it, on the device, so that nothing waits."""
        loss = self.gradients(x, labels)
        self.steps += 1
        rate *= np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for layer, moments in zip(self.layers, self.moments):
            for name, w in layer.parameters.items():
                adam(w, layer.gradients[name], *moments[name], rate)
        return loss


# --- The same in NumPy ---


def reference(parameters, kept, x, labels):
    """The loss by NumPy alone, in the dtype of its arguments; `kept` is what dropout leaves."""
    parameters = iter(parameters)
    for _ in CHANNELS:
        w, gamma, beta = (next(parameters) for _ in range(3))
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        x = np.einsum("nchwij,kcij->nkhw", windows, w, optimize=True)
        mean, variance = (f(x, axis=(0, 2, 3), keepdims=True) for f in (np.mean, np.var))
        x = (x - mean) / np.sqrt(variance + EPSILON) * gamma[:, None, None] + beta[:, None, None]
        x = np.maximum(x, 0).reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2).max(axis=(3, 5))
    x = x.reshape(len(x), -1) * kept.reshape(len(x), -1) / (1 - DROPPED)
    x = x @ next(parameters) + next(parameters)
    x = x - x.max(axis=1, keepdims=True)
    logarithms = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
    return -logarithms[np.arange(len(x)), labels].mean()


def check(images, labels, seed):
    """Asserts that the loss of a step and its slope along each parameter are NumPy's in float64."""
    network = Network(seed)
    loss = float(network.gradients(tn.asarray(images), tn.asarray(labels)))
    pairs = [(layer.parameters[name], layer.gradients[name]) for layer in network.layers for name in layer.parameters]
    weights = [tn.asnumpy(w).astype("d") for w, _ in pairs]
    kept = next(tn.asnumpy(layer.kept) for layer in network.layers if isinstance(layer, Dropout))
    given = kept, images.astype("d"), labels
    np.testing.assert_allclose(loss, reference(weights, *given), rtol=1e-5)
    rng = np.random.default_rng(seed)
    for k, (_, gradient) in enumerate(pairs):
        way = rng.normal(size=gradient.shape)
        ends = [
            reference([w + sign * 1e-6 * way if j == k else w for j, w in enumerate(weights)], *given)
            for sign in (1, -1)
        ]
        slope, scale = (tn.asnumpy(gradient) * way).sum(), np.linalg.norm(tn.asnumpy(gradient))
        np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, atol=1e-3 * float(scale))
    print(f"a step's loss {loss:.6f} and its slopes along {len(pairs)} parameters are NumPy's in float64")


# --- Training ---


def train(data, test, options):
    """The losses of all steps, and the digits that are read of the test's."""
    network, losses = Network(options.seed), []
    images, labels = (tn.asarray(array) for array in data)
    rng = np.random.default_rng(options.seed)
    for epoch in range(options.epochs):
        order = tn.asarray(rng.permutation(len(labels)))
        found = []
        for start in range(0, len(labels) - options.batch + 1, options.batch):
            chosen = order[start : start + options.batch]
            found.append(network.learn(images[chosen], labels[chosen], options.rate))
        losses += tn.asnumpy(tn.stack(found)).tolist()
        read = tn.asnumpy(network.forward(tn.asarray(test[0])).argmax(axis=1))
        print(f"epoch {epoch + 1}: loss {np.mean(losses[-len(found) :]):.3f}, {(read == test[1]).mean():.1%} right")
    return np.array(losses), read


def paint(curves, images, labels, read, columns=24, scale=2):
    """The losses' logarithms over the steps; below them digits, those read wrong in red frames."""
    cell = SIDE * scale + 4
    image = np.full((200 + 4 * cell, columns * cell, 3), 255, np.uint8)
    steps = len(curves[0])
    top, low = np.log(max(map(np.max, curves))), np.log(max(min(map(np.min, curves)), 1e-4))
    for curve, colour in zip(curves, ((20, 60, 160), (230, 150, 30))):
        fine = np.interp(np.linspace(0, steps - 1, image.shape[1]), np.arange(steps), np.log(np.maximum(curve, 1e-4)))
        rows = np.clip((top - fine) / (top - low + 1e-9) * 190 + 3, 0, 196).astype(int)
        for x, (row, last) in enumerate(zip(rows, [rows[0], *rows])):
            image[min(row, last) : max(row, last) + 2, x] = colour
    wrong = np.flatnonzero(read != labels)[: 2 * columns]
    chosen = np.concatenate([wrong, np.flatnonzero(read == labels)[: 4 * columns - len(wrong)]])
    for k, number in enumerate(chosen):
        y, x = 200 + k // columns * cell, k % columns * cell
        ink = (255 - 17 * images[number].reshape(SIDE, SIDE) * 15).clip(0, 255).astype(np.uint8)
        image[y : y + cell - 1, x : x + cell - 1] = (190, 40, 30) if read[number] != labels[number] else 220
        image[y + 2 : y + cell - 3, x + 2 : x + cell - 3] = ink.repeat(scale, 0).repeat(scale, 1)[:-1, :-1, None]
    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=int, default=6000)
    parser.add_argument("--test", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--rate", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--check", action="store_true", help="compare a step with NumPy in float64")
    parser.add_argument("--output", default="losses.png")
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    sets = []
    for count in (options.train, options.test):
        labels = rng.integers(10, size=count)
        sets.append((draw(labels, rng).reshape(-1, 1, SIDE, SIDE) / np.float32(15), labels))
    if options.check:
        check(sets[0][0][:32], sets[0][1][:32], options.seed)
    places = [tn.cuda.Device()]
    if places[0].backend == "cuda":
        places.append(tn.cuda.Device("host:0"))
    curves = []
    for place in places:
        with place:
            print(f"on {place.name}:")
            (losses, read), seconds = side_by_side.timed(train, *sets, options)
            print(f"{len(losses)} steps of {options.batch} digits in {seconds:.1f} s")
        curves.append(losses)
    if len(curves) > 1:
        np.testing.assert_allclose(curves[0][:5], curves[1][:5], rtol=1e-3)
        print("the first losses are the host's within rounding errors")
    side_by_side.write_png(options.output, paint(curves, *sets[1], read))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
