"""einsum and einsum_path, with NumPy as the oracle: every form of subscripts, views and paths."""

import random

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES
from oracle import Report, assert_same

pytestmark = pytest.mark.quick

FORMS = """
    ij->ij ij->ji ij ba ij->i ij->j ij-> ii->i ii iij->j iij->ij iji->ji i...->... ...i ...ij->...ji ...ij->ij... ij->...ij
    i,i i,i-> i,j i,j->ji ij,ij ij,ij->i ij,ij->ij ij,jk ij,jk->ki ij,kj->ik ij,ik->jk bij,bjk bij,bjk->bik bij,bkj->ibk
    ij,j ij,j->i ij,i->j bi,bj->bij bij,bj->bi bij,bij->b bij,bij-> ...ij,...jk ij...,jk...->ik... ...,... ...i,i...->...
    iij,j->i ij,jj->i ij,jk,kl ij,jk,kl->il ij,jk,ki-> i,j,k->kij i,ij,j-> ij,kl,jk->il bij,bjk,bkl->bil abc,abd,abe->acde
    ij,ij,ij->ij ,ij->ij , ij,,jk->ik i,i,i,i ab,bc,cd,de->ae abcd,cd->ab abcd,bd->ca ab,cd->abcd ab,cd-> ij,kj,l->il
""".split()


def small(shape, dtype):
    """Values of which sums of products are exact in every dtype that can hold them."""
    dtype = np.dtype(dtype)
    values = np.arange(int(np.prod(shape))).reshape(shape) % 3 - (dtype.kind not in "bu")
    return np.asarray(values + (1j if dtype.kind == "c" else 0), dtype)


def operands_of(form, dtype, pick=None):
    """NumPy's arrays that fit the subscripts, with some axes of size 1 if `pick` says so."""
    letters = sorted({one for one in form.split("->")[0] if one.isalpha()})
    sizes, hosts = dict(zip(letters, (3, 4, 2, 5, 3))), []
    for term in form.split("->")[0].split(","):
        head, dots, tail = term.partition("...")
        shape = [sizes[one] for one in head] + [2, 3] * bool(dots) + [sizes[one] for one in tail]
        if pick and len(set(head + tail)) == len(head + tail):
            shape = [1 if pick.random() < 0.15 else size for size in shape]
        hosts.append(small(shape, dtype))
    return hosts


def laid(xp, host, layout):
    """The values of a NumPy array in a layout, in either library."""
    array = xp.asarray(host)
    if layout == "fortran":
        return xp.asarray(array, order="F")
    return xp.flip(xp.flip(array).copy()) if layout == "negative" else array


@pytest.mark.parametrize("dtype", DTYPES)
def test_forms(dtype):
    report = Report()
    for form in FORMS:
        for layout in ("contiguous", "fortran", "negative"):
            theirs, ours = ([laid(m, one, layout) for one in operands_of(form, dtype)] for m in (np, tn))
            for optimize in (False, True):
                report.check(
                    f"{form} {layout} {optimize}",
                    lambda: tn.einsum(form, *ours, optimize=optimize),
                    lambda: np.einsum(form, *theirs),
                    zero_sign=False,
                )
    report.close(200)


def random_form(pick):
    """Subscripts of one to four operands."""
    terms = ["".join(pick.choice("abcde") for _ in range(pick.randrange(4))) for _ in range(pick.randrange(1, 5))]
    terms = [
        term[:k] + "..." + term[k:] if pick.random() < 0.2 else term for term in terms for k in (pick.randrange(3),)
    ]
    every = sorted({one for one in "".join(terms) if one.isalpha()})
    if pick.random() < 0.3:
        return ",".join(terms)
    output = pick.sample(every, pick.randrange(len(every) + 1))
    if any("..." in term for term in terms):
        output.insert(pick.randrange(len(output) + 1), "...")
    return ",".join(terms) + "->" + "".join(output)


