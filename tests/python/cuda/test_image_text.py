"""The device text of labels and distances, run on the host as a RawKernel's, against SciPy: no GPU
is needed."""

import numpy as np
import pytest
import tenorite as tn
from device_text import launch
from test_sort_text import pytestmark  # noqa: F401

ndimage = pytest.importorskip("scipy.ndimage")
BLOCK = 64


def steps_of(structure, shape):
    """As plan_merge() gives them: offsets, codes, and whether lines are joined."""
    ndim, offsets, codes = structure.ndim, [], []
    back = [at - 1 for at in np.argwhere(structure) if tuple(at) < (1,) * ndim]
    for step in back:
        if not step[:-1].any():
            continue
        code = sum(int(one + 1) << 2 * axis for axis, one in enumerate(step))
        code += (1 << 62) * (ndim > 1 and not step[:-2].any())
        level = any(tuple(other) == (*step[:-1], 0) for other in back)
        offsets.append(offset_of(step, shape))
        codes.append(code - (1 << 63) if level else code)
    up = structure[(1,) * (ndim - 2) + (0,)] if ndim > 1 else []
    return offsets, codes, int(structure[(1,) * (ndim - 1) + (0,)]), sum(1 << k for k, one in enumerate(up) if one)


def offset_of(step, shape):
    offset = 0
    for one, size in zip(step, shape, strict=True):
        offset = offset * size + int(one)
    return offset


