"""NumPy's ``lib.format``: the files of ``save``, whose functions read and write on the host."""

from numpy.lib.format import (
    ARRAY_ALIGN,
    BUFFER_SIZE,
    EXPECTED_KEYS,
    GROWTH_AXIS_MAX_DIGITS,
    MAGIC_LEN,
    MAGIC_PREFIX,
    descr_to_dtype,
    drop_metadata,
    dtype_to_descr,
    header_data_from_array_1_0,
    isfileobj,
    magic,
    open_memmap,
    read_array,
    read_array_header_1_0,
    read_array_header_2_0,
    read_magic,
    write_array,
    write_array_header_1_0,
    write_array_header_2_0,
)

__all__ = [
    "ARRAY_ALIGN", "BUFFER_SIZE", "EXPECTED_KEYS", "GROWTH_AXIS_MAX_DIGITS", "MAGIC_LEN", "MAGIC_PREFIX", "descr_to_dtype",
    "drop_metadata", "dtype_to_descr", "header_data_from_array_1_0", "isfileobj", "magic", "open_memmap", "read_array",
    "read_array_header_1_0", "read_array_header_2_0", "read_magic", "write_array", "write_array_header_1_0",
    "write_array_header_2_0",
]  # fmt: skip