@pytest.mark.parametrize("seed", range(8))
def test_random_forms(seed):
    """Sizes of 1 broadcast, and no label takes more memory in ours than its result needs."""
    pick, report = random.Random(seed), Report()
    for _ in range(60):
        form = random_form(pick)
        theirs = operands_of(form, pick.choice(("int64", "float64", "complex128")), pick)
        ours = [tn.array(one) for one in theirs]
        report.check(
            f"{form} {[one.shape for one in theirs]}",
            lambda: tn.einsum(form, *ours),
            lambda: np.einsum(form, *theirs),
            zero_sign=False,
        )
    report.close(60)


def test_lists_of_labels():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    report = Report()
    calls = {
        "one": lambda m, a, b: m.einsum(a, [0, 1]),
        "reversed": lambda m, a, b: m.einsum(a, [1, 0]),
        "two": lambda m, a, b: m.einsum(a, [0, 1], b, [1, 2]),
        "output": lambda m, a, b: m.einsum(a, [0, 1], b, [1, 2], [2, 0]),
        "ellipsis": lambda m, a, b: m.einsum(a, [Ellipsis, 1], b, [1, Ellipsis], [Ellipsis]),
        "order of letters": lambda m, a, b: m.einsum(a, [30, 2]),
        "tuples": lambda m, a, b: m.einsum(a, (0, 1), ()),
        "too large": lambda m, a, b: m.einsum(a, [0, 52]),
        "no int": lambda m, a, b: m.einsum(a, [0, 1.5]),
        "no list": lambda m, a, b: m.einsum(a, 5),
        "nothing": lambda m, a, b: m.einsum(),
        "no operand": lambda m, a, b: m.einsum("ij"),
        "no labels": lambda m, a, b: m.einsum(a),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn, tn.array(x), tn.array(y)), lambda: call(np, x, y))
    report.close()


@pytest.mark.parametrize(
    "form",
    [
        "ij->ik",
        "ij->ii",
        "ij,jk",
        "i",
        "ijk",
        "i->i->i",
        "i-",
        "i>",
        "i1",
        "..i",
        "....i",
        "i...j...",
        "...i->i",
        "-i",
        "i.j",
    ],
)
def test_refused_subscripts(form):
    x = np.arange(6.0).reshape(2, 3)
    with pytest.raises(ValueError):
        np.einsum(form, x)
    with pytest.raises(ValueError):
        tn.einsum(form, tn.array(x))


def test_refusals():
    a, b = tn.ones((2, 3)), tn.ones((3, 4))
    for call, kind, words in [
        (lambda: tn.einsum("ij,kj->", a, b), ValueError, "label 'j' has sizes 3 and 4"),
        (lambda: tn.einsum("ii", a), ValueError, r"index 'i' don't match \(2 != 3\)"),
        (lambda: tn.einsum("ij->i", a, dtype="i4"), TypeError, "operand 0 can't be cast"),
        (lambda: tn.einsum("ij->i", a, out=tn.zeros(2, "f4")), TypeError, "of out"),
        (lambda: tn.einsum("ij->i", a, out=tn.zeros(3)), ValueError, r"out has shape \(3,\), the result has \(2,\)"),
        (lambda: tn.einsum("ij->i", a, out=np.zeros(2)), TypeError, "out must be"),
        (lambda: tn.einsum("ij->i", a, order="Z"), ValueError, "order"),
        (lambda: tn.einsum("ij->i", a, casting="abc"), ValueError, "casting"),
        (lambda: tn.einsum("ij->i", np.ones((2, 3))), TypeError, "Unsupported type"),
        (lambda: tn.einsum("ij->i", a, foo=1), TypeError, "foo"),
        (lambda: tn.einsum_path("ij->i", a, einsum_call=True), ValueError, "einsum_call"),
    ]:
        with pytest.raises(kind, match=words):
            call()
    out = tn.zeros(2)
    assert tn.einsum("ij->i", a, out=out) is out and out.tolist() == [3, 3]


