"""The functions of the table."""

from tenorite.scipy.special._kernels import made
from tenorite.scipy.special._table import TABLE

FUNCTIONS = {line[0]: made(*line) for line in TABLE}
