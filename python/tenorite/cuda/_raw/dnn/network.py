"""Recurrent networks with cuDNN's semantics: steps, weights, what a pass forward keeps.

Sequences are packed: the rows of all steps one after the other, and in each step as many rows as
sequences are that long, the longest first. `recurrent.Sequences` gathers other layouts into this.
The weights are one vector: of each layer and direction the input matrices of its gates and then the
recurrent ones, after all of them the biases in the same order. One product makes what the input
gives to all steps; the steps follow, a product and a fused pass each.

What a pass forward keeps (`Kept`): gates, cells, layers' results and masks. The pass backward by
data leaves the gradients by gates there for that by weights.
"""

import functools

import numpy

import tenorite
from tenorite.cuda._raw.dnn import cells

_FORWARD, _BACKWARD = range(2)


class Steps:
    """Packed sequences: `batches[t]` rows at step t, never more than before; `rows` sequences."""

    def __init__(self, batches, rows):
        self.batches = [int(batch) for batch in batches]
        if any(b > a for a, b in zip([rows, *self.batches], self.batches)) or min(self.batches, default=0) < 0:
            raise ValueError(f"batch sizes {self.batches} grow, or are more than {rows} sequences")
        self.rows = rows
        self.starts = [0, *numpy.cumsum(self.batches, dtype=int).tolist()]
        self.total = self.starts[-1]
        self._is_even = not self.batches or self.batches[-1] == rows

    def of(self, array, step):
        return array[self.starts[step] : self.starts[step + 1]]

    def order(self, direction):
        """The steps in the order of a direction."""
        steps = range(len(self.batches))
        return steps if direction == _FORWARD else steps[::-1]

    def before(self, first, states, step, direction):
        """The states before a step: those of the step that precedes it, or the `first` ones."""
        batch, other = self.batches[step], step - 1 if direction == _FORWARD else step + 1
        if not 0 <= other < len(self.batches):
            return first[:batch]
        found = self.of(states, other)[:batch]
        return found if len(found) == batch else tenorite.concatenate((found, first[len(found) : batch]))

    @functools.cached_property
    def _places(self):
        """Of both directions the rows in (first states, states of all steps) that precede each row,
        and those of the last states."""
        found, ids = [], [numpy.arange(batch) for batch in self.batches]
        for direction in (_FORWARD, _BACKWARD):
            latest, before = numpy.arange(self.rows), [None] * len(ids)
            for step in self.order(direction):
                before[step] = latest[ids[step]]
                latest[ids[step]] = self.rows + self.starts[step] + ids[step]
            before = numpy.concatenate([ids[0][:0], *before]) if ids else latest[:0]
            found.append((tenorite.asarray(before), tenorite.asarray(latest)))
        return found

    def all_before(self, first, states, direction):
        """The states before each row of all steps."""
        if not self._is_even:
            return tenorite.concatenate((first, states))[self._places[direction][0]]
        shorter = max(self.total - self.rows, 0)
        if direction == _FORWARD:
            return tenorite.concatenate((first, states[:shorter]))[: self.total]
        return tenorite.concatenate((states[self.total - shorter :], first))[-self.total or self.rows :]

    def last(self, first, states, direction):
        """The states after the last step of each sequence."""
        if not self._is_even:
            return tenorite.concatenate((first, states))[self._places[direction][1]]
        if not self.total:
            return first
        return states[self.total - self.rows :] if direction == _FORWARD else states[: self.rows]


