"""Arrays of Intel's iDeep, which are not supported."""

__all__ = ["is_ideep_available"]


def is_ideep_available():
    """Whether arrays of iDeep can be used. They never can be.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> from tenorite.backends import intel64
    >>> intel64.is_ideep_available()
    False
    """
    return False
