# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

adjacent_difference: _Any
binary_search: _Any
copy: _Any
count: _Any
device: _Any
equal: _Any
equal_range: _Any
exclusive_scan: _Any
exclusive_scan_by_key: _Any
fill: _Any
find: _Any
gather: _Any
host: _Any
inclusive_scan: _Any
inclusive_scan_by_key: _Any
inner_product: _Any
is_sorted: _Any
is_sorted_until: _Any
lower_bound: _Any
make_constant_iterator: _Any
make_counting_iterator: _Any
mismatch: _Any
reduce: _Any
reduce_by_key: _Any
remove: _Any
remove_copy: _Any
replace: _Any
replace_copy: _Any
reverse: _Any
reverse_copy: _Any
scatter: _Any
seq: _Any
sequence: _Any
set_difference: _Any
set_difference_by_key: _Any
set_intersection: _Any
set_intersection_by_key: _Any
set_symmetric_difference: _Any
set_symmetric_difference_by_key: _Any
set_union: _Any
set_union_by_key: _Any
sort: _Any
sort_by_key: _Any
stable_sort: _Any
stable_sort_by_key: _Any
swap_ranges: _Any
unique: _Any
unique_by_key: _Any
upper_bound: _Any
