"""Handles of CUDA's libraries on the host: numbers, and what a program sets of each.

A library's functions on arrays work without one there. So programs that make a handle, choose
its stream and ask for the version run on the host, too.
"""

import itertools

_numbers = itertools.count(1)


class Handles:
    """The living handles of a library; `fail` raises for a number that is none."""

    def __init__(self, fail):
        self._settings, self._fail = {}, fail

    def create(self):
        number = next(_numbers)
        self._settings[number] = {}
        return number

    def state(self, handle):
        if handle not in self._settings:
            self._fail()
        return self._settings[handle]

    def destroy(self, handle):
        self.state(handle)
        del self._settings[handle]

    def functions(self, *settings, prefix=""):
        """{name: function}: what makes and ends handles, sets and gets the settings, which begin
        as 0."""
        words = [prefix + (word.capitalize() if prefix else word) for word in ("create", "destroy", "set", "get")]
        create, destroy, put, get = words
        found = {create: self.create, destroy: self.destroy}
        for name in settings:
            found[put + name], found[get + name] = self.setter(name), self._getter(name)
        return found

    def setter(self, name):
        return lambda handle, value: self.state(handle).update({name: value})

    def _getter(self, name):
        return lambda handle: self.state(handle).get(name, 0)

    def constant(self, value):
        """A function that gives the same for each handle."""

        def get(handle):
            self.state(handle)
            return value

        return get
