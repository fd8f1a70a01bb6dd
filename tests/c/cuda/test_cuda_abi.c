/* Compares our structures of the CUDA driver's interface with the real ones (test_cuda_abi_real.c,
 * whose compilation alone checks all else). Built where the toolkit's headers are installed. */
#include "replay.h"

#include "backend/cuda/driver/driver_types.h"
#include "cuda_layout.h"

const size_t *real_layout(size_t *count);

static void test_layout(void **state) {
    (void)state;
    size_t count;
    const size_t *real = real_layout(&count);
    assert_int_equal(count, sizeof layout / sizeof *layout);
    for (size_t k = 0; k < count; k++)
        assert_int_equal(layout[k], real[k]);
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_layout)};
    return REPLAY_RUN("cuda_abi", tests);
}
