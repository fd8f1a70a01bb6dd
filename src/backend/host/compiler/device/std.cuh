// cuda::std for programs that include <cuda/std/...> (translate.c sees to that): the names of the
// compiler's own standard library.
#ifdef TNI_CUDA_STD
namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
} // namespace std
} // namespace cuda
#endif
