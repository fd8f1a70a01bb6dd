"""The functions of the table."""

from tenorite.scipy.special._kernels import made
from tenorite.scipy.special._table import TABLE

FUNCTIONS = {line[0]: made(text, *line) for text, lines in TABLE.items() for line in lines}
