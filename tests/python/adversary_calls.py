"""Every call of the library with every argument in every hostile form, and what is wrong with what happens.

A call is a line of Python in which <...> marks what can be given in a hostile form, as in
``m.sum(<a>, axis=<0>)``; `m` is the module (tenorite, or numpy as the oracle), and the other names are those of
Stage. Lines of functions are made from their signatures and from NORMAL, the usual value of each parameter;
LINES adds what has no signature. A case is a line, which mark is hostile and how, what the attack does, and at
which strike.

As a program it runs a share of all cases and writes what it finds, or shows one case:

    python tests/python/adversary_calls.py 4711
"""

import argparse
import contextlib
import copy
import functools
import gc
import inspect
import itertools
import json
import mmap
import operator
import pickle
import random
import re
import struct
import sys
from typing import NamedTuple

import numpy as np
import tenorite as tn
from adversary import ACTIONS, AMBIENT, Attack, Stage, forms_of, is_array, poison
from oracle import comes_true

MARK = re.compile(r"<(.*?)>")
NAMES = {one.__name__.lstrip("_"): one for one in (copy, operator, pickle)}

# --- Lines ---

NORMAL = {
    "a array arr ary m x x1 real A M_ f src dst prototype condition filt v val like z element type1_ object fid_ a1 p": "<a>",
    "b x2 y a2 values vals choicelist_ imag fill_value value": "<b>",
    "axis axis1 offset k ddof correction n_ start obj ind source": "<0>",
    "axis2 destination decimals num_ shift n edge_order to_begin to_end prepend append initial period precision": "<1>",
    "shape dims newshape": "<(3, 2)>", "new_shape dimensions": "<(2, 2)>", "axes": "<(1, 0)>", "reps repeats": "<2>",
    "dtype int_type sctype rep arg1 type1": "<'f4'>", "to arg2 type2 from_": "<np.dtype('f8')>",
    "keepdims endpoint retstep equal_nan returned rowvar bias sparse include_initial suppress_small increasing "
    "wrap subok blocking write align uic deg copy": "<True>",
    "order": "<'C'>", "casting": "<'unsafe'>", "where": "<q>", "mask": "<q>", "out": "<None>", "device": "<None>",
    "stream dl_device max_version": "<None>", "indices": "<i>", "slices": "<0>", "mode": "<'wrap'>", "indexing": "<'ij'>",
    "arrays tup": "<[a, b]>", "choices choicelist": "<[a, b]>", "condlist": "<[q, q]>", "funclist": "<[1, 2]>",
    "indices_or_sections": "<1>", "multi_index": "<(i, i)>", "N num step stop number M minlength ndim N_ count": "<3>",
    "base": "<2>", "padding width max_line_width": "<4>", "pad_width": "<1>", "nan posinf neginf default": "<0.5>",
    "min a_min rtol atol tol dx beta discont": "<1.5>", "max a_max": "<4.5>", "weights": "<a>", "buffer": "<b'12345678'>",
    "func1d func": "<lambda one, *rest: one.sum()>", "mask_func": "<m.triu>", "function": "<lambda i, j: i + j>",
    "kind typechars trim char": "<'f'>", "requirements": "<['C']>", "ord": "<2>", "key": "<0>", "type": "<'f4'>",
    "api_version": "<'2023.12'>", "specification": "<''>", "protocol": "<2>", "axisa axisb axisc": "<-1>",
    "max_work ndmin": "<1>", "typeset": "<'fd'>", "fweights": "<k>", "aweights": "<k>",
    "x_": "<a>",
}  # fmt: skip
NORMAL = {name: text for names, text in NORMAL.items() for name in names.split()}
# Where the usual value makes no sense: of one parameter, or all that is always given.
SPECIAL = {
    "ones.shape": "<(2, 3)>",
}
LEFT_OUT = set(
    # These write files, or change the process.
    "show_config set_printoptions install_as_cupy printoptions load loadtxt genfromtxt fromfile fromregex save savez "
    "savez_compressed savetxt DataSource tofile dump seterr seterrcall errstate format_parser "
    # They are NumPy's own.
    "finfo iinfo dtype typename base_repr binary_repr format_float_positional format_float_scientific isdtype "
    "issubdtype issubclass_ issubsctype issctype promote_types min_scalar_type mintypecode obj2sctype sctype2char "
    "broadcast_shapes ndindex iterable".split()
)  # fmt: skip


