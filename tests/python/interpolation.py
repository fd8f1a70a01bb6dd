"""The same interpolator of ours and of SciPy's, for tests."""

import numpy as np
import tenorite as tn
from oracle import quiet, settle, to_host, to_ours
from tenorite.scipy import interpolate as ours


def both(name, *args, **options):
    """A function or class of ours and of SciPy's, called with the same arguments."""
    import scipy.interpolate as theirs

    lists = {key: to_ours(value) for key, value in options.items()}
    with quiet():
        return (getattr(ours, name)(*map(to_ours, args), **lists), getattr(theirs, name)(*args, **options))


def assert_close(found, expected, rtol=1e-10, atol=1e-12):
    """Values, shapes and dtypes."""
    assert isinstance(found, tn.ndarray), type(found)
    found, expected = to_host(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


def raises_alike(call):
    """A call of a module and of NumPy or tenorite must raise the same error with the same text."""
    import scipy.interpolate as theirs

    found = []
    for module, xp in ((ours, tn), (theirs, np)):
        try:
            with quiet():
                call(module, xp)
                settle()
            found.append(None)
        except Exception as error:
            found.append(error)
    ours_raised, expected = found
    assert expected is not None, "SciPy raises nothing"
    assert ours_raised is not None, f"nothing for {expected!r}"
    assert isinstance(ours_raised, type(expected)) or isinstance(expected, type(ours_raised)), found
    assert str(ours_raised).split("\n")[0] == str(expected).split("\n")[0]