class Network:
    """The equations, sizes and weights of an RNN descriptor."""

    def __init__(self, mode, inputs, units, layers, is_both_ways=False, is_skipping=False):
        self.mode, self.inputs, self.units, self.layers = mode, inputs, units, layers
        self.directions, self.is_skipping = 2 if is_both_ways else 1, is_skipping
        self.gates, self.has_cell = cells.GATES[mode], mode == cells.LSTM
        if is_skipping and inputs != units:
            raise ValueError(f"an input of {inputs} elements that skips its matrix, and {units} units")

    # --- Weights ---

    def _width(self, layer):
        return self.directions * self.units if layer else self.inputs

    def _matrices(self, pseudo):
        """Columns of a pseudo layer's input matrices (0: it has none) and of its recurrent ones."""
        layer = pseudo // self.directions
        return (0 if self.is_skipping and not layer else self._width(layer)), self.units

    @functools.cached_property
    def _offsets(self):
        """Of each pseudo layer where its matrices begin, and last where the biases do."""
        sizes = [self.gates * self.units * sum(self._matrices(k)) for k in range(self.layers * self.directions)]
        return [0, *numpy.cumsum(sizes, dtype=int).tolist()]

    @property
    def size(self):
        """Elements of all weights."""
        return self._offsets[-1] + 2 * self.gates * self.units * self.layers * self.directions

    def matrix(self, pseudo, number):
        """Where a matrix begins and its shape; numbers of recurrent ones follow the input's."""
        inputs, units = self._matrices(pseudo)
        side, gate = divmod(number, self.gates)
        start = self._offsets[pseudo] + (self.gates * units * inputs if side else 0)
        shape = units, units if side else inputs
        return start + gate * shape[0] * shape[1], shape

    def bias(self, pseudo, number):
        """Where a bias begins; it has `units` elements."""
        return self._offsets[-1] + (2 * self.gates * pseudo + number) * self.units

    def _weights(self, w, pseudo):
        """Views: input matrices or None, recurrent matrices, both biases."""
        wide, found = self.gates * self.units, []
        for side, columns in enumerate(self._matrices(pseudo)):
            start = self.matrix(pseudo, side * self.gates)[0]
            found.append(w[start : start + wide * columns].reshape(wide, columns) if columns else None)
        start = self.bias(pseudo, 0)
        return *found, w[start : start + wide], w[start + wide : start + 2 * wide]

    # --- Forward ---

    def _gates_of_input(self, x, w, pseudo, z):
        """What input and biases give to the gates of all steps, into `z`; a GRU's recurrent bias of
        the new memory is added in the steps."""
        matrix, _, bias, recurrent = self._weights(w, pseudo)
        if matrix is None:
            z.reshape(len(z), self.gates, self.units)[...] = x[:, None, :]
        else:
            tenorite.matmul(x, matrix.T, out=z)
        z += bias
        if self.mode == cells.GRU:
            z[:, : 2 * self.units] += recurrent[: 2 * self.units]
            return recurrent[2 * self.units :]
        z += recurrent
        return None

    def _run(self, steps, x, h, c, w, pseudo, kept, y):
        """One layer in one direction, into `y`; the last states."""
        direction = pseudo % self.directions
        z, cell, q = kept.gates(pseudo), kept.cell(pseudo), kept.inner(pseudo)
        bias = self._gates_of_input(x, w, pseudo, z)
        matrix, room = self._weights(w, pseudo)[1].T, tenorite.empty((steps.rows, z.shape[1]), z.dtype)
        for step in steps.order(direction):
            before = steps.before(h, y, step, direction)
            given = steps.before(c, cell, step, direction) if self.has_cell else None
            at = slice(steps.starts[step], steps.starts[step + 1])
            product = tenorite.matmul(before, matrix, out=room[: steps.batches[step]])
            cell_at, q_at = (None if array is None else array[at] for array in (cell, q))
            cells.forward(self.mode, z[at], product, before, given, cell_at, q_at, bias, y[at])
        return steps.last(h, y, direction), steps.last(c, cell, direction) if self.has_cell else None

    def forward(self, steps, x, h, c, w, kept, drop=None):
        """The last layer's result, and the last states (of LSTMs' cells, too) of all pseudo layers.

        `drop(shape)` makes what the results between layers are multiplied by.
        """
        last, last_cells = [], []
        for layer in range(self.layers):
            if layer and drop:
                kept.mask(layer)[...] = mask = drop((steps.total, self._width(layer)))
                x = x * mask
            y = kept.result(layer)
            for direction in range(self.directions):
                pseudo = layer * self.directions + direction
                found = self._run(
                    steps, x, h[pseudo], None if c is None else c[pseudo], w, pseudo, kept, self._half(y, direction)
                )
                last.append(found[0])
                last_cells.append(found[1])
            x = y
        return x, tenorite.stack(last), tenorite.stack(last_cells) if self.has_cell else None

    def _half(self, y, direction):
        return y[:, direction * self.units : (direction + 1) * self.units]

    # --- Backward ---

    def _run_back(self, steps, h, c, w, pseudo, kept, dy, dh, dc):
        """The gradients by gates of one layer in one direction; `dh` and `dc` become those of the
        first states."""
        direction = pseudo % self.directions
        z, cell, q = kept.gates(pseudo), kept.cell(pseudo), kept.inner(pseudo)
        y = self._half(kept.result(pseudo // self.directions), direction)
        d, e = kept.gradients(pseudo)
        matrix = self._weights(w, pseudo)[1]
        for step in reversed(steps.order(direction)):
            at, batch = slice(steps.starts[step], steps.starts[step + 1]), steps.batches[step]
            before = steps.before(h, y, step, direction)
            given = steps.before(c, cell, step, direction) if self.has_cell else None
            cell_at, q_at = (None if array is None else array[at] for array in (cell, q))
            later, cell_later = dh[:batch], dc[:batch] if self.has_cell else None
            cells.backward(
                self.mode, z[at], before, given, cell_at, q_at, y[at], dy[at], later, cell_later, d[at], e[at]
            )
            if self.mode == cells.GRU:
                later += tenorite.matmul(e[at], matrix)
            else:
                tenorite.matmul(e[at], matrix, out=later)

    def backward_data(self, steps, h, c, w, kept, dy, dh, dc, has_mask):
        """The gradient by the input; `dh` and `dc`, those by the last states, become those by the
        first ones."""
        for layer in reversed(range(self.layers)):
            dx = None
            for direction in range(self.directions):
                pseudo = layer * self.directions + direction
                given = (None, None) if c is None else (c[pseudo], dc[pseudo])
                half = self._half(dy, direction)
                self._run_back(steps, h[pseudo], given[0], w, pseudo, kept, half, dh[pseudo], given[1])
                d, matrix = kept.gradients(pseudo)[0], self._weights(w, pseudo)[0]
                share = d.reshape(len(d), self.gates, self.units).sum(axis=1) if matrix is None else d @ matrix
                dx = share if dx is None else dx + share
            dy = dx * kept.mask(layer) if layer and has_mask else dx
        return dy

    def backward_weights(self, steps, x, h, kept, dw, has_mask):
        """Adds the gradient by the weights to `dw`."""
        for layer in range(self.layers):
            if layer:
                x = kept.result(layer - 1) * kept.mask(layer) if has_mask else kept.result(layer - 1)
            for direction in range(self.directions):
                pseudo = layer * self.directions + direction
                matrix, recurrent, bias, recurrent_bias = self._weights(dw, pseudo)
                y = self._half(kept.result(layer), direction)
                d, e = kept.gradients(pseudo)
                if matrix is not None:
                    matrix += d.T @ x
                recurrent += e.T @ steps.all_before(h[pseudo], y, direction)
                bias += d.sum(axis=0)
                recurrent_bias += e.sum(axis=0)


class Kept:
    """Arrays of a pass forward, over one vector in the dtype of the computation."""

    def __init__(self, network, total):
        self._total, self._places, self.size = total, {}, 0
        for pseudo in range(network.layers * network.directions):
            self._place(("gates", pseudo), network.gates * network.units)
            self._place(("gradients", pseudo), network.gates * network.units)
            if network.mode == cells.LSTM:
                self._place(("cell", pseudo), network.units)
            if network.mode == cells.GRU:
                self._place(("inner", pseudo), network.units)
                self._place(("recurrent gradients", pseudo), network.gates * network.units)
        for layer in range(network.layers):
            self._place(("result", layer), network.directions * network.units)
            if layer:
                self._place(("mask", layer), network.directions * network.units)

    def over(self, array):
        """Lays the arrays over a vector of `size` elements."""
        self._array = array
        return self

    def _place(self, name, width):
        self._places[name] = self.size, width
        self.size += width * self._total

    def _at(self, *name):
        if name not in self._places:
            return None
        start, width = self._places[name]
        return self._array[start : start + self._total * width].reshape(self._total, width)

    def gates(self, pseudo):
        return self._at("gates", pseudo)

    def cell(self, pseudo):
        return self._at("cell", pseudo)

    def inner(self, pseudo):
        """A GRU's term that the reset gate multiplies."""
        return self._at("inner", pseudo)

    def result(self, layer):
        return self._at("result", layer)

    def mask(self, layer):
        """What the input of a layer above the first was multiplied by."""
        return self._at("mask", layer)

    def gradients(self, pseudo):
        """By the gates of the input, and by those of the recurrent states."""
        found = self._at("gradients", pseudo)
        other = self._at("recurrent gradients", pseudo)
        return found, found if other is None else other
