"""Attributes that objects keep and that their classes document."""


def attribute(name, doc, default=None):
    """An attribute that may be read and set; `default` is its value before it is set."""

    def get(self):
        return self.__dict__.get(name, default)

    def put(self, value):
        self.__dict__[name] = value

    return property(get, put, doc=doc)