def parameters(function):
    """(those that must be given, the others), as (name, kind); None where there is no signature."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    must = [one for one in found if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
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
KEYS = ("<0>, <1>", "<0>", "<k>", "<[0, 1]>", "<q>", "<(0, 1)>", "<slice(0, 2)>", "<slice(0, 2)>, <[0, 1]>", "None, <0>",
        "..., <1>", "<True>", "<[True, False]>", "<k>, <[1, 0]>", "<k>, None, <k>")  # fmt: skip
OPERATORS = ("add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge iadd isub imul "
             "itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift contains").split()  # fmt: skip
LINES = """
divmod(<a>, <b>)
divmod(<a>, <2>)
divmod(<2>, <b>)
pow(<a>, <2>)
round(<a>, <1>)
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
a.choose([<a>, <b>])
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


# Other arrays in the place of a and b, where a function takes no matrices of floats, or no such two.
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
    """All lines, in an order that depends on nothing; with arrays that the call takes, if there are such."""
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
        found.update(dict.fromkeys(lines_of(name, value, f"a.{name}") if callable(value) else [f"getattr(<a>, '{name}')"]))
    for name in OPERATORS:
        for pair in ("<a>, <b>", "<a>, <2>", "<2>, <a>", "<a>, <s>"):
            found[f"operator.{name}({pair})"] = None
    for key in KEYS:
        found.update({f"a[{key}]": None, f"a[{key}] = <1>": None, f"a[{key}] = <v[:1]>": None, f"a[{key}] = <[4]>": None})
    found.update(dict.fromkeys(LINES.strip().splitlines()))
    return found


def ufunc_lines(name, ufunc):
    inputs = ", ".join("<a>" if k == 0 else "<b>" for k in range(ufunc.nin))
    text = UFUNC if ufunc.nout == 1 else f"m.{name}({inputs})"
    if name in ("add", "maximum", "logical_and", "bitwise_or"):
        text += UFUNC_METHODS
    return text.format(u=name, x=inputs).strip().splitlines()


# --- Cases ---


class Case(NamedTuple):
    """One call under one attack."""

    line: str
    marks: tuple  # which marks are hostile; none where the attack comes from outside
    form: str  # of FORMS; EACH and a number: several marks, each in that of its own forms; or of AMBIENT
    action: str
    when: int

    @property
    def ambient(self):
        return None if self.marks else self.form

    def form_of(self, text):
        """The form in which what a mark holds is given."""
        if not self.form.startswith(EACH):
            return self.form
        forms = forms_of_text(text)
        return forms[int(self.form[len(EACH) :]) % len(forms)]

    def __str__(self):
        count = itertools.count()
        text = MARK.sub(lambda mark: f"{self.form_of(mark[1])}({mark[1]})" if next(count) in self.marks else mark[1],
                        self.line)  # fmt: skip
        return f"{text}  # {self.ambient or ''} strike {self.when}: {self.action}"


EACH = "each "


@functools.cache
def forms_of_text(text):
    with Stage(tn) as stage:
        return forms_of(eval(text, NAMES | stage.names))


CHANGING = ("[", "list", "interface", "sequence")  # texts and forms with a list or dict
RAW = re.compile(r"\.data|cuda\.")  # where an int is an address: one that lies ends the process, and may


def cases():
    """All cases, in an order that depends on nothing."""
    for line in lines():
        texts = MARK.findall(line)
        for mark, text in enumerate(texts):
            for form, action in itertools.product(forms_of_text(text), ACTIONS):
                is_changed = "w" == text or any(one in text + form.lower() for one in CHANGING)
                if action not in ("empty", "grow") or is_changed:
                    yield from strikes(line, (mark,), form, action)
        for form, action in itertools.product(range(4 if len(texts) > 1 else 0), ACTIONS):
            yield from strikes(line, tuple(range(len(texts))), f"{EACH}{form}", action)
        for ambient, action, when in itertools.product(AMBIENT, ACTIONS, (1, 2, 4, 8)):
            if action in AMBIENT_ACTIONS.get(ambient, ("reshape", "again", "leave")) or (action == "empty" and "<w>" in line):
                yield Case(line, (), ambient, action, when)


