# machine: cpu
# real: cpu
# Memory of tensors on the CPU, given to native code by its address.
import ctypes

import torch

large, small = torch.randn(1000, 1000), torch.tensor([3, 4, 5])
start = large.data_ptr()
assert start == large.view(-1).data_ptr() == large.untyped_storage().data_ptr()
assert large[1].data_ptr() - start == 4000 and large.clone().data_ptr() != start
ctypes.memset(start, 0, large.nbytes)
assert (ctypes.c_int64 * 3).from_address(small.data_ptr())[:] == [3, 4, 5]
ctypes.memmove(small.data_ptr(), (ctypes.c_int64 * 3)(7, 8, 9), small.nbytes)
assert small.tolist() == [7, 8, 9]
huge = torch.nn.Linear(1 << 13, 1 << 11)
assert huge.weight.data_ptr() != huge.bias.data_ptr()
large @ large.half()  # finding: operand-dtype-mismatch matmul self
