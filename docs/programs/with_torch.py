"""PyTorch: the same memory under both libraries, on the GPU as on the host."""

import tenorite as cp
import torch

a = cp.arange(6.0).reshape(2, 3)
tensor = torch.from_dlpack(a)
tensor += 1
back = cp.from_dlpack(tensor)
back *= 10
cp.cuda.Device().synchronize()
print(tensor.tolist())