# An exception of a hook or of the collector can't come out of a call.
AMBIENT_ACTIONS = dict.fromkeys(("warning", "allocator"), ("reshape", "again", "leave", "move", "fail"))


def strikes(line, marks, form, action):
    if action == "lie" and RAW.search(line):
        return
    for when in (1, 2, 3, 5) if action in ("reshape", "empty") else (1, 2):
        yield Case(line, marks, form, action, when)


# --- What comes out of a case ---


class Outcome(NamedTuple):
    stage: Stage
    value: object  # what was made and what the arrays hold, as plain objects; None where the call failed
    errors: tuple  # the classes of the exception and of those behind it
    is_balanced: bool  # no references are left or lost


@functools.cache
def compiled(line, marks):
    """The code of a line with the names H0, H1, ... in the places of marks, and the texts that were there."""
    count, taken = itertools.count(), []

    def put(found):
        if next(count) not in marks:
            return found[1]
        taken.append(found[1])
        return f"H{len(taken) - 1}"

    text = MARK.sub(put, line)
    try:
        return compile(text, text, "eval"), taken
    except SyntaxError:
        return compile(text, text, "exec"), taken


def plain(value, shaped=True):
    """A result as something to compare: arrays of both libraries are alike, floats have 9 digits."""
    if isinstance(value, tn.ndarray):
        value = value.get()
    if isinstance(value, (np.ndarray, np.generic)):
        shape, values = (value.shape, value) if shaped else (None, np.ravel(value))
        return str(value.dtype), shape, plain(values.tolist())
    if isinstance(value, (tuple, list)):
        return [plain(one, shaped) for one in value]
    if isinstance(value, (float, complex)):
        return f"{value:.9g}"
    return value if isinstance(value, (bool, int, str, bytes, type(None))) else type(value).__name__


def causes(error):
    while error is not None:
        yield type(error)
        error = error.__cause__ or error.__context__


def references(names, wanted="abcvksiqh"):
    return [sys.getrefcount(names[name]) for name in wanted if name in names]


def poisoned(case, text, names, stays):
    """A hostile object of a case. `stays`: what it holds is no array of the stage, which may get another shape."""
    value = eval(text, names)
    return poison(case.form_of(text), value[...] if stays and is_array(value) else value)


def run(case, module, action, reshaped=""):
    """Makes the call of a case on new arrays. `action` None: nothing attacks it. `reshaped`: the names of the arrays
    that have their second shape from the start; H is that of the hostile objects."""
    code, taken = compiled(case.line, case.marks)
    value, errors, shown, counts = None, (), None, []
    with Stage(module, action, case.when, reshaped, case.ambient) as stage:
        names, hostile = NAMES | stage.names, {}
        before = references(names)
        try:
            for k, text in enumerate(taken):
                hostile[f"H{k}"] = poisoned(case, text, names, action is None and "H" not in reshaped)
                names |= hostile
            counts = references(names, hostile)
            stage.again = functools.partial(eval, code, names)
            stage.armed = True
            value = stage.again()
        except Exception as error:
            errors = tuple(causes(error))
        finally:
            stage.armed, stage.again = False, None
    if not errors and action in (None, "reshape"):
        # A given result is written in one shape, and may have another when it is returned.
        shown = plain(value, not GIVEN.search(case.line)), plain(stage.living(), shaped=False)
    value = None
    is_kept = counts and not settles(lambda: references(names, hostile) == counts)
    for name in (*hostile, "w"):
        names.pop(name, None)
    hostile.clear()
    stage.drop()
    return Outcome(stage, shown, errors, not is_kept and settles(lambda: references(names) == before))


def settles(condition):
    """Whether something holds, perhaps when garbage has gone."""
    return condition() or gc.collect() < 0 or condition()


def living():
    """How much lives in the core, by kind."""
    figures = tn.cuda.get_statistics()
    return {name: figures[name] for name in ("arrays", "buffers", "streams", "events", "graphs", "used_bytes")}


