"""What a compiled kernel says of itself."""

import tenorite as tn

SOURCE = """
extern "C" __global__ void fill(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}
"""


def test_attributes(device):
    kernel = tn.RawKernel(SOURCE, "fill")
    numbers = {
        "binary_version": kernel.binary_version,
        "cache_mode_ca": kernel.cache_mode_ca,
        "const_size_bytes": kernel.const_size_bytes,
        "local_size_bytes": kernel.local_size_bytes,
        "ptx_version": kernel.ptx_version,
        "shared_size_bytes": kernel.shared_size_bytes,
    }
    assert all(isinstance(number, int) and number >= 0 for number in numbers.values()), numbers
    assert kernel.attributes.keys() >= numbers.keys()
    assert kernel.preferred_shared_memory_carveout == -1
    # A GPU's kernel is of an architecture; the host's is of none.
    assert (numbers["binary_version"] > 0) == (device == "cuda")