def label(image, structure, wide, tiled, tile=192):
    shape, count, room = image.shape, image.size, 8
    offsets, codes, joined, up = steps_of(structure, shape)
    parents, mask = tn.zeros(count, "l" if wide else "i"), tn.asarray(image.astype("?"))
    labels, tiles = tn.zeros(count, "i"), -(-count // tile)
    roots, total = tn.zeros(tiles, "l"), tn.zeros(1, "l")
    common = {"BLOCK": BLOCK, "WIDE_INDEX": wide}
    begin = {"mask": mask, "parents": parents, "length": shape[-1]}
    if tiled:
        across, lines = -(-shape[-1] // 32), count // shape[-1]
        begin |= {"lines": lines, "tiles": -(-lines // 32) * across, "tiles_in_line": across}
        begin |= {"plane": shape[-2], "steps": up}
        launch("label_tiles", {**common, "JOINED": joined}, 2, BLOCK, **begin)
    else:
        launch("label_runs", {**common, "JOINED": joined}, 3, BLOCK, count=count, **begin)
    for first in range(0, max(len(offsets), 1), room):
        some = len(offsets[first : first + room])
        launch(
            "label_merge",
            {**common, "JOINED": joined, "NDIM": len(shape), "TILED": tiled, "STEPS": room},
            3,
            BLOCK,
            mask=mask,
            parents=parents,
            count=count,
            step_count=some,
            axes=shape,
            offsets=(offsets[first : first + room] + [0] * room)[:room],
            codes=(codes[first : first + room] + [0] * room)[:room],
        )
    launch("label_count", common, tiles, BLOCK, parents=parents, roots=roots, count=count, tile=tile)
    launch("label_number", common, tiles, BLOCK, parents=parents, roots=roots, total=total, count=count, tile=tile)
    launch("label_write", {**common, "WIDE_LABEL": 0}, 3, BLOCK, parents=parents, labels=labels, count=count)
    return labels.get().reshape(shape), int(total[0])


STRUCTURES = {1: (1,), 2: (1, 2), 3: (1, 3)}


@pytest.mark.parametrize("ndim", STRUCTURES)
def test_label(ndim):
    random = np.random.default_rng(ndim)
    for wide, tiled in {1: [(0, 0)], 2: [(0, 0), (1, 0), (0, 1), (1, 1)], 3: [(0, 0), (0, 1)]}[ndim]:
        shape = {1: (700,), 2: (43, 71), 3: (6, 11, 40)}[ndim]
        flags = random.random((3,) * ndim) < 0.4
        structures = [ndimage.generate_binary_structure(ndim, n) for n in STRUCTURES[ndim]]
        for structure in (*structures, flags | np.flip(flags)):
            for share in (0.4, 0.65, 1):
                image = random.random(shape) < share
                wanted, count = ndimage.label(image, structure)
                found, found_count = label(image, structure, wide, tiled)
                assert found_count == count and (found == wanted).all()


@pytest.mark.parametrize("wide", (0, 1))
def test_label_boxes(wide):
    labels = np.random.default_rng(5).integers(-1, 7, (5, 6, 9)).astype("l" if wide else "i")
    labels[2] = 3
    boxes = tn.zeros((8, 3, 2), "l")
    launch(
        "label_boxes",
        {"BLOCK": BLOCK, "WIDE_INDEX": wide, "NDIM": 3, "WIDE_LABEL": wide},
        2,
        BLOCK,
        labels=tn.asarray(labels),
        boxes=boxes,
        count=8,
        elements=labels.size,
        axes=labels.shape,
    )
    for box, wanted in zip(boxes.get(), ndimage.find_objects(labels, 8), strict=True):
        found = tuple(slice(n - a, b) for n, (a, b) in zip(labels.shape, box.tolist(), strict=True))
        assert (found if box.any() else None) == wanted


def distance(image, metric, sampling, lanes, room, none=0):
    """The launches of distance.c: `lanes` lines a block, `room` elements in shared memory."""
    shape, count, ndim = image.shape, image.size, image.ndim
    values, indices = tn.zeros(shape), tn.zeros((ndim, *shape), "i")
    common = {"METRIC": metric, "NONE": none, "NDIM": ndim}
    ends = {"shape": shape, "samplings": sampling}
    launch(
        "distance_scan",
        {**common, "BLOCK": BLOCK, "LANES": 4, "IS_LAST": int(ndim == 1)},
        2,
        BLOCK,
        mask=tn.asarray(image.astype("?")),
        values=values,
        indices=indices,
        length=shape[0],
        columns=count // shape[0],
        sampling=sampling[0],
        **ends,
    )
    inner = count // shape[0]
    for axis in range(1, ndim):
        length, inner = shape[axis], inner // shape[axis]
        width = lanes if inner > 1 else 1
        side = -(-inner // width)
        launch(
            "distance_lines",
            {**common, "BLOCK": 32 * width, "LANES": width, "LENGTH": room, "IS_LAST": int(axis == ndim - 1)},
            3,
            32 * width,
            values=values,
            indices=indices,
            room=tn.zeros(3 * width * length),
            sites=tn.zeros(3 * width * length, "i"),
            tiles=count // (length * inner) * side,
            side=side,
            length=length,
            inner=inner,
            axis=axis,
            elements=count,
            sampling=sampling[axis],
            **ends,
        )
    return values.get(), indices.get()


@pytest.mark.parametrize("metric", (0, 1, 2))
@pytest.mark.parametrize("ndim", (1, 2, 3))
def test_distance(metric, ndim):
    random = np.random.default_rng(ndim)
    for share, lanes, room in ((0.6, 2, 64), (0.98, 1, 0))[: 1 if metric else 2]:
        shape = {1: (150,), 2: (31, 45), 3: (9, 14, 11)}[ndim]
        image = random.random(shape) < share
        image.flat[7] = False
        sampling = [1.0] * ndim if lanes > 1 else random.uniform(0.5, 2, ndim).tolist()
        found, indices = distance(image, metric, sampling, lanes, room)
        away = np.abs(np.argwhere(np.ones(shape))[:, None] - np.argwhere(~image)) * sampling
        away = [np.sqrt((away**2).sum(-1)), away.sum(-1), away.max(-1)][metric]
        np.testing.assert_allclose(found, away.min(1).reshape(shape), rtol=1e-14)
        assert not image[tuple(indices)].any()
        ends = np.abs(indices - np.indices(shape)).reshape(ndim, -1).T * sampling
        ends = [np.sqrt((ends**2).sum(-1)), ends.sum(-1), ends.max(-1)][metric]
        np.testing.assert_allclose(ends.reshape(shape), found, rtol=1e-14)


@pytest.mark.parametrize("ndim", (1, 3))
def test_distance_without_zeros(ndim):
    shape = (4, 5, 3)[:ndim]
    wanted, places = ndimage.distance_transform_edt(np.ones(shape), return_indices=True)
    found, indices = distance(np.ones(shape), 0, [1.0] * ndim, 2, 32, 0)
    assert (found == wanted).all() and (indices == places).all()
    found, indices = distance(np.ones(shape), 2, [1.0] * ndim, 1, 0, 2)
    assert (found == -1).all() and (indices == np.indices(shape)).all()
    found, indices = distance(np.ones(shape), 1, [1.0] * ndim, 2, 32, 1)
    assert np.isinf(found).all() and not indices.any()