def subsets(line):
    """The arrays of a line that a call may see in their second shape: none, all, or some."""
    used = "".join(dict.fromkeys("H" + "".join(re.findall(r"\b[abcvksiqh]\b", line))))
    yield from ("", used)
    if len(used) < 6:
        for count in range(1, len(used)):
            yield from map("".join, itertools.combinations(used, count))


def problems(case, progress=lambda phase: None):
    """What is wrong with what happens in a case, as texts."""
    held = living()
    outcome = run(case, tn, case.action)
    stage, found = outcome.stage, []
    if SystemError in outcome.errors:
        found.append("SystemError")
    if not outcome.is_balanced:
        found.append("references are left or lost")
    if stage.raised and Attack not in outcome.errors:
        progress(1)
        theirs = run(case, np, case.action)
        if not theirs.stage.raised or Attack in theirs.errors:
            found.append(f"the exception was swallowed: {outcome.errors}")
    if case.action == "reshape" and stage.strikes >= case.when and not outcome.errors and is_comparable(case):
        known = [run(case, tn, None, which).value for which in subsets(case.line)]
        if outcome.value not in known:
            progress(1)
            if outcome.value != run(case, np, case.action).value:
                found.append(f"a third value: {outcome.value} is none of {known}")
    del outcome, stage
    if living() != held:
        gc.collect()
        if not comes_true(lambda: living() == held, seconds=1):  # other streams free behind their work
            found.append(f"{living()} live in the end, {held} before")
    return found


GIVEN = re.compile(r"out=|<c>|operator\.i|<v>, <False>")
# New elements have no values there.
UNDEFINED = re.compile(r"m\.empty|m\.ndarray|empty_like")


@functools.cache
def is_one_step(line):
    """Whether a line calls a function in C. Between the steps of one in Python anything may happen, as in NumPy."""
    called = re.match(r"(?:m|a)\.[\w.]+(?=\()", line)
    found = eval(called[0], Stage(tn).names) if called else None
    return not inspect.isfunction(found) and not inspect.ismethod(found) and "contains" not in line


def is_comparable(case):
    """Whether only the values of the old and of the new shape are right; NumPy decides about the others."""
    return not UNDEFINED.search(case.line) and (bool(case.marks) or case.form != "tracer" and is_one_step(case.line))


# --- As a program ---


def chosen(seed, share, shard, shards):
    """The numbered cases of a share, always the same for a seed."""
    draw = random.Random(seed)
    for number, case in enumerate(cases()):
        if draw.random() < share and number % shards == shard:
            yield number, case


def begin():
    """What making the cases has left goes; the rest is not looked at by the collector again."""
    lines()
    gc.collect()
    comes_true(lambda: living()["arrays"] == living()["streams"] == 0)
    gc.freeze()


def work(options):
    """Runs cases; writes before each its number and phase 0 (phase 1: NumPy runs) to the file of progress, and what
    is wrong as lines of JSON to standard output."""
    sys.unraisablehook = lambda facts: None
    tn.get_default_memory_pool().set_limit(size=256 << 20)
    begin()
    with open(options.progress, "r+b") as file:
        progress = mmap.mmap(file.fileno(), 16)
    done = 0
    for number, case in chosen(options.seed, options.share, *options.shard):
        if number < options.first:
            continue
        progress[:] = struct.pack("qq", number, 0)
        for text in problems(case, lambda phase: progress.__setitem__(slice(8, 16), struct.pack("q", phase))):
            print(json.dumps([number, str(case), text]), flush=True)
        done += 1
    print(json.dumps([-1, "cases", done]))


def main():
    parser = argparse.ArgumentParser(description="Runs cases of the adversary.")
    parser.add_argument("number", type=int, nargs="?", help="run this case alone and tell what is wrong")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--shard", type=int, nargs=2, default=(0, 1))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--progress")
    options = parser.parse_args()
    if options.number is None:
        work(options)
        return
    begin()
    case = next(itertools.islice(cases(), options.number, None))
    print(case)
    print(*problems(case) or ["nothing is wrong"], sep="\n")


if __name__ == "__main__":
    main()
