"""Names of Thrust in kernels, of which none works. They need CCCL's headers and nvcc, by which
kernels are not compiled here, so each name says so when a kernel uses it."""

from tenorite.jit import _builtins

_NAMES = """
    adjacent_difference binary_search copy count device equal equal_range exclusive_scan exclusive_scan_by_key fill
    find gather host inclusive_scan inclusive_scan_by_key inner_product is_sorted is_sorted_until lower_bound
    make_constant_iterator make_counting_iterator mismatch reduce reduce_by_key remove remove_copy replace
    replace_copy reverse reverse_copy scatter seq sequence set_difference set_difference_by_key set_intersection
    set_intersection_by_key set_symmetric_difference set_symmetric_difference_by_key set_union set_union_by_key
    sort sort_by_key stable_sort stable_sort_by_key swap_ranges unique unique_by_key upper_bound
""".split()


def _refusal(name):
    def emit(env, *args, **kwargs):
        raise NotImplementedError(f"thrust.{name} needs the headers of CCCL and nvcc, by which kernels are not compiled "
                                  "here; write a loop, or use tenorite's functions on whole arrays")  # fmt: skip

    return _builtins.Builtin(name, emit, f"{name} of Thrust, which is refused in kernels: it needs CCCL's headers and nvcc.",
                             emit)  # fmt: skip


def __getattr__(name):
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _refusal(name)
