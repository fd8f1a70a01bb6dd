"""Fifty programs in plain NumPy style, as people write them: what waiting.py measures.

Each is a function of the module `xp` and of the arrays that its `make` gives it. What it returns is
looked at. `n` of a program is how many elements its largest arrays have, about.
"""

from collections.abc import Callable
from dataclasses import dataclass

PROGRAMS = []


@dataclass(frozen=True)
class Program:
    """make(rng, n): the arrays; run(xp, *arrays): what is looked at."""

    name: str
    theme: str
    run: Callable
    make: Callable


def program(theme, make):
    def add(function):
        PROGRAMS.append(Program(function.__name__, theme, function, make))
        return function

    return add


# --- Inputs ---


def lines(count, dtype="f8"):
    """Arrays of one axis, of numbers in [0, 1)."""
    return lambda rng, n: [rng.random(n).astype(dtype) for _ in range(count)]


def squares(count, dtype="f8"):
    def make(rng, n):
        side = round(n**0.5)
        return [rng.random((side, side)).astype(dtype) for _ in range(count)]

    return make


def rows(count, width, dtype="f4"):
    return lambda rng, n: [rng.random((max(n // width, 1), width)).astype(dtype) - 0.5 for _ in range(count)]


def layers(*widths, batch=64):
    """A batch, and weights of which the widest ones have n elements, about."""

    def make(rng, n):
        scale = max(n, 1000) ** 0.5 / max(widths)
        sizes = [max(round(width * scale), 4) for width in widths]
        weights = [(rng.random(pair) - 0.5).astype("f4") for pair in zip(sizes, sizes[1:])]
        return [rng.random((batch, sizes[0])).astype("f4"), *weights]

    return make


def bodies(rng, n):
    count = round(n**0.5)
    return [rng.random((count, 3)), rng.random((count, 3)) - 0.5, rng.random(count) + 0.5]


def colours(rng, n):
    side = round((n / 3) ** 0.5)
    return [(rng.random((side, side, 3)) * 255).astype("u1")]


# --- Stencils ---


@program("stencils", squares(1))
def heat(xp, u):
    u = u.copy()
    for _ in range(20):
        u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return u


@program("stencils", squares(2))
def wave(xp, u, before):
    for _ in range(10):
        around = xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1)
        u, before = 2 * u - before + 0.2 * (around - 4 * u), u
    return u


@program("stencils", squares(1))
def life(xp, u):
    alive = u > 0.7
    for _ in range(5):
        padded = xp.pad(alive.astype("i4"), 1)
        count = padded[:-2, :-2] + padded[:-2, 1:-1] + padded[:-2, 2:] + padded[1:-1, :-2]
        count = count + padded[1:-1, 2:] + padded[2:, :-2] + padded[2:, 1:-1] + padded[2:, 2:]
        alive = (count == 3) | (alive & (count == 2))
    return alive


@program("stencils", squares(1))
def laplace_until_still(xp, u):
    u = u.copy()
    for _ in range(10):
        new = u.copy()
        new[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
        if float(xp.abs(new - u).max()) < 1e-9:
            break
        u = new
    return u


@program("stencils", squares(2))
def gray_scott(xp, u, v):
    def laplacian(a):
        return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1) - 4 * a

    for _ in range(5):
        reaction = u * v * v
        u = u + 0.16 * laplacian(u) - reaction + 0.035 * (1 - u)
        v = v + 0.08 * laplacian(v) + reaction - (0.035 + 0.065) * v
    return u + v


@program("stencils", lines(1))
def burgers(xp, u):
    u = u.copy()
    for _ in range(20):
        u[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.05 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@program("stencils", lines(2))
def electric_waves(xp, e, h):
    e, h = e.copy(), h.copy()
    for step in range(20):
        h[:-1] += 0.5 * (e[1:] - e[:-1])
        e[1:] += 0.5 * (h[1:] - h[:-1])
        e[0] = 0.01 * step
    return e


@program("stencils", squares(3))
def shallow_water(xp, h, u, v):
    h = h + 10
    for _ in range(5):
        u = u - 0.01 * (xp.roll(h, -1, 0) - xp.roll(h, 1, 0))
        v = v - 0.01 * (xp.roll(h, -1, 1) - xp.roll(h, 1, 1))
        h = h - 0.01 * (xp.roll(h * u, -1, 0) - xp.roll(h * u, 1, 0) + xp.roll(h * v, -1, 1) - xp.roll(h * v, 1, 1))
    return h


@program("stencils", squares(1))
def lattice_boltzmann(xp, u):
    steps = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
    parts = [u * 0.2 + 0.01 * k for k in range(5)]
    for _ in range(4):
        density = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
        x, y = (parts[1] - parts[2]) / density, (parts[3] - parts[4]) / density
        for k, (dx, dy) in enumerate(steps):
            wanted = density * 0.2 * (1 + 2.5 * (dx * x + dy * y))
            parts[k] = xp.roll(parts[k] + 0.6 * (wanted - parts[k]), (dx, dy), (0, 1))
    return density


# --- Solvers ---


@program("solvers", squares(1))
def conjugate_gradients(xp, a):
    a = a @ a.T + len(a) * xp.eye(len(a))
    x, r = xp.zeros(len(a)), xp.ones(len(a))
    p, old = r, r @ r
    for _ in range(10):
        ap = a @ p
        alpha = old / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        if float(new) < 1e-20:
            break
        p, old = r + (new / old) * p, new
    return x


@program("solvers", squares(1))
def jacobi(xp, a):
    diagonal = a.sum(axis=1) + 1
    b, x = a[0], xp.zeros(len(a))
    for _ in range(10):
        x = (b - a @ x + xp.diag(a) * x) / diagonal
    return x


@program("solvers", squares(1))
def power_iteration(xp, a):
    x = xp.ones(len(a))
    for _ in range(10):
        x = a @ x
        x = x / xp.sqrt((x * x).sum())
    return x


@program("solvers", lines(1))
def newton_roots(xp, a):
    x = a + 1
    for _ in range(8):
        x = x - (x**3 - a) / (3 * x**2)
    return x


@program("solvers", lines(2))
def bisection(xp, low, more):
    high = low + more
    target = low + 0.5 * more
    for _ in range(20):
        middle = (low + high) / 2
        above = middle * middle > target * target
        high = xp.where(above, middle, high)
        low = xp.where(above, low, middle)
    return low


@program("solvers", lines(3))
def lorenz(xp, x, y, z):
    for _ in range(20):
        dx, dy, dz = 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z
        x, y, z = x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz
    return x + y + z


@program("solvers", lines(2))
def runge_kutta(xp, angle, speed):
    def slope(a, s):
        return s, -9.81 * xp.sin(a)

    h = 0.01
    for _ in range(5):
        a1, s1 = slope(angle, speed)
        a2, s2 = slope(angle + h / 2 * a1, speed + h / 2 * s1)
        a3, s3 = slope(angle + h / 2 * a2, speed + h / 2 * s2)
        a4, s4 = slope(angle + h * a3, speed + h * s3)
        angle = angle + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        speed = speed + h / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
    return angle


@program("solvers", lines(2))
def random_walks(xp, price, noise):
    for _ in range(20):
        price = price * xp.exp(0.0001 + 0.01 * (noise - 0.5))
    return price.mean(), price.std()


@program("solvers", rows(1, 20, "f8"))
def logistic_regression(xp, x):
    y = (x[:, 0] > 0).astype("f8")
    w = xp.zeros(x.shape[1])
    for _ in range(5):
        p = 1 / (1 + xp.exp(-(x @ w)))
        w = w - 0.1 * (x.T @ (p - y)) / len(x)
    return w


@program("solvers", rows(1, 20, "f8"))
def least_squares_by_descent(xp, x):
    y, w = x.sum(axis=1), xp.zeros(x.shape[1])
    for _ in range(5):
        error = x @ w - y
        w = w - 0.5 * (x * error[:, None]).mean(axis=0)
    return (error**2).mean()


@program("solvers", lines(1))
def tridiagonal_relaxation(xp, b):
    x = xp.zeros_like(b)
    for _ in range(10):
        x[1:-1:2] = (b[1:-1:2] + x[:-2:2] + x[2::2][: x[1:-1:2].size]) / 2.5
        x[2:-1:2] = (b[2:-1:2] + x[1:-2:2] + x[3::2][: x[2:-1:2].size]) / 2.5
    return x


# --- Networks ---


@program("networks", rows(1, 64))
def softmax(xp, x):
    e = xp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@program("networks", rows(1, 64))
def layer_norm(xp, x):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return (x - mean) / xp.sqrt(var + 1e-5) * 1.5 + 0.1


@program("networks", rows(1, 64))
def batch_norm(xp, x):
    mean, var = x.mean(axis=0), ((x - x.mean(axis=0)) ** 2).mean(axis=0)
    return (x - mean) / xp.sqrt(var + 1e-5)


@program("networks", lines(1, "f4"))
def gelu(xp, x):
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x**3)))


@program("networks", lines(4, "f4"))
def adam(xp, w, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 0.01 * (m / (1 - 0.9)) / (xp.sqrt(v / (1 - 0.999)) + 1e-8)


@program("networks", lines(3, "f4"))
def momentum_in_place(xp, w, g, v):
    w, v = w.copy(), v.copy()
    for _ in range(5):
        v *= 0.9
        v += g
        w -= 0.01 * v
    return w


@program("networks", layers(300, 100, 10))
def perceptron(xp, x, first, second):
    hidden = xp.maximum(x @ first + 0.1, 0)
    out = hidden @ second
    e = xp.exp(out - out.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@program("networks", layers(300, 100, 10))
def training_step(xp, x, first, second):
    wanted = xp.eye(second.shape[1], dtype="f4")[xp.arange(len(x)) % second.shape[1]]
    hidden = xp.maximum(x @ first, 0)
    out = hidden @ second
    e = xp.exp(out - out.max(axis=1, keepdims=True))
    error = (e / e.sum(axis=1, keepdims=True) - wanted) / len(x)
    back = (error @ second.T) * (hidden > 0)
    return first - 0.1 * (x.T @ back), second - 0.1 * (hidden.T @ error)


@program("networks", rows(3, 64))
def attention(xp, q, k, v):
    q, k, v = q[:512], k[:512], v[:512]
    scores = q @ k.T / 8
    weights = xp.exp(scores - scores.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True)) @ v


@program("networks", layers(128, 128))
def recurrent_cells(xp, x, w):
    state = xp.zeros((len(x), w.shape[1]), "f4")
    for _ in range(10):
        state = xp.tanh(x @ w + state * 0.5)
    return state


@program("networks", rows(4, 64))
def lstm_gates(xp, i, f, o, g):
    def sigmoid(x):
        return 1 / (1 + xp.exp(-x))

    cell = xp.zeros_like(i)
    for _ in range(3):
        cell = sigmoid(f) * cell + sigmoid(i) * xp.tanh(g)
    return sigmoid(o) * xp.tanh(cell)


@program("networks", rows(1, 10))
def cross_entropy(xp, x):
    shifted = x - x.max(axis=1)[:, None]
    logs = shifted - xp.log(xp.exp(shifted).sum(axis=1))[:, None]
    return -logs[:, 3].mean()


# --- Bodies ---


@program("bodies", bodies)
def gravity(xp, x, v, m):
    for _ in range(2):
        apart = x[None, :, :] - x[:, None, :]
        inverse = ((apart**2).sum(axis=-1) + 0.01) ** -1.5
        v = v + 0.01 * (apart * (inverse * m)[:, :, None]).sum(axis=1)
        x = x + 0.01 * v
    return x


@program("bodies", bodies)
def lennard_jones(xp, x, v, m):
    apart = x[:, None] - x[None]
    squared = (apart * apart).sum(-1) + xp.eye(len(x))
    sixth = 1 / squared**3
    energy = 4 * (sixth * sixth - sixth)
    return energy.sum() / 2, (v * v).sum() * 0.5


@program("bodies", lines(4))
def free_fall(xp, x, y, vx, vy):
    for _ in range(10):
        vy = vy - 9.81 * 0.01
        x, y = x + vx * 0.01, y + vy * 0.01
        vy = xp.where(y < 0, -0.8 * vy, vy)
        y = xp.abs(y)
    return x, y


@program("bodies", bodies)
def flock(xp, x, v, m):
    apart = x[None] - x[:, None]
    distance = xp.sqrt((apart**2).sum(axis=2))
    near = (distance < 0.2) & (distance > 0)
    count = xp.maximum(near.sum(axis=1), 1)[:, None]
    together = (apart * near[:, :, None]).sum(axis=1) / count
    v = v * 0.9 + 0.1 * together
    return x + v / (xp.sqrt((v * v).sum(axis=1))[:, None] + 1e-9)


@program("bodies", rows(2, 3, "f8"))
def nearest_centre(xp, x, centres):
    centres = centres[:5]
    away = ((x[:, None, :] - centres[None]) ** 2).sum(axis=2)
    which = away.argmin(axis=1)
    return [x[which == k].mean(axis=0) for k in range(2)]


# --- Images ---


@program("images", colours)
def grey_and_contrast(xp, image):
    grey = image[..., 0] * 0.299 + image[..., 1] * 0.587 + image[..., 2] * 0.114
    low, high = grey.min(), grey.max()
    return ((grey - low) / (high - low) * 255).astype("u1")


@program("images", colours)
def gamma(xp, image):
    return (255 * (image / 255.0) ** 2.2 + 0.5).clip(0, 255).astype("u1")


@program("images", squares(1, "f4"))
def sobel(xp, image):
    x = image[:-2, 2:] - image[:-2, :-2] + 2 * (image[1:-1, 2:] - image[1:-1, :-2]) + image[2:, 2:] - image[2:, :-2]
    y = image[2:, :-2] - image[:-2, :-2] + 2 * (image[2:, 1:-1] - image[:-2, 1:-1]) + image[2:, 2:] - image[:-2, 2:]
    return xp.sqrt(x * x + y * y)


@program("images", squares(1, "f4"))
def box_blur(xp, image):
    out = xp.zeros_like(image[2:-2, 2:-2])
    for i in range(5):
        for j in range(5):
            out += image[i : image.shape[0] - 4 + i, j : image.shape[1] - 4 + j]
    return out / 25


@program("images", squares(1, "f4"))
def bilateral(xp, image):
    total, weights = xp.zeros_like(image), xp.zeros_like(image)
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            moved = xp.roll(image, (i, j), (0, 1))
            weight = xp.exp(-((moved - image) ** 2) * 50 - (i * i + j * j) * 0.5)
            total += moved * weight
            weights += weight
    return total / weights


@program("images", colours)
def hue(xp, image):
    r, g, b = (image[..., k] / 255.0 for k in range(3))
    high, low = xp.maximum(xp.maximum(r, g), b), xp.minimum(xp.minimum(r, g), b)
    span = xp.where(high == low, 1, high - low)
    found = xp.where(high == r, (g - b) / span % 6, xp.where(high == g, (b - r) / span + 2, (r - g) / span + 4))
    return found * 60, span / xp.maximum(high, 1e-9), high


@program("images", squares(2))
def mandelbrot(xp, x, y):
    c = (x * 3 - 2) + 1j * (y * 2 - 1)
    z, steps = xp.zeros_like(c), xp.zeros(c.shape, "i4")
    for _ in range(10):
        z = z * z + c
        inside = xp.abs(z) < 2
        steps += inside
        z = xp.where(inside, z, 2)
    return steps


@program("images", squares(1))
def threshold(xp, image):
    level = image.mean()
    for _ in range(4):
        above = image > level
        level = (image[above].mean() + image[~above].mean()) / 2
    return image > level


# --- Figures ---


@program("figures", lines(3))
def black_scholes(xp, price, strike, years):
    def normal(x):
        t = 1 / (1 + 0.2316419 * xp.abs(x))
        series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        tail = 0.3989422804014327 * xp.exp(-x * x / 2) * series
        return xp.where(x > 0, 1 - tail, tail)

    price, strike, years = price + 0.5, strike + 0.5, years + 0.1
    root = xp.sqrt(years)
    first = (xp.log(price / strike) + 0.065 * years) / (0.3 * root)
    return price * normal(first) - strike * xp.exp(-0.02 * years) * normal(first - 0.3 * root)


@program("figures", lines(4))
def haversine(xp, lat, lon, other_lat, other_lon):
    a = xp.sin((other_lat - lat) / 2) ** 2
    a = a + xp.cos(lat) * xp.cos(other_lat) * xp.sin((other_lon - lon) / 2) ** 2
    return 12742 * xp.arcsin(xp.sqrt(a))


@program("figures", lines(1))
def z_scores(xp, x):
    z = (x - x.mean()) / x.std()
    return z, (xp.abs(z) > 1.5).sum()


@program("figures", lines(1))
def moving_averages(xp, x):
    sums = xp.cumsum(x)
    short, long = (sums[5:] - sums[:-5]) / 5, (sums[20:] - sums[:-20]) / 20
    signal = xp.sign(short[15:] - long)
    return (signal[1:] != signal[:-1]).sum(), (signal[:-1] * xp.diff(x[20:])).sum()


@program("figures", rows(1, 20, "f8"))
def correlations(xp, x):
    x = x - x.mean(axis=0)
    cov = x.T @ x / (len(x) - 1)
    scale = xp.sqrt(xp.diag(cov))
    return cov / scale[:, None] / scale[None]


@program("figures", lines(2))
def line_fit(xp, x, y):
    mx, my = x.mean(), y.mean()
    slope = ((x - mx) * (y - my)).sum() / ((x - mx) ** 2).sum()
    rest = y - (my + slope * (x - mx))
    return slope, 1 - (rest**2).sum() / ((y - my) ** 2).sum()


@program("figures", lines(2))
def pi_by_chance(xp, x, y):
    return 4 * (x * x + y * y < 1).mean()


@program("figures", lines(1))
def horner(xp, x):
    total = xp.zeros_like(x)
    for k in range(12):
        total = total * x + (k - 5) / 7
    return total


@program("figures", lines(1))
def haar_wavelets(xp, x):
    parts = []
    while len(x) >= 64:
        x = x[: len(x) // 2 * 2]
        parts.append((x[::2] - x[1::2]) * 0.7071)
        x = (x[::2] + x[1::2]) * 0.7071
    return xp.concatenate([x, *parts])


@program("figures", lines(1))
def filtered_spectrum(xp, x):
    spectrum = xp.fft.rfft(x)
    spectrum = spectrum * (xp.abs(spectrum) > xp.abs(spectrum).mean())
    return xp.fft.irfft(spectrum)


@program("figures", lines(3))
def masked_means(xp, x, y, z):
    good = (x > 0.1) & (y < 0.9) & (z != 0)
    values = xp.where(good, x * y / (z + 1), 0)
    return values.sum() / good.sum(), values.max()
