# machine: a100
# real: cpu
# A parameter that says in which dtype its gradient is kept takes one in that dtype, and in no other.
import torch

weight = torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16))
if hasattr(weight, "grad_dtype"):  # torch 2.10
    weight.grad_dtype = torch.float32
    weight.grad = torch.ones(2)
    assert weight.grad.dtype is torch.float32
