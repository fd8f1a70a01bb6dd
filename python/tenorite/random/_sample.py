"""The functions that draw samples and orders, from the current device's RandomState."""

from tenorite.random._generator import functions_of

NAMES = """
    bytes choice multinomial permutation rand randint randn random random_integers random_sample ranf
    sample shuffle
""".split()
globals().update(functions_of(NAMES))
