"""cuTENSOR's functions of several devices without cuTENSOR: tensors in blocks are gathered on the
current device, computed there, and scattered.

A tensor is cut along each axis into blocks, which the axis's devices get in turn; a device keeps
its blocks in one piece of memory. Devices are numbers; -1 and -2 are the host's memory.
"""

import ctypes
import itertools

import numpy

import tenorite
from tenorite.cuda._raw.tensors import (
    DTYPES,
    IDENTITY,
    INVALID_VALUE,
    NOT_SUPPORTED,
    Operation,
    Refused,
    Tensor,
    strided,
)


def _numbers(address, count, default):
    return list((ctypes.c_int64 * count).from_address(address)) if address and count else list(default)


class MgTensor:
    """Where each block of a tensor lies; strides in elements."""

    def __init__(self, extent, element_stride, block_size, block_stride, device_count, devices, dtype):
        self.shape, self.dtype, self.devices = tuple(extent), dtype, devices
        self.block = block_size or list(extent)
        self.counts = device_count or [1] * len(extent)
        cuts = [-(-size // block) for size, block in zip(extent, self.block)]
        local = [-(-cut // count) * block for cut, count, block in zip(cuts, self.counts, self.block)]
        if not element_stride:
            element_stride = [int(numpy.prod(local[:k])) for k in range(len(extent))]
        self.element_stride, self.cuts = element_stride, cuts
        self.block_stride = block_stride or [step * size for step, size in zip(element_stride, self.block)]

    def blocks(self):
        """(place of the device in the list, offset in elements, slices of the whole) by block."""
        for place in itertools.product(*map(range, self.cuts)):
            device, factor = 0, 1
            for cut, count in zip(place, self.counts):
                device += cut % count * factor
                factor *= count
            offset = sum(cut // count * stride for cut, count, stride in zip(place, self.counts, self.block_stride))
            slices = tuple(
                slice(cut * block, min((cut + 1) * block, size))
                for cut, block, size in zip(place, self.block, self.shape)
            )
            yield device, offset, slices

    def pieces(self, pointers):
        """(array over a block, slices of the whole), pointers in the order of the devices."""
        for device, offset, slices in self.blocks():
            shape = [one.stop - one.start for one in slices]
            address = pointers[device] + offset * self.dtype.itemsize
            yield _piece(self.dtype, shape, self.element_stride, address, self.devices[device]), slices


def _piece(dtype, shape, strides, address, device):
    if device >= 0:
        return strided(dtype, shape, strides, address, device)
    span = (1 + sum((size - 1) * stride for size, stride in zip(shape, strides))) * dtype.itemsize
    memory = (ctypes.c_char * span).from_address(address)
    steps = [stride * dtype.itemsize for stride in strides]
    return numpy.ndarray(shape, dtype, memory, strides=steps)


def _gathered(tensor, pointers):
    whole = tenorite.empty(tensor.shape, tensor.dtype)
    for piece, slices in tensor.pieces(pointers):
        whole[slices] = tenorite.asarray(piece)
    return whole


def _scattered(tensor, pointers, whole):
    for piece, slices in tensor.pieces(pointers):
        part = whole[slices]
        if isinstance(piece, numpy.ndarray):
            piece[...] = part.get()
        else:
            with piece.device:
                piece[...] = tenorite.asarray(part)


class MgPlans:
    """cuTENSORMg's functions by the names of our module, with the numbers of `plans`."""

    def __init__(self, plans, fail):
        self._plans, self._fail = plans, fail

    def _describe(self, handle, numModes, extent, *arguments):
        elementStride, blockSize, blockStride, deviceCount, numDevices, devices, dataType = arguments
        if dataType not in DTYPES:
            self._fail(NOT_SUPPORTED)
        counts = (ctypes.c_int32 * numModes).from_address(deviceCount) if deviceCount and numModes else ()
        count = numDevices or 1
        numbers = list((ctypes.c_int32 * count).from_address(devices)) if devices else [tenorite.cuda.Device().id]
        shape = _numbers(extent, numModes, ())
        if any(size <= 0 for size in shape) or int(numpy.prod(list(counts) or [1])) > count:
            self._fail(INVALID_VALUE)
        parts = [_numbers(one, numModes, ()) for one in (elementStride, blockSize, blockStride)]
        return self._plans.keep(MgTensor(shape, *parts, list(counts), numbers, tenorite.dtype(DTYPES[dataType])))

    def _tensor(self, number, modes, op=IDENTITY):
        found = self._plans.find(number, MgTensor)
        count = len(found.shape)
        labels = (ctypes.c_int32 * count).from_address(modes) if count else ()
        return found, Tensor(found.shape, found.element_stride, found.dtype, labels, op)

    def _operation(self, kind, given, compute):
        found = [self._tensor(number, modes) for number, modes in given]
        try:
            operation = Operation(kind, [tensor for _, tensor in found], (), compute)
        except Refused as refused:
            self._fail(refused.status)
        operation.places = [place for place, _ in found]
        return self._plans.keep(operation)

    def _run(self, plan, scalars, pointers):
        operation = self._plans.find(plan, Operation)
        values = operation.scalars_at(scalars)
        places = operation.places
        lists = [
            list((ctypes.c_size_t * len(place.devices)).from_address(address))
            for place, address in zip(places, pointers)
        ]
        arrays = [_gathered(place, one) for place, one in zip(places[:-1], lists)]
        out = tenorite.empty(places[-1].shape, places[-1].dtype)
        operation.run(values or [operation.scalar_dtype.type(1)], [*arrays, out])
        _scattered(places[-1], lists[-1], out)

    def _no_workspace(self, *words):
        address = words[-1]
        if address:
            ctypes.c_int64.from_address(address).value = 0
        return 0

    def functions(self):
        """{name: function} with the parameters of `tenorite.cuda.cutensor`."""
        plans, operation = self._plans, self._operation
        drop = plans.functions()["destroy"]
        names = "TensorDescriptor CopyDescriptor CopyPlan ContractionDescriptor ContractionFind ContractionPlan"
        return {
            **{f"destroyMg{name}": drop for name in names.split()},
            "createMg": lambda numDevices, devices: plans.keep(object()),
            "destroyMg": drop,
            "createMgTensorDescriptor": self._describe,
            "createMgCopyDescriptor": lambda handle, dst, modes_dst, src, modes_src: operation(
                "elementwise", [(src, modes_src), (dst, modes_dst)], 0
            ),
            "createMgContractionDescriptor": lambda handle, a, ma, b, mb, c, mc, d, md, compute: operation(
                "contraction", [(a, ma), (b, mb), (c, mc), (d, md)], compute
            ),
            "createMgContractionFind": lambda handle, algo: plans.keep(algo),
            "createMgCopyPlan": lambda handle, desc, device, host: plans.keep(plans.find(desc, Operation)),
            "createMgContractionPlan": lambda handle, desc, find, device, host: plans.keep(plans.find(desc, Operation)),
            "getMgCopyWorkspace": self._no_workspace,
            "getMgContractionWorkspace": self._no_workspace,
            "_copyMg": lambda handle, plan, dst, src, device, host, streams: self._run(plan, (), (src, dst)),
            "_contractMg": lambda handle, plan, alpha, a, b, beta, c, d, device, host, streams: self._run(
                plan, (alpha, beta), (a, b, c, d)
            ),
        }
