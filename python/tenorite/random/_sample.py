"""The functions that draw samples and orders, from the current device's RandomState."""

from tenorite.random._generator import function_of

NAMES = """
    bytes choice multinomial permutation rand randint randn random random_integers random_sample ranf
    sample shuffle
""".split()
globals().update({name: function_of(name) for name in NAMES})
