"""Check that every public name says what it does.

    check_documents.py [--count]

A function, a ufunc, a class and a method of ndarray has a docstring with an example, a signature
that `inspect.signature` reads and shows, and a section Parameters that names just the parameters
of the signature. The methods of other classes have a docstring, whose Parameters are those of the
signature if there are any, and an example, or their class has one that calls them. What takes an
axis or a shape says in a section Raises what a wrong one gives. The functions of CUDA's
libraries under their own names have a docstring and a signature; CUDA's reference has the rest.
The examples themselves are run by tests/python/rules/test_docstrings.py, and the calls that
raise.
"""

import inspect
import sys
import warnings
from collections import Counter

import public_names
from public_names import documented_parameters, members, section, text_of

# Functions of CUDA's under their own names.
OF_CUDA = tuple(
    f"tenorite.cuda.{name}."
    for name in "cublas cudnn curand cusolver cusparse cusparselt cutensor driver nvrtc runtime".split()
)
# Parameters of which a wrong value raises: the docstring says what.
MAY_RAISE = ("axis", "axes", "axis1", "axis2", "shape")


def signature_faults(thing, text, whole, bound):
    """What is wrong with the signature, or between it and the section Parameters. `bound`: the
    first parameter of a function is the object whose method it is."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError) as failure:
        # An exception's constructor is Python's own.
        if not (isinstance(thing, type) and issubclass(thing, BaseException)):
            yield f"no signature: {failure}"
        return
    if " object at 0x" in str(signature):
        yield f"the signature shows an address: {signature}"
    all_names = [name for name in signature.parameters if name != "self" and not name.startswith("_")]
    first = bound and "self" not in signature.parameters
    names = all_names[1:] if first and (inspect.isfunction(thing) or "type" in all_names[:1]) else all_names
    documented = documented_parameters(text)
    if documented or (whole and names):
        for name in documented:
            if name not in all_names:
                yield f"Parameters names {name}, which {signature} has not"
        lacking = [name for name in names if name not in documented]
        if lacking:
            yield f"Parameters lacks {', '.join(lacking)}"


def constructor_is_foreign(thing):
    """Whether a class takes the arguments of a class of another package, such as unittest."""
    if not isinstance(thing, type):
        return False
    made = next(base for base in thing.__mro__ if "__init__" in vars(base) or "__new__" in vars(base))
    return made is not object and not public_names.of_the_package(made)


def has_example(text):
    return any(line.lstrip().startswith(">>>") for line in section(text, "Examples") or ())


def shows(kind, member):
    """Whether the example of a class calls the method."""
    return f".{member}(" in "\n".join(section(text_of(kind), "Examples") or ())


def faults(thing, whole, bound=False):
    text = text_of(thing)
    if not text:
        yield "no docstring"
        return
    exception = isinstance(thing, type) and issubclass(thing, BaseException)
    if whole and not exception and not has_example(text):
        yield "no example"
    if callable(thing) and not isinstance(thing, type) and section(text, "Raises") is None:
        lacking = [name for name in documented_parameters(text) if name in MAY_RAISE]
        if lacking:
            yield f"no section Raises: what a wrong {lacking[0]} gives"
    # What an exception is called with is not for programs to know.
    documented = whole and not exception and not constructor_is_foreign(thing)
    if callable(thing) and not isinstance(thing, property):
        yield from signature_faults(thing, text, documented, bound)


def all_faults(package):
    for name, thing in public_names.public_names(package):
        for fault in faults(thing, not name.startswith(OF_CUDA)):
            yield name, fault
        if isinstance(thing, type):
            for member, one in members(thing):
                called = one.__func__ if isinstance(one, staticmethod | classmethod) else one
                whole = thing.__name__ == "ndarray" and callable(called)
                of_cuda = name.startswith(OF_CUDA)
                if (
                    callable(called)
                    and not whole
                    and not of_cuda
                    and not has_example(text_of(called))
                    and not shows(thing, member)
                ):
                    yield f"{name}.{member}", "no example"
                for fault in faults(called, whole, not isinstance(one, staticmethod)):
                    yield f"{name}.{member}", fault


def main():
    """One line for each fault, or with --count their kinds."""
    warnings.simplefilter("ignore")
    import tenorite

    count = Counter()
    for name, fault in all_faults(tenorite):
        count[fault.split(":")[0] if ":" in fault else " ".join(fault.split()[:2])] += 1
        if "--count" not in sys.argv:
            print(f"{name}: {fault}")
    if "--count" in sys.argv:
        print(*count.items(), sep="\n")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
