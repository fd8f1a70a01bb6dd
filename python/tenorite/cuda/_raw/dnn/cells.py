"""One step of each recurrent cell, forward and backward, after the equations of cudnnRNNMode_t in
NVIDIA's documentation of cuDNN.

A step is one fused pass. `z` is what input and biases give to each gate of the step's rows, and `p`
what the recurrent matrices give, as (rows, gates * units). The pass forward leaves in `z` the gates
after their functions, which the pass backward reads; that leaves in `d` the gradients by `z` and in
`e` those by `p`, where they differ.
"""

import tenorite

RELU, TANH, LSTM, GRU = range(4)
GATES = {RELU: 1, TANH: 1, LSTM: 4, GRU: 3}


def _sigmoid(x):
    return 1 / (1 + tenorite.exp(-x))


@tenorite.fuse
def _relu_forward(z, p, y):
    y[...] = tenorite.maximum(z + p, 0)


@tenorite.fuse
def _tanh_forward(z, p, y):
    y[...] = tenorite.tanh(z + p)


@tenorite.fuse
def _relu_backward(y, dy, dh, d):
    d[...] = tenorite.where(y > 0, dy + dh, 0)


@tenorite.fuse
def _tanh_backward(y, dy, dh, d):
    d[...] = (dy + dh) * (1 - y * y)


@tenorite.fuse
def _lstm_forward(zi, zf, zg, zo, pi, pf, pg, po, before, cell, y):
    zi[...] = i = _sigmoid(zi + pi)
    zf[...] = f = _sigmoid(zf + pf)
    zg[...] = g = tenorite.tanh(zg + pg)
    zo[...] = o = _sigmoid(zo + po)
    cell[...] = c = f * before + i * g
    y[...] = o * tenorite.tanh(c)


@tenorite.fuse
def _lstm_backward(i, f, g, o, before, cell, dy, dh, dc, di, df, dg, do):
    total, bent = dy + dh, tenorite.tanh(cell)
    c = dc + total * o * (1 - bent * bent)
    di[...] = c * g * i * (1 - i)
    df[...] = c * before * f * (1 - f)
    dg[...] = c * i * (1 - g * g)
    do[...] = total * bent * o * (1 - o)
    dc[...] = c * f


@tenorite.fuse
def _gru_forward(zr, zi, zn, pr, pi, pn, bias, before, q, y):
    zr[...] = r = _sigmoid(zr + pr)
    zi[...] = i = _sigmoid(zi + pi)
    q[...] = inner = pn + bias
    zn[...] = n = tenorite.tanh(zn + r * inner)
    y[...] = (1 - i) * n + i * before


@tenorite.fuse
def _gru_backward(r, i, n, q, before, dy, dh, dr, di, dn, er, ei, en):
    total = dy + dh
    new = total * (1 - i) * (1 - n * n)
    reset = new * q * r * (1 - r)
    update = total * (before - n) * i * (1 - i)
    dr[...] = er[...] = reset
    di[...] = ei[...] = update
    dn[...] = new
    en[...] = new * r
    dh[...] = total * i


def _columns(array, count):
    units = array.shape[1] // count
    return [array[:, k * units : (k + 1) * units] for k in range(count)]


def forward(mode, z, p, h, c, cell, q, bias, y):
    """A step: from the states `h` and `c` before it to `y` and `cell`; `q` keeps what a GRU's reset
    gate multiplies, with its recurrent `bias`."""
    if mode == LSTM:
        _lstm_forward(*_columns(z, 4), *_columns(p, 4), c, cell, y)
    elif mode == GRU:
        _gru_forward(*_columns(z, 3), *_columns(p, 3), bias, h, q, y)
    else:
        (_relu_forward if mode == RELU else _tanh_forward)(z, p, y)


def backward(mode, z, h, c, cell, q, y, dy, dh, dc, d, e):
    """The gradients `d` and `e` of a step, from those of its result (`dy`) and of its states after
    it; `dc` becomes that of the state before, and so does a GRU's `dh` but for the product of `e`
    and the recurrent matrices."""
    if mode == LSTM:
        _lstm_backward(*_columns(z, 4), c, cell, dy, dh, dc, *_columns(d, 4))
    elif mode == GRU:
        _gru_backward(*_columns(z, 3), q, h, dy, dh, *_columns(d, 3), *_columns(e, 3))
    else:
        (_relu_backward if mode == RELU else _tanh_backward)(y, dy, dh, d)