def test_views():
    """Where nothing is summed the result of one operand is a view that can be written."""
    host = np.arange(24.0).reshape(2, 3, 4)
    for form in ("ijk->kji", "ijk", "...k->k...", "ijk->jki"):
        x, a = host.copy(), tn.array(host)
        np.einsum(form, x)[0] = 7
        made = tn.einsum(form, a, order="C")
        assert tn.shares_memory(made, a)
        made[0] = 7
        assert_same(a, x)
    a = tn.zeros((3, 3))
    tn.einsum("ii->i", a)[...] = [1, 2, 3]
    assert a.tolist() == np.diag([1.0, 2, 3]).tolist()
    assert tn.einsum("ij->ji", a, dtype="c16").dtype == a.dtype  # as NumPy has it: a view stays one
    for form in ("ij", "ij->ji", "ii->i"):
        assert tn.einsum(form, a).base is a
    assert not tn.shares_memory(tn.einsum("ij->j", a), a)


def test_dtypes_and_orders():
    x, y = np.arange(6, dtype="i4").reshape(2, 3), np.ones((3, 2), "f4")
    a, b = tn.array(x), tn.array(y)
    report = Report()
    for options in (
        {},
        {"dtype": "f8"},
        {"dtype": "c16"},
        {"dtype": "f4", "casting": "unsafe"},
        {"dtype": "f4"},
        {"dtype": "i4"},
    ):
        report.check(
            options, lambda: tn.einsum("ij,ji->i", a, b, **options), lambda: np.einsum("ij,ji->i", x, y, **options)
        )
    report.check("mixed with a scalar", lambda: tn.einsum("ij,->i", a, 2.0), lambda: np.einsum("ij,->i", x, 2.0))
    report.close(6)
    for order in "CF":
        made = tn.einsum("ij,kj->ik", a, a, order=order)
        assert made.flags[f"{order}_CONTIGUOUS"]
    assert tn.einsum("ij,kj->ik", a.T, a.T, order="A").flags.f_contiguous
    assert tn.einsum("ij,kj->ik", a, a, order="A").flags.c_contiguous


@pytest.mark.parametrize(
    "optimize",
    [
        True,
        False,
        "greedy",
        "optimal",
        ("greedy", 10**6),
        ["einsum_path", (0, 1), (0, 1)],
        ["einsum_path", (0, 2), (0, 1)],
        ["einsum_path", (0, 1, 2)],
    ],
)
def test_paths(optimize):
    hosts = [np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4), np.arange(8.0).reshape(4, 2)]
    arrays = [tn.array(one) for one in hosts]
    assert_same(tn.einsum("ij,jk,kl->il", *arrays, optimize=optimize), np.einsum("ij,jk,kl->il", *hosts))
    ours, theirs = (m.einsum_path("ij,jk,kl->il", *o, optimize=optimize) for m, o in ((tn, arrays), (np, hosts)))
    assert ours == theirs


def test_long_chain_is_no_outer_product():
    """A left-to-right order of these operands would need 10**12 elements."""
    a, b = tn.ones((1000, 1000), "f4"), tn.ones((1000, 1000), "f4")
    made = tn.einsum("ab,cd,bc->ad", a[:, :1], b[:1], tn.ones((1, 1), "f4"))
    assert made.shape == (1000, 1000) and bool((made == 1).all())
    assert tn.einsum("ab,cd,ab,cd->", a, b, a, b).item() == np.float32(1e12)


def test_empty_and_large():
    for shape, form in (((0, 3), "ij->j"), ((0, 3), "ij->i"), ((0, 0), "ii"), ((2, 0), "ij->")):
        assert_same(tn.einsum(form, tn.zeros(shape)), np.einsum(form, np.zeros(shape)))
    assert_same(tn.einsum("ij,jk->ik", tn.ones((2, 0)), tn.ones((0, 3))), np.zeros((2, 3)))
    x = np.random.default_rng(1).normal(size=(4, 60, 70))
    a = tn.array(x)
    assert_same(tn.einsum("bij,bkj->bik", a, a), np.einsum("bij,bkj->bik", x, x), ulp=1e6)
    assert_same(tn.einsum("bij,bij->b", a, a), np.einsum("bij,bij->b", x, x), ulp=1e4)
